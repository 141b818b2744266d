"""The outcomes that runs of an explored chain have returned so far, in the order in which they were met."""

from __future__ import annotations

from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.arrays.frame import Run
from seqlang.backends.solve.solution import Outcome
from seqlang.backends.solve.step.integration_plan import IntegrationPlan
from seqlang.backends.solve.stops.outcomes import chances_of_return
from seqlang.backends.solve.stops.watched import for_outcome
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model import expression as ir
from seqlang.model.program import Program, Stop


class Returned:
    """Gives every outcome a place in the tables. Returns that are constants have the first places, in the order of the
    file; values that are computed get theirs when a run returns them. `places` may be shared by chains of one program:
    they are then in the same order in all of them."""

    def __init__(
        self,
        program: Program,
        plan: IntegrationPlan,
        compiler: VectorCompiler,
        watch: tuple[ir.Expression, ...],
        places: dict[Outcome, int],
    ) -> None:
        self.watch = watch
        self._compiler = compiler
        self._places = places
        self._watched: dict[Outcome, list[Run]] = {}
        for statement in program.body:
            if isinstance(statement, Stop):
                try:
                    for outcome in chances_of_return(statement.result, compiler, plan.mixing):
                        self.place(outcome)
                except Unsolved:
                    continue

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        return tuple(self._places)

    def place(self, outcome: Outcome) -> int:
        """The index of the outcome. Numbers that agree in twelve digits are one outcome."""
        if isinstance(outcome, float):
            outcome = float(f"{outcome:.12g}") + 0.0
        return self._places.setdefault(outcome, len(self._places))

    def watched(self, outcome: Outcome) -> list[Run]:
        """The watched expressions, compiled for runs that return this outcome."""
        if outcome not in self._watched:
            self._watched[outcome] = [self._compiler.compile(for_outcome(e, outcome)) for e in self.watch]
        return self._watched[outcome]
