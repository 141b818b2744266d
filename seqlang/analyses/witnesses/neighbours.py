"""Whether two inputs are neighbours, by the letter of the program's adjacency: asked of every witness."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, assert_never

from seqlang.analyses.witnesses.exact_moves import moves_within
from seqlang.analyses.witnesses.moving import Vector, size_of
from seqlang.arithmetic.formula import enclose
from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.inputs.domains import CheckedDomain
from seqlang.backends.interpret.values import EvaluationError
from seqlang.model.expression import Expression
from seqlang.model.program import AddRemove, Program, Replace, Within
from seqlang.proof.entry import Entry
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values

Row = Mapping[str, Any]

ROUNDING = 1e-9
"""Where exact arithmetic does not tell, a move may exceed the radius by this part of it."""


def fields_of(program: Program) -> list[str]:
    """The fields that an entry of a stream gives; where there is no stream, a record of a dataset."""
    return [i.name for i in program.inputs if i.kind != "dataset"] or [i.name for i in program.inputs]


def rows_of(program: Program, stream: Sequence[Entry]) -> list[Row]:
    """The entries as mappings field -> value, also where there is one field."""
    names = fields_of(program)
    return [entry if isinstance(entry, dict) else {names[0]: entry} for entry in stream]


def entry_of(entry: Any, names: list[str]) -> Entry:
    """An entry by field as a stream holds it: the value alone where there is one field."""
    value: Entry = entry[names[0]] if len(names) == 1 else {n: entry[n] for n in names}
    return value


def rows_inside(program: Program, rows: Iterable[Mapping[str, Any]]) -> bool:
    """Every value lies in its field's domain."""
    compiler = Compiler(program)
    domains = {i.name: CheckedDomain(compiler, i.domain) for i in program.inputs}
    return all(domains[name].contains(value) for row in rows for name, value in row.items())


def are_neighbours(program: Program, first: Sequence[Entry], second: Sequence[Entry]) -> bool:
    """Public fields must be equal; the others may differ as `adjacent` says. What cannot be evaluated is refused."""
    rows, others = rows_of(program, first), rows_of(program, second)
    match program.adjacency:
        case AddRemove(count):
            return _resized(rows, others, _constant(program, count))
        case Replace(count):
            changed = _changed(program, rows, others)
            return changed is not None and len(changed) <= _constant(program, count)
        case Within(extent=extent) as adjacency:
            changed = _changed(program, rows, others)
            if changed is None or (extent == "one" and len(changed) > 1):
                return False
            return _move(program, adjacency, [(rows[i], others[i]) for i in changed])
        case _:
            assert_never(program.adjacency)


def _changed(program: Program, rows: Sequence[Row], others: Sequence[Row]) -> list[int] | None:
    """The places in which they differ; None if the lengths or a public field do."""
    public = [i.name for i in program.inputs if i.kind == "public"]
    if len(rows) != len(others) or any(a.get(n) != b.get(n) for a, b in zip(rows, others, strict=True) for n in public):
        return None
    return [i for i, (a, b) in enumerate(zip(rows, others, strict=True)) if a != b]


def _resized(rows: Sequence[Row], others: Sequence[Row], count: float) -> bool:
    """Whether the shorter is the longer without at most `count` of its records."""
    short, long = sorted((rows, others), key=len)
    if len(long) - len(short) > count:
        return False
    left = iter(long)
    return all(any(row == candidate for candidate in left) for row in short)


def _move(program: Program, adjacency: Within, pairs: Sequence[tuple[Row, Row]]) -> bool:
    """Whether each entry moves by at most the radius, and all of them in one direction where they must."""
    moves = _moves(program, adjacency.of, pairs)
    if moves is None or (adjacency.same_direction and not _one_way([x for move in moves for x in move])):
        return False
    allowed = _constant(program, adjacency.radius) * (1 + ROUNDING)
    for (row, other), move in zip(pairs, moves, strict=True):
        near = moves_within(program, adjacency, row, other)
        if not (size_of(move, adjacency.norm) <= allowed if near is None else near):
            return False
    return True


def _one_way(moves: Sequence[float]) -> bool:
    return min(moves, default=0.0) >= 0 or max(moves, default=0.0) <= 0


def _moves(program: Program, of: Expression, pairs: Sequence[tuple[Row, Row]]) -> list[Vector] | None:
    """How far each coordinate of the expression moves in each pair; None if it has no value."""
    from seqlang.backends.interpret.machine import Machine
    from seqlang.backends.interpret.randomness import NoNoise

    machine = Machine(program, NoNoise())

    def coordinates(row: Row) -> tuple[Any, ...]:
        machine.fields = dict(row)
        value = machine.value(of)
        return value if isinstance(value, tuple) else (value,)

    try:
        return [
            tuple(float(y) - float(x) for x, y in zip(coordinates(row), coordinates(other), strict=True))
            for row, other in pairs
        ]
    except EvaluationError:
        return None


def _constant(program: Program, expression: Expression) -> float:
    """The value, rounded down; -1 (nothing is a neighbour) if it is not constant."""
    formula = formula_of(program, expression)
    return -1.0 if formula is None else enclose(formula, parameter_values(program)).low
