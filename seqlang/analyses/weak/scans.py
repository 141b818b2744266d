"""One scan a program and model: several claims and the curve share its positions. With public fields there are two:
what the transcript alone tells gives the lower ends, what it tells together with these fields the upper ones."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from seqlang.analyses.weak.positions import Scan
from seqlang.analyses.weak.public_fields import public_fields, showing_public_fields
from seqlang.analyses.weak.worst import PATIENCE, Measure, Worst, worst
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.program import Program
from seqlang.record import record
from seqlang.rules.sensitivity.facts.remembered import remembered_of_program

LEFT = 1e-10
"""Mass beyond the tables where probabilities of sets are asked for."""
LEFT_FOR_RATIOS = 1e-18
"""The same where powers of ratios are: they may be large where little mass is."""


@record
class Scans:
    """`told`: of the transcript. `seen`: of the transcript with the values of public fields; the same scan where there
    are none, and a reason where it has no exact law."""

    told: Scan
    seen: Scan | str

    def worst(
        self,
        measure: Measure,
        later: Callable[[float], float],
        *,
        floor: float = 0.0,
        limit: tuple[float, float] = (0.0, inf),
        patience: int = PATIENCE,
    ) -> Worst:
        """See `worst`. The lower end is one of `told`, the upper ends are those of `seen`."""
        low = worst(self.told, measure, later, floor=floor, limit=limit, patience=patience)
        if self.seen is self.told:
            return low
        if isinstance(self.seen, str) or low.lower > limit[1]:
            return Worst(low.lower, inf, inf, low.position, low.pair, low.positions)
        high = worst(self.seen, measure, later, floor=floor, limit=limit, patience=patience)
        return Worst(low.lower, high.upper, high.after, low.position, low.pair, high.positions)

    @property
    def enclosed(self) -> bool:
        """Whether the laws are finite sums; else they are estimates: how far two orders of quadrature differ."""
        return all(scan.enclosed for scan in (self.told, self.seen) if isinstance(scan, Scan))

    @property
    def exhausted(self) -> bool:
        """Whether the work that is allowed has ended a scan."""
        return self.told.exhausted or (isinstance(self.seen, Scan) and self.seen.exhausted)


@remembered_of_program
def scans_of(program: Program, model: str, ratios: bool) -> Scans:
    """`ratios`: for losses and Renyi divergences, for which small probabilities matter. Raises Unsolved."""
    told = _scan(program, model, ratios)
    if not public_fields(program):
        return Scans(told, told)
    try:
        return Scans(told, _scan(showing_public_fields(program), model, ratios))
    except Unsolved as why:
        return Scans(told, str(why))


def _scan(program: Program, model: str, ratios: bool) -> Scan:
    return Scan(program, model, tolerance=LEFT_FOR_RATIOS if ratios else LEFT, ratios=ratios)
