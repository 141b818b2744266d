"""Panels for the noises that persist: within a panel a comparison counts only if it comes out alike for every value.

`panel_grid(plan, panels) -> Grid`. A panel has the probability that the noise lies in it. A run that meets no
comparison that depends on where in the panel the noise lies takes the same course for all of them, so that the
probabilities of such courses add up to a lower bound. What lies outside of all panels is left out.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from seqlang.backends.solve.noises.scalar_law import Array, ScalarLaw
from seqlang.backends.solve.quadrature.grid import Grid, Group, by_life
from seqlang.backends.solve.step.integration_plan import IntegrationPlan
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.life import EachReport

OUTSIDE = 1e-12
"""A probability: so much of a noise with a density may lie beyond the panels on each side."""
TAIL = 1e-18
"""A probability: so much of an infinite discrete noise is left out on each side."""
FINE = 20_001
"""Places at which a distribution function is computed to find where panels of equal probability end."""
INNER = 64
"""Panels of a fresh noise that two comparisons of one step share."""
MOST = 200_000
"""Panels of all noises together."""


def panel_grid(plan: IntegrationPlan, panels: int) -> Grid:
    """About so many panels in all; fresh noises of the plan that need nodes get panels of their own."""
    smooth = sum(not plan.laws[name].discrete for name in plan.nodes)
    each = max(2, round(panels ** (1 / smooth))) if smooth else 1
    ends: dict[str, tuple[Array, Array]] = {}
    weights = np.ones(1)
    groups: list[Group] = []
    for names in by_life(plan):
        values, own = _product([(name, plan.laws[name]) for name in names], each)
        ends = {n: (np.repeat(low, len(own)), np.repeat(high, len(own))) for n, (low, high) in ends.items()}
        ends |= {n: (np.tile(low, len(weights)), np.tile(high, len(weights))) for n, (low, high) in values.items()}
        weights = np.repeat(weights, len(own)) * np.tile(own, len(weights))
        _small_enough(len(weights))
        life = plan.lives[names[0]]
        groups.append(Group(names, life.report if isinstance(life, EachReport) else None, own))
    inner: dict[str, tuple[Array, Array]] = {}
    inner_weights = np.ones(1)
    if plan.inner:
        inner, inner_weights = _product([(name, plan.laws[name]) for name in plan.inner], INNER)
    middles = {n: (low + high) / 2 for n, (low, high) in ends.items()}
    inside = {n: (low + high) / 2 for n, (low, high) in inner.items()}
    wide = {n: e for n, e in (ends | inner).items() if not plan.laws[n].discrete}
    return Grid(middles, weights, tuple(groups), inside, inner_weights, smooth == 0, wide)


def _small_enough(count: int) -> None:
    if count > MOST:
        raise Unsolved("too many noises persist")


def _product(laws: Iterable[tuple[str, ScalarLaw]], panels: int) -> tuple[dict[str, tuple[Array, Array]], Array]:
    """Panels of several noises together: the ends by name, and the probabilities."""
    ends: dict[str, tuple[Array, Array]] = {}
    weights = np.ones(1)
    for name, law in laws:
        low, high, own = _points(law) if law.discrete else _panels(law, panels)
        ends = {n: (np.repeat(a, len(own)), np.repeat(b, len(own))) for n, (a, b) in ends.items()}
        ends[name] = (np.tile(low, len(weights)), np.tile(high, len(weights)))
        weights = np.repeat(weights, len(own)) * np.tile(own, len(weights))
        _small_enough(len(weights))
    return ends, weights


def _points(law: ScalarLaw) -> tuple[Array, Array, Array]:
    points, chances = law.atoms(TAIL)
    return points, points, chances


def _panels(law: ScalarLaw, panels: int) -> tuple[Array, Array, Array]:
    """(low, high, probability): half of the ends at equal distances, half at equal probabilities."""
    low, high = law.effective_support(OUTSIDE)
    fine = np.linspace(low, high, FINE)
    below = np.maximum.accumulate(np.asarray(law.below(fine), dtype=np.float64))
    wanted = np.linspace(below[0], below[-1], panels // 2 + 2)[1:-1]
    cuts = np.unique(np.concatenate([np.linspace(low, high, panels - len(wanted) + 1), np.interp(wanted, below, fine)]))
    return cuts[:-1], cuts[1:], np.asarray(law.between(cuts[:-1], cuts[1:]), dtype=np.float64)
