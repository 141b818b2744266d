"""Inputs that only metrics read: what a program is without them.

The truth of a hypothesis is known in a simulation, and its false discovery rate is then a statistic; on real data the
field is missing, and so is the statistic, and everything that is shown stays what it was.
"""

from __future__ import annotations

from collections.abc import Iterator

from seqlang.model import expression as ir
from seqlang.model.program import Cell, Define, Program, Statement
from seqlang.record import replace


def without(program: Program, field: str) -> Program | None:
    """The program without an input and all that is computed from it, for a run on data, which needs no model; None if a
    report, stop, update or choice needs it (directly, or by a name that does)."""
    gone = {field}
    body = program.body
    while True:
        needy = [s for s in body if not gone.isdisjoint(_reads(s))]
        if not needy:
            inputs = tuple(i for i in program.inputs if i.name != field)
            return replace(program, inputs=inputs, body=body, models=())
        for statement in needy:
            if not isinstance(statement, (Define, Cell)):
                return None
            gone.add(statement.name)
        body = tuple(s for s in body if s not in needy)


def left_out(whole: Program, part: Program) -> tuple[str, ...]:
    """The statistics of `whole` that `part` does not compute."""
    kept = {s.name for s in part.body if isinstance(s, Define)}
    return tuple(s.name for s in whole.body if isinstance(s, Define) and s.kind == "statistic" and s.name not in kept)


def _reads(statement: Statement) -> Iterator[str]:
    for name in ("expression", "body", "where", "law", "when", "value", "result"):
        part = getattr(statement, name, None)
        for e in () if part is None else ir.walk(part):
            if isinstance(e, (ir.Field, ir.Local, ir.CellValue, ir.Noised)):
                yield e.name
