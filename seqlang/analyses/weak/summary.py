"""What `check` prints of weak privacy whether or not it is claimed: the curve of delta, the least epsilon, the loss."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from seqlang.analyses.bounds import Bounds
from seqlang.analyses.weak import profile
from seqlang.analyses.weak.everywhere import epsilon_everywhere, everywhere
from seqlang.analyses.weak.later import later_delta
from seqlang.analyses.weak.profile import Law, Range
from seqlang.analyses.weak.scans import Scans, scans_of
from seqlang.analyses.weak.worst import Worst
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.program import Program
from seqlang.record import record, replace

SMALL = 1e-9
"""Positions that cannot add more delta than this are not looked at."""
TIGHT = 1e-6
"""Relative distance of the two ends of a number that is called exact."""


@record
class Curve:
    """delta(epsilon) under one model: one `Worst` an epsilon, for arbitrary sets of transcripts and for one stopping
    step at a time."""

    model: str
    epsilons: tuple[float, ...]
    arbitrary: tuple[Worst, ...]
    per_step: tuple[Worst, ...]


@record
class Least:
    """The least epsilon at `delta`, for any position and pair of values, and the pure loss, under one model.
    `enclosed`: the lower ends rest on finite sums; else on an estimate of the error of quadrature."""

    model: str
    delta: Fraction
    epsilon: Worst
    pure: Worst
    enclosed: bool

    def record(self) -> dict[str, Any]:
        """For `check --json`."""
        return {
            "model": self.model,
            "dp": {"delta": float(self.delta), "upper": self.epsilon.bound, "lower": self.epsilon.lower},
            "exact": self.epsilon.bound <= self.epsilon.lower * (1 + TIGHT) + SMALL,
            "pure": {"upper": self.pure.bound, "lower": self.pure.lower},
            "enclosed": self.enclosed,
        }


def curve(program: Program, model: str, epsilons: tuple[float, ...]) -> Curve:
    """Raises Unsolved where there is no exact law."""
    scans = _of_all_entries(program, model)

    def at(epsilon: float, per_step: bool) -> Worst:
        def measure(p: Law, q: Law) -> Range:
            return profile.delta_per_step(p, q, epsilon) if per_step else profile.delta(p, q, epsilon)

        return scans.worst(measure, later_delta, floor=SMALL)

    return Curve(model, epsilons, tuple(at(e, False) for e in epsilons), tuple(at(e, True) for e in epsilons))


def least(program: Program, model: str, delta: Fraction, strong: Bounds | None = None) -> Least:
    """Raises Unsolved where there is no exact law."""
    scans = _of_all_entries(program, model)
    known = everywhere(program, model, strong)
    target = float(delta)

    def later(reach: float) -> float:
        # Past a position that is reached with chance at most delta the least epsilon is 0.
        return 0.0 if reach <= target * (1 - 1e-12) else known.pure

    epsilon = scans.worst(lambda p, q: profile.epsilon_at(p, q, target), later, patience=10**9)
    pure = scans_of(program, model, True).worst(profile.pure, lambda reach: known.pure)
    most = epsilon_everywhere(program, model, strong, delta)
    return Least(model, delta, _at_most(epsilon, most), _at_most(pure, known.pure), scans.enclosed)


def _at_most(found: Worst, most: float) -> Worst:
    return replace(found, upper=min(found.upper, most), after=min(found.after, most))


def _of_all_entries(program: Program, model: str) -> Scans:
    scans = scans_of(program, model, False)
    if not scans.told.complete:
        raise Unsolved("an entry has infinitely many values: no exact maximum over pairs")
    return scans
