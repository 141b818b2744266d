"""The outcomes that runs of an explored chain have returned so far, in the order in which they were met."""

from __future__ import annotations

from bisect import bisect_left
from math import inf, isinf

from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.arrays.frame import Run
from seqlang.backends.solve.solution import Outcome
from seqlang.backends.solve.states.equal_rows import CLOSE, LEAST, ROUNDING
from seqlang.backends.solve.step.integration_plan import IntegrationPlan
from seqlang.backends.solve.stops.outcomes import chances_of_return
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model import expression as ir
from seqlang.model.outcomes import for_outcome
from seqlang.model.program import Program, Stop

Key = tuple[float, ...] | None


class OutcomePlaces:
    """A number for every outcome, in the order in which they are met. Chains of one program may share it: they then
    number outcomes alike. `by_double`: for who sees what runs show. Rounding may depend on the order of the data, and
    then runs show several doubles for one number: Unsolved."""

    def __init__(self, by_double: bool = False) -> None:
        self._by_double = by_double
        self._places: dict[Outcome, int] = {}
        self._numbers: list[float] = []
        self._exact: dict[float, bool] = {}
        self._from: dict[float, Key] = {}

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        return tuple(self._places)

    def place(self, outcome: Outcome, exact: bool, error: float, key: Key = None) -> int:
        """The number of the outcome. `exact`: a returned number is the double that is nearest to it; others are off by
        a small part of themselves, or by at most the `error`, and two next to each other are one outcome. `key`: what
        such a number was computed from; two that have one double are equal if that is. Raises Unsolved where they may
        be two."""
        if isinstance(outcome, float):
            outcome = self._standing_for(outcome + 0.0, exact, error, key)
        return self._places.setdefault(outcome, len(self._places))

    def _standing_for(self, number: float, exact: bool, error: float, key: Key) -> float:
        if not exact and (isinf(number) or 0 < abs(number) < LEAST):
            raise Unsolved("a number is returned that is too large or too small for doubles")
        at = bisect_left(self._numbers, number)
        for other in self._numbers[max(0, at - 1) : at + 1]:
            apart = abs(number - other)
            both_exact = exact and self._exact[other]
            if other != number and (both_exact or not apart <= max(CLOSE * abs(other), error) < inf):
                continue
            if self._by_double and other != number:
                raise Unsolved("a number is returned for which runs show several doubles")
            if apart > ROUNDING * abs(other):
                raise Unsolved("two numbers that are returned are next to each other")
            if error > 0 and not _are_one(key, self._from[other]):
                raise Unsolved("a number is returned that doubles do not tell from others")
            return other
        self._numbers.insert(at, number)
        self._exact[number], self._from[number] = exact, key
        return number


def _are_one(key: Key, other: Key) -> bool:
    """Whether two numbers were computed from the same: from numbers that are told from each other, up to rounding."""
    if key is None or other is None or len(key) != len(other):
        return False
    return all(abs(a - b) <= ROUNDING * max(abs(a), abs(b)) for a, b in zip(key, other, strict=True))


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
        places: OutcomePlaces,
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
        return self._places.outcomes

    def place(self, outcome: Outcome, exact: bool = True, error: float = 0.0, key: Key = None) -> int:
        """The number of the outcome, see `OutcomePlaces`."""
        return self._places.place(outcome, exact, error, key)

    def watched(self, outcome: Outcome) -> list[Run]:
        """The watched expressions, compiled for runs that return this outcome."""
        if outcome not in self._watched:
            self._watched[outcome] = [self._compiler.compile(for_outcome(e, outcome)) for e in self.watch]
        return self._watched[outcome]
