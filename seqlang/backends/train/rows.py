"""Rows as arrays: every field's values, checked against its domain."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.data.problem import problem
from seqlang.backends.interpret.domains import CheckedDomain
from seqlang.backends.interpret.values import describe
from seqlang.backends.simulate.inputs import leaves_domain
from seqlang.backends.simulate.vectorised import VectorCompiler
from seqlang.diagnostics.suggest import did_you_mean
from seqlang.model.domain import Ball
from seqlang.model.program import Program
from seqlang.record import record

Array = NDArray[Any]
Faulty = Callable[[str, int, str], Exception]
"""(field, row from 0, the value and its domain in words) -> the error."""
PIECE = 1 << 14


@record
class Rows:
    """`fields`: name -> (n,) for a number, (n, d) for a vector; `name` is the file's, or a word for given arrays."""

    name: str
    fields: Mapping[str, Array]
    count: int

    def part(self, rows: Array | slice) -> Rows:
        """Some of the rows."""
        some = {name: values[rows] for name, values in self.fields.items()}
        return Rows(self.name, some, len(next(iter(some.values()))))


def rows_from_arrays(program: Program, given: Mapping[str, Any], *, clip: bool = False, name: str = "rows") -> Rows:
    """The rows that sequences of values make: one for each field of the program, vectors as (n, d).

    Raises SpecError: E0611 without rows, E0612 for a field that is missing or unknown, E0613 for what is no number,
    E0614 for a value outside its domain, E0617 for a wrong shape.
    """
    wanted = [i.name for i in program.inputs]
    for field in given:
        if field not in wanted:
            near = did_you_mean(field, wanted)
            raise problem(
                "E0612", f"`{program.name}` has no field `{field}`", f"did you mean `{near}`?" if near else None
            )
    fields = {}
    compiler = Compiler(program)
    for entry in program.inputs:
        if entry.name not in given:
            raise problem("E0612", f"the {name} have no field `{entry.name}`")
        try:
            values = np.asarray(given[entry.name], dtype=np.float64)
        except (TypeError, ValueError):
            raise problem("E0613", f"the field `{entry.name}` of the {name} is not made of numbers") from None
        d = CheckedDomain(compiler, entry.domain).dimension
        if d is not None and values.ndim == 1 and d == 1:
            values = values[:, None]
        if values.ndim != (1 if d is None else 2) or (d is not None and values.shape[1] != d):
            shape = "(rows,)" if d is None else f"(rows, {d})"
            raise problem("E0617", f"the field `{entry.name}` of the {name} has the shape {values.shape}, not {shape}")
        fields[entry.name] = values
    counts = {len(v) for v in fields.values()}
    if len(counts) > 1:
        raise problem("E0617", f"the fields of the {name} have different numbers of rows")
    if 0 in counts:
        raise problem("E0611", f"the {name} are empty")

    def faulty(field: str, row: int, text: str) -> Exception:
        return problem(
            "E0614", f"{name}, row {row + 1}: {field} = {text}", "clip=True moves such values into the domain"
        )

    return checked(program, Rows(name, fields, counts.pop()), faulty, clip=clip, project=frozenset())


def checked(program: Program, rows: Rows, faulty: Faulty, *, clip: bool, project: frozenset[str]) -> Rows:
    """The rows, all in their domains: with `clip` (all fields) or `project` (these) moved there, row by row.

    Raises what `faulty` makes of the first value that is not.
    """
    compiler = VectorCompiler(program)
    fields = dict(rows.fields)
    for entry in program.inputs:
        leaves, domain = leaves_domain(compiler, entry.domain), CheckedDomain(compiler.exact, entry.domain)
        moved = clip or entry.name in project
        values = fields[entry.name]
        for start in range(0, rows.count, PIECE):
            part = values[start : start + PIECE].T
            bad = np.asarray(~np.isfinite(part) if part.ndim == 1 else ~np.isfinite(part).all(axis=0))
            if not bad.any() and leaves is not None:
                bad = np.asarray(leaves(part))
            if not bad.any():
                continue
            if not moved or not np.isfinite(part).all():
                at = int(np.flatnonzero(bad)[0])
                value = part[..., at]
                shown = describe(tuple(value.tolist()) if value.ndim else float(value))
                raise faulty(entry.name, start + at, f"{shown} is not in {domain.text}")
            if values is rows.fields[entry.name]:
                values = fields[entry.name] = values.copy()
            values[start : start + PIECE] = _nearest(compiler.exact, entry.domain, domain, part, bad).T
    return Rows(rows.name, fields, rows.count)


def _nearest(compiler: Compiler, declared: Any, domain: CheckedDomain, part: Array, bad: Array) -> Array:
    result = part.copy()
    if isinstance(declared, Ball):
        radius = float(compiler.constant(declared.radius))
        sizes = np.sqrt(np.add.reduce(np.square(part[:, bad]), axis=0))
        result[:, bad] *= radius / sizes
        return result
    for at in np.flatnonzero(bad):
        value = part[..., at]
        result[..., at] = domain.nearest(tuple(value.tolist()) if value.ndim else float(value))
    return result
