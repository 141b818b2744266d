"""The answers of units, put together to rows as they come."""

from __future__ import annotations

from typing import Any

from seqlang.diagnostics import SpecError
from seqlang.results.sweep import SweepResult
from seqlang.results.sweep_row import SweepRow
from seqlang.sweeps.plan import Plan


class Gathered:
    """The rows so far. A row is complete when all its units have answers."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._answers: dict[int, dict[str, Any]] = {}
        self._row_of = {n: i for i, row in enumerate(plan.rows) for n in (row.run, row.solve) if n is not None}

    def put(self, number: int, answer: dict[str, Any]) -> int | None:
        """Keeps an answer; the place of the row that is complete with it. Raises SpecError E0623 where an exact law is
        all that was asked for, and there is none."""
        self._answers[number] = answer
        place = self._row_of[number]
        if "unsolved" in answer and self.plan.rows[place].run is None:
            remedy = f"`seqlang run {self.plan.units[number].name}` estimates the same numbers by simulation"
            raise SpecError.of("E0623", answer["unsolved"], help=remedy)
        return None if self.row(place) is None else place

    def row_of(self, number: int) -> int:
        """The place of the row that a unit belongs to."""
        return self._row_of[number]

    def row(self, place: int) -> SweepRow | None:
        """None while it is not complete."""
        planned = self.plan.rows[place]
        units = [n for n in (planned.run, planned.solve) if n is not None]
        if any(n not in self._answers for n in units):
            return None
        solved = {} if planned.solve is None else self._answers[planned.solve]
        run = None if planned.run is None else self._answers[planned.run]["result"]
        return SweepRow(planned.parameters, planned.model, run, solved.get("result"), solved.get("unsolved"))

    def result(self) -> SweepResult:
        """What is complete, in the order of the cells."""
        rows = [self.row(place) for place in range(len(self.plan.rows))]
        done = tuple(row for row in rows if row is not None)
        plan = self.plan
        return SweepResult(plan.algorithm, plan.names, done, len(rows) - len(done), plan.title, plan.source)
