"""What the positions that are not looked at can add, and what Renyi sums beyond a table can: from a bound that holds
at every position (a strong one, say). The inequalities are proved in `positions`."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, expm1, inf, log1p
from typing import TYPE_CHECKING

from seqlang.record import record

if TYPE_CHECKING:
    from seqlang.analyses.weak.positions import Scan
    from seqlang.model.program import Program

Order = float
Curve = Callable[[Order], float]
"""order -> a Renyi divergence that no position exceeds at that order (inf: not known)"""
FACTORS = (1.05, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 6.0)
"""(o' - 1) / (o - 1) in Hoelder's inequality; the best is taken."""


@record
class Everywhere:
    """Bounds that hold at every position: of log(P/Q), and of divergences. By default nothing is known. `estimated`:
    the curve rests on moments whose errors are estimated."""

    pure: float = inf
    curve: Curve | None = None
    estimated: bool = False

    def with_moments(self, program: Program, scan: Scan) -> Everywhere:
        """Also what Zhu & Wang's theorem says of noisy tests, with the moments of the test itself."""
        from seqlang.analyses.weak.moments import curve_of

        curve = curve_of(program, scan)
        known = self.curve
        if curve is None:
            return self
        least = curve if known is None else lambda order: min(known(order), curve(order))
        return Everywhere(self.pure, least, estimated=True)

    def beyond(self, order: float, mass: float) -> float:
        """A bound of sum P^order Q^(1 - order) over any set of transcripts with P-mass at most `mass`."""
        if mass <= 0.0:
            return 0.0
        found = [mass * _exp((order - 1) * self.pure)]
        if self.curve is not None:
            for factor in FACTORS:
                bound = self.curve(1 + factor * (order - 1))
                found.append(mass ** (1 - 1 / factor) * _exp((order - 1) * bound))
        return min(found) * (1 + 1e-12)

    def later_renyi(self, order: float, reach: float) -> float:
        """The divergence at any position n with P(T >= n) <= reach."""
        found = [log1p(self.beyond(order, reach)) / (order - 1)]
        if self.pure < inf:
            gained = (order - 1) * self.pure
            found += [self.pure, log1p(min(reach * (expm1(gained) if gained < 700 else inf), 1e300)) / (order - 1)]
        if self.curve is not None:
            found.append(self.curve(order))
        return min(found) * (1 + 1e-12)


def later_delta(reach: float) -> float:
    """Delta at any epsilon >= 0, for arbitrary sets or per step, at any position n with P(T >= n) <= reach."""
    return reach


def _exp(x: float) -> float:
    return exp(x) if x < 700 else inf
