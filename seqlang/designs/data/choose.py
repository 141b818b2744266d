"""Which reading of an entry is best: how wide the window, how many levels.

Few levels of a narrow window are hidden by little noise and tell little; a design shows which is best, and a coarse one
which is best nearly."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from scipy.optimize import minimize_scalar

from seqlang.designs.blocks.blocks import Blocks
from seqlang.designs.blocks.mechanism import mechanism_for
from seqlang.designs.data.coarse import least_cost
from seqlang.designs.data.data_law import DataLaw, compared, domain_of, line_through, whole_values
from seqlang.designs.data.readings import Binned, Listed, Reading, Window
from seqlang.designs.problem.decimal import decimal
from seqlang.designs.problem.entry import Array
from seqlang.designs.problem.infeasible import Infeasible
from seqlang.designs.problem.problem import Problem
from seqlang.diagnostics import SpecError
from seqlang.process.doing import doing
from seqlang.record import replace

LEVELS = (1, 2, 3, 4, 6, 8, 12, 16)
"""Numbers of steps between the levels that are tried."""
FINE = 64
"""Steps where no noise must hide them."""
FEWER = 1.001
"""Fewer levels are taken if they cost less than this many times as much."""
MOST_LISTED = 40
"""Values that are listed one by one."""
WIDTHS = (0.05, 5.0)
"""The narrowest and the widest half of a window, in half distances of the quartiles."""


def with_reading(problem: Problem) -> Problem:
    """The problem with its entries read as levels; the same for a coin, or if it says how they are read. Raises
    SpecError E0603 for hypotheses that no reading fits, Infeasible where none is good enough."""
    null, alternative = problem.null.law, problem.alternative.law
    if null is None or alternative is None or problem.reading is not None:
        return problem
    doing("how to read an entry")
    places, *chances = compared(null, alternative)
    line = line_through(places, *chances)
    if null.values is None:
        if line is None:
            raise SpecError.of(
                "E0603",
                "the law has a density, and the log-likelihood ratio of an entry is no line",
                help="normal laws of one spread have a line; for others list classes of values: {0: 0.3, 1: 0.7}",
            )
        return _binned(problem, (null, alternative), line[1])
    whole = list(whole_values((null, alternative)))
    if line is not None and whole and len(whole) > 2:
        return _window(problem, (null, alternative), whole, line[1])
    if len(places) > MOST_LISTED:
        raise SpecError.of("E0603", f"an entry has {len(places)} values, and its log-likelihood ratio is no line",
                           help=f"list at most {MOST_LISTED} classes of values")  # fmt: skip
    return _listed(problem, (null, alternative), np.log(chances[1] / chances[0]))


class _Trial:
    """Readings that were tried, with what they cost."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.costs: dict[Reading, float] = {}

    def cost(self, reading: Reading) -> float:
        if reading not in self.costs:
            made = read_by(self.problem, reading)
            self.costs[reading] = least_cost(Blocks(made, mechanism_for(made.privacy, reading.range)))
        return self.costs[reading]

    def best(self) -> Problem:
        """With the fewest levels of those that are nearly best."""
        least = min(self.costs.values())
        if not np.isfinite(least):
            raise Infeasible("no test of one block of up to 200,000 entries keeps both errors: the hypotheses are too "
                             "near to each other for this budget")  # fmt: skip
        near = [r for r, cost in self.costs.items() if cost <= FEWER * least]
        return read_by(self.problem, min(near, key=lambda r: (r.range, self.costs[r])))


def read_by(problem: Problem, reading: Reading) -> Problem:
    """The problem with this reading of its entries."""
    assert problem.null.law is not None and problem.alternative.law is not None
    null = replace(problem.null, chances=reading.chances(problem.null.law))
    alternative = replace(problem.alternative, chances=reading.chances(problem.alternative.law))
    return replace(problem, null=null, alternative=alternative, reading=reading)


def _binned(problem: Problem, laws: tuple[DataLaw, DataLaw], zero: float) -> Problem:
    trial = _Trial(problem)
    quartiles = [law.quantile(q) for law in laws for q in (0.25, 0.75)]
    scale = max(quartiles[1] - quartiles[0], quartiles[3] - quartiles[2]) / 2
    centre = _short(zero, scale / 1000)

    def reading(logarithm: float, steps: int) -> Binned:
        reach = float(np.exp(logarithm)) * scale
        return Binned("real", centre, _short(reach, reach / 20), steps)

    private = problem.privacy.notion != "none"
    ends = tuple(np.log(WIDTHS))
    steps = LEVELS[-1] if private else FINE
    found = minimize_scalar(lambda x: trial.cost(reading(x, steps)), bounds=ends, method="bounded",
                            options={"xatol": 0.05})  # fmt: skip
    best = min(trial.costs, key=lambda r: trial.costs[r])
    assert isinstance(best, Binned) and found.success
    for fewer in LEVELS[:-1] if private else ():
        trial.cost(replace(best, range=fewer))
    return trial.best()


def _short(value: float, within: float) -> Fraction:
    """A decimal of few digits that is as near as this."""
    digits = 0
    while abs(round(value, digits) - value) > within:
        digits += 1
    return Fraction(f"{value:.{digits}f}")


def _window(problem: Problem, laws: tuple[DataLaw, DataLaw], values: list[int], zero: float) -> Problem:
    first, last = values[0], values[-1]
    within = domain_of(laws, f"{first}..{last}")
    trial = _Trial(problem)

    def cost(low: int, high: int) -> float:
        return trial.cost(Window(first, last, low, high, within))

    if problem.privacy.notion == "none":
        cost(first, last)
        return trial.best()
    widest = max(zero - first, last - zero, 1.0)
    radii = np.geomspace(0.5, widest, 12)
    tried = {(max(first, round(zero - r)), min(last, round(zero + r))) for r in radii}
    ends = min((e for e in sorted(tried) if e[0] < e[1]), key=lambda e: cost(*e))
    step = max(1, (ends[1] - ends[0]) // 8)
    while step:
        around = [(ends[0] + a, ends[1] + b) for a in (-step, 0, step) for b in (-step, 0, step)]
        better = min((e for e in around if first <= e[0] < e[1] <= last), key=lambda e: cost(*e))
        step = step // 2 if better == ends else step
        ends = better
    return trial.best()


def _listed(problem: Problem, laws: tuple[DataLaw, DataLaw], ratio: Array) -> Problem:
    trial = _Trial(problem)
    listed = tuple(sorted({v for law in laws for v in law.values or ()}))
    within = domain_of(laws, f"{{{', '.join(map(decimal, listed))}}}")
    if problem.privacy.notion == "none":
        ranks = np.unique(ratio.round(12), return_inverse=True)[1]
        trial.cost(Listed(tuple(zip(listed, map(int, ranks), strict=True)), within))
        return trial.best()
    clips = sorted(set(np.abs(ratio).round(12)) - {0.0})
    for clip in clips[:: max(1, len(clips) // 8)] + clips[-1:]:
        low, high = max(float(ratio.min()), -clip), min(float(ratio.max()), clip)
        if low >= high:
            continue
        for steps in LEVELS:
            levels = np.rint(steps * np.clip((ratio - low) / (high - low), 0, 1)).astype(int)
            trial.cost(Listed(tuple(zip(listed, _in_order(levels), strict=True)), within))
    return trial.best()


def _in_order(levels: Array) -> Iterator[int]:
    """Divided by what all have in common."""
    common = int(np.gcd.reduce(levels))
    yield from (int(level) // max(common, 1) for level in levels)
