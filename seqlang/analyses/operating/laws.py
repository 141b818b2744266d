"""The laws of one program under its models, each computed once: what is certain of them, and what is estimated."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING

from seqlang.analyses.operating.possible import zeros_are_exact
from seqlang.analyses.operating.quantities import (
    BeyondTheTable,
    Interval,
    Masses,
    Quantities,
    Watches,
    certain,
    estimated,
)
from seqlang.model import expression as e
from seqlang.model.program import Program
from seqlang.rules.claims import longest_run

if TYPE_CHECKING:
    from seqlang.backends.solve import Solution
    from seqlang.backends.solve.enclosed.law import EnclosedLaw
    from seqlang.backends.solve.enclosed.stopping_time import StoppingTime

TOLERANCE = 1e-8
"""Asked of the estimated law."""
_FINAL = e.Local | e.Reported | e.CellValue | e.MemoryValue | e.Drawn | e.Field | e.Noised


class Laws:
    """`tolerance`: asked of estimated laws. Every method raises Unsolved, Open."""

    def __init__(self, program: Program, tolerance: float = TOLERANCE) -> None:
        self.program, self.tolerance = program, tolerance
        self._solved: dict[tuple[str, Watches], Solution] = {}
        self._enclosed: dict[tuple[str, Watches, int], EnclosedLaw] = {}
        self._stops: dict[str, StoppingTime] = {}
        self._drifts: dict[tuple[str, int], Interval | None] = {}
        self._rounded: dict[str, bool] = {}
        self._outcomes: dict[tuple[str, frozenset[int], int], Interval | None] = {}

    def solved(self, model: str, watches: Watches) -> Solution:
        """The estimated law."""
        from seqlang.backends.solve import solve

        if (model, watches) not in self._solved:
            found = solve(self.program, model, watch=watches, tolerance=self.tolerance)
            self._solved[model, watches] = found
        return self._solved[model, watches]

    def enclosed(self, model: str, watches: Watches, panels: int) -> EnclosedLaw:
        """What is certain of the law, with so many panels for the noises that persist."""
        from seqlang.backends.solve.enclosed.law import enclosed

        known = self._enclosed.get((model, watches, 1))
        if known is not None:
            return known  # without panels there is nothing to refine
        if (model, watches, panels) not in self._enclosed:
            found = enclosed(self.program, model, panels=panels, watch=watches)
            self._enclosed[model, watches, 1 if found.panels == 1 else panels] = found
            return found
        return self._enclosed[model, watches, panels]

    def stops(self, model: str) -> StoppingTime:
        """What is certain of the stopping step."""
        from seqlang.backends.solve.enclosed.stopping_time import stopping_time

        if model not in self._stops:
            clear = zeros_are_exact(self.program, model, whole=True)
            self._stops[model] = stopping_time(self.program, model, longest_run(self.program), clear=clear)
        return self._stops[model]

    def can_be_refined(self, condition: e.Apply, model: str) -> bool:
        """Whether more panels make the enclosures of the claim closer."""
        return (model, watched(condition, steps=False), 1) not in self._enclosed or self._is_rounded(model)

    def certain_sides(self, condition: e.Apply, model: str, panels: int) -> tuple[Interval, Interval]:
        """Intervals that hold the two sides of the comparison."""
        watches = watched(condition, steps=False)

        def law() -> Masses:
            return certain(self.program, model, self.enclosed(model, watches, panels), lambda: self.stops(model))

        closer = self._closer(model, panels) if self._is_rounded(model) else None
        found = Quantities(self.program, law, watches, closer, lambda: self._drifting(model, panels))
        left, right = (found.interval(side) for side in condition.arguments)
        return left, right

    def _drifting(self, model: str, panels: int) -> Interval | None:
        """The expected step of a run that drifts towards a stop, where no simpler theorem bounds it."""
        from seqlang.backends.solve import Unsolved
        from seqlang.backends.solve.enclosed.drift import expected_steps

        if self.stops(model).high < inf:
            return None
        if (model, panels) not in self._drifts:
            try:
                found, _ = expected_steps(self.program, model, panels)
                self._drifts[model, panels] = (found.low, found.high)
            except Unsolved:
                self._drifts[model, panels] = None
        return self._drifts[model, panels]

    def estimated_sides(self, condition: e.Apply, model: str, *, supposing: bool = False) -> tuple[Interval, Interval]:
        """Intervals in which the two sides seem to lie. `supposing`: an expected step has an upper end also where that
        rests on how the runs that are left have stopped so far."""
        try:
            return self._estimated(condition, model, supposing, steps=False)
        except BeyondTheTable:
            return self._estimated(condition, model, supposing, steps=True)

    def _estimated(self, condition: e.Apply, model: str, supposing: bool, steps: bool) -> tuple[Interval, Interval]:
        watches = watched(condition, steps=steps)
        solution = self.solved(model, watches)
        found = Quantities(self.program, lambda: estimated(self.program, model, solution, supposing=supposing), watches)
        left, right = (found.interval(side) for side in condition.arguments)
        return left, right

    def _is_rounded(self, model: str) -> bool:
        """Whether the program only stops, and the data or some noise that persists have to be cut into panels."""
        from seqlang.backends.solve import Unsolved
        from seqlang.backends.solve.step.entries import entries, model_named
        from seqlang.backends.solve.step.integration_plan import integration_plan

        if model not in self._rounded:
            plan = integration_plan(self.program)
            rounded = any(not plan.laws[name].discrete for name in plan.nodes)
            if plan.only_stops and not rounded and not model_named(self.program, model).memories:
                try:
                    entries(self.program, model)
                except Unsolved:
                    rounded = True
            self._rounded[model] = plan.only_stops and rounded
        return self._rounded[model]

    def _closer(self, model: str, panels: int) -> Callable[[Callable[[object], bool]], Interval | None]:
        """See `Quantities`: for programs that only stop."""
        from seqlang.backends.solve import Unsolved
        from seqlang.backends.solve.enclosed.outcomes import probability_of_outcomes
        from seqlang.backends.solve.stops.outcomes import stops_returning

        clear = zeros_are_exact(self.program, model)

        def probability(wanted: Callable[[object], bool]) -> Interval | None:
            try:
                inside, _ = stops_returning(self.program, wanted)
                if (model, inside, panels) not in self._outcomes:
                    found = probability_of_outcomes(self.program, model, wanted, panels=panels, clear=clear)
                    self._outcomes[model, inside, panels] = (found.low, found.high)
            except Unsolved:
                return None
            return self._outcomes[model, inside, panels]

        return probability


def watched(condition: e.Expression, *, steps: bool) -> Watches:
    """Bodies of `probability` and `expected` that read more than the step and what is returned; with `steps` also
    those that read the step beside other things."""
    found = []
    for node in e.walk(condition):
        if isinstance(node, e.Apply) and node.operator in ("probability", "expected"):
            body = node.arguments[0]
            final = _FINAL | e.StepNumber if steps and body != e.StepNumber() else _FINAL
            if any(isinstance(part, final) for part in e.walk(body)):
                found.append(body)
    return tuple(dict.fromkeys(found))
