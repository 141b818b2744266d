"""What is asked for: two hypotheses, errors, privacy, a criterion, constraints.

A `Problem` is what the command and the Python function make from their arguments, already checked.
"""

from __future__ import annotations

from fractions import Fraction

from seqlang.designs.data.readings import Reading
from seqlang.designs.problem.criterion import Course, Criterion, Limits
from seqlang.designs.problem.entry import Arms, Entry
from seqlang.designs.problem.privacy import Privacy
from seqlang.record import record

ALIKE = Fraction(1, 10**12)
"""Chances that differ by less are the same: they may come from functions that are computed."""


@record
class Problem:
    """`stream` is its name in the spec. `reading`: how an entry becomes a level; None for coins. `arms`: the
    names of two arms, between which entries take turns; empty where there is one."""

    null: Entry
    alternative: Entry
    alpha: Fraction
    beta: Fraction
    privacy: Privacy
    criterion: Criterion = Criterion()
    stream: str = "x"
    public_coin: bool = True
    reading: Reading | None = None
    limits: Limits = Limits()
    composite: bool = False
    arms: tuple[str, ...] = ()
    course: Course = "both ends"

    @property
    def errors(self) -> tuple[float, float]:
        """The nominal error under the null and under the alternative."""
        return float(self.alpha), float(self.beta)

    @property
    def weights(self) -> tuple[float, float]:
        """Those of E[N] under the null and under the alternative: of their sum, the criterion is never less."""
        return self.criterion.weights

    @property
    def turns(self) -> int:
        """After so many entries there are as many in each arm: a part of the sizes of all blocks."""
        return max(1, len(self.arms))

    def hypothesis(self, side: Entry) -> str:
        """The null or the alternative as it was stated."""
        return side.text if self.arms else f"{self.stream} ~ {side.text}"

    @property
    def endless(self) -> bool:
        """Whether the test goes on for ever where it does not reject: the best of power one. Entries that are seen one
        by one, with many scores, are left to tests with an end, whose search does not go from score to score."""
        wanted, limits = self.criterion, self.limits
        stops = limits.most is not None or bool(limits.looks) or wanted.needs_end or wanted.weights[0] > 0
        many = self.privacy.notion == "none" and self.has_levels
        return self.course == "one-sided" and not stops and not many

    @property
    def has_levels(self) -> bool:
        """Whether an entry, or one of each arm, has more than two scores."""
        return self.reading is not None or bool(self.arms)

    @property
    def symmetric(self) -> bool:
        """Whether exchanging the hypotheses is the same as reading each entry from its other end, or as exchanging the
        arms."""
        null, alternative = self.null.arms, self.alternative.arms
        turned = tuple(tuple(reversed(chances)) for chances in alternative)
        same = _alike(null, turned) or (len(null) > 1 and _alike(null, alternative[::-1]))
        even = self.alpha == self.beta and self.weights[0] == self.weights[1]
        return same and even and self.course == "both ends"


def _alike(first: Arms, second: Arms) -> bool:
    shapes = [[len(chances) for chances in arms] for arms in (first, second)]
    return shapes[0] == shapes[1] and all(
        abs(p - q) <= ALIKE for a, b in zip(first, second, strict=True) for p, q in zip(a, b, strict=True)
    )
