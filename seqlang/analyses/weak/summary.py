"""What `check` prints of weak privacy whether or not it is claimed: the curve of delta, the least epsilon, the loss."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from seqlang.analyses.bounds import Bounds
from seqlang.analyses.weak import profile
from seqlang.analyses.weak.everywhere import everywhere
from seqlang.analyses.weak.later import later_delta
from seqlang.analyses.weak.positions import Scan
from seqlang.analyses.weak.profile import Law, Range
from seqlang.analyses.weak.scans import scan_of
from seqlang.analyses.weak.worst import Worst, worst
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.program import Program
from seqlang.record import record

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
    """The least epsilon at `delta`, for any position and pair of values, and the pure loss, under one model."""

    model: str
    delta: Fraction
    epsilon: Worst
    pure: Worst

    def record(self) -> dict[str, Any]:
        """For `check --json`."""
        return {
            "model": self.model,
            "dp": {"delta": float(self.delta), "upper": self.epsilon.bound, "lower": self.epsilon.lower},
            "exact": self.epsilon.bound <= self.epsilon.lower * (1 + TIGHT) + SMALL,
            "pure": {"upper": self.pure.bound, "lower": self.pure.lower},
        }


def curve(program: Program, model: str, epsilons: tuple[float, ...]) -> Curve:
    """Raises Unsolved where there is no exact law."""
    scan = _of_all_entries(program, model)

    def at(epsilon: float, per_step: bool) -> Worst:
        def measure(p: Law, q: Law) -> Range:
            return profile.delta_per_step(p, q, epsilon) if per_step else profile.delta(p, q, epsilon)

        return worst(scan, measure, later_delta, floor=SMALL)

    return Curve(model, epsilons, tuple(at(e, False) for e in epsilons), tuple(at(e, True) for e in epsilons))


def least(program: Program, model: str, delta: Fraction, strong: Bounds | None = None) -> Least:
    """Raises Unsolved where there is no exact law."""
    scan = _of_all_entries(program, model)
    known = everywhere(program, strong)
    target = float(delta)

    def later(reach: float) -> float:
        # Past a position that is reached with chance at most delta the least epsilon is 0.
        return 0.0 if reach <= target * (1 - 1e-12) else known.pure

    epsilon = worst(scan, lambda p, q: profile.epsilon_at(p, q, target), later, patience=10**9)
    pure = worst(scan_of(program, model, True), profile.pure, lambda reach: known.pure)
    return Least(model, delta, epsilon, pure)


def _of_all_entries(program: Program, model: str) -> Scan:
    scan = scan_of(program, model, False)
    if not scan.complete:
        raise Unsolved("an entry has infinitely many values: no exact maximum over pairs")
    return scan
