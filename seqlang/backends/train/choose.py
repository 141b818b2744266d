"""What is asked of the rows held out, and which rows these are."""

from __future__ import annotations

import numpy as np

from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.data.problem import problem
from seqlang.backends.interpret.inputs.domains import CheckedDomain
from seqlang.backends.interpret.shapes import shape_of_expression
from seqlang.backends.interpret.values import describe
from seqlang.backends.train.rows import Rows
from seqlang.model import expression as ir
from seqlang.model.domain import Finite
from seqlang.model.program import Program, Stop


def question(program: Program, predict: str | None, truth: str | None) -> tuple[str, str]:
    """The prediction and its truth as texts of expressions.

    What is not given is found: `dot(w, x) > 0` for the memory `w` that is as long as the vector field `x`, or if there
    is none `dot(return, x) > 0` for a vector that is returned; and `y > 0` for the field `y` with two values (or
    `y == larger`). Raises SpecError E0627 where that is not clear.
    """
    predict, truth = predict or _separator(program), truth or _label(program)
    if predict is None or truth is None:
        missing = "--predict" if predict is None else "--truth"
        example = '--predict "dot(w, x) > 0"' if predict is None else '--truth "y > 0"'
        raise problem("E0627", f"what is predicted by `{program.name}` is not clear: {missing} is needed", example)
    return predict, truth


def _separator(program: Program) -> str | None:
    compiler = Compiler(program)
    fields = {i.name: CheckedDomain(compiler, i.domain).dimension for i in program.inputs}
    vectors = {name: d for name, d in fields.items() if d is not None}
    found = [
        f"dot({memory.name}, {name}) > 0"
        for memory in program.memories
        for name, d in vectors.items()
        if shape_of_expression(compiler, memory.initial) == (d,)
    ]
    if not found:
        shape = shape_of_return(program)
        found = [f"dot(return, {name}) > 0" for name, d in vectors.items() if shape == (d,)]
    return found[0] if len(found) == 1 else None


def shape_of_return(program: Program) -> tuple[int, ...] | None:
    """() for a number, (d,) for a vector; None if nothing is returned, a label, or not always the same shape."""
    compiler = Compiler(program)
    results = [s.result for s in program.body if isinstance(s, Stop)]
    plain = [r.base if isinstance(r, ir.Noised) else r for r in results]
    if not results or any(r is None or isinstance(r, ir.Label) for r in plain):
        return None
    shapes = {shape_of_expression(compiler, r) for r in plain if r is not None}
    return shapes.pop() if len(shapes) == 1 else None


def _label(program: Program) -> str | None:
    compiler = Compiler(program)
    found = []
    for entry in program.inputs:
        if isinstance(entry.domain, Finite) and len(entry.domain.values) == 2:
            low, high = sorted(compiler.constant(v) for v in entry.domain.values)
            found.append(f"{entry.name} > 0" if low <= 0 < high else f"{entry.name} == {describe(high)}")
    return found[0] if len(found) == 1 else None


def chosen(rows: Rows, trained: tuple[int, int] | None, tested: tuple[int, int] | None) -> tuple[Rows, Rows | None]:
    """(rows to train on, rows held out). Both are A:B, rows A to B of those that --where leaves, counted from 1.

    With `tested` alone all other rows are trained on. Raises SpecError E0603 for rows that are not there or in both.
    """
    if tested is None:
        return (rows if trained is None else rows.part(_slice(rows, trained, "--rows"))), None
    held = _slice(rows, tested, "--test-rows")
    if trained is not None:
        kept = _slice(rows, trained, "--rows")
        if kept.start < held.stop and held.start < kept.stop:
            raise problem("E0603", "--rows and --test-rows overlap: rows held out are not trained on")
        return rows.part(kept), rows.part(held)
    if held == slice(0, rows.count):
        raise problem("E0603", f"--test-rows holds out all {rows.count} rows: none is left to train on")
    others = np.concatenate([np.arange(held.start), np.arange(held.stop, rows.count)])
    return rows.part(others), rows.part(held)


def _slice(rows: Rows, given: tuple[int, int], option: str) -> slice:
    first, last = given
    if not 1 <= first <= last <= rows.count:
        raise problem("E0603", f"{option} {first}:{last}: `{rows.name}` has the rows 1 to {rows.count}")
    return slice(first - 1, last)
