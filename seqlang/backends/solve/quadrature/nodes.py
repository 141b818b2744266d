"""Quadrature over the noises that persist: the values at which they are fixed, and a weight for each.

For others:

    nodes(laws, kinks, level) -> Nodes      laws: name -> ScalarLaw of the noises; independent
    start(laws) -> int                      a level that is cheap, to begin with
    LAST                                    the highest level

A kink is a linear functional sum c_i z_i + c0 whose zero the integrand does not cross smoothly:

* jumps, and slopes that jump, must be given: where two drawn thresholds cross, where a comparison without fresh noise
  changes;
* where a fresh Laplace noise would have to be at the kink of its density, the integrand has a jump in a second
  derivative. Errors then fall like n^-3 only, in two dimensions with either sign: give these kinks for the first steps,
  or, with one persistent noise, for all plain values that are likely. Kinks of rare states that are not given do no
  harm.

With all such kinks given, convergence is geometric once a rule resolves the integrand, orders rise by a factor of 1.5,
and the difference of two successive levels bounds the error of the finer one. Where such kinks are missing, take the
larger of the last two differences. A discrete noise takes part with its points, at every level the same up to rounding.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from seqlang.backends.solve.noises.family_laws import Normal
from seqlang.backends.solve.noises.gauss_rules import rule
from seqlang.backends.solve.noises.scalar_law import Array, ScalarLaw
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.record import record

ORDERS = (6, 10, 16, 24, 36, 54, 80, 120, 180, 270, 400, 600)
"""Nodes over the whole width of one noise, by level."""
LAST = len(ORDERS) - 1
MOST_NODES = 4_000_000
"""Nodes of all noises together; where there would be more, too many noises persist."""
RARE = 1e-25
"""A probability: nodes of less weight are left out, as even 4 million of them do not change a digit."""
DROPPED = 1e-18
"""A probability: the points of an infinite discrete noise beyond which less than this lies are left out."""


@record
class Kink:
    """sum of factor * noise + constant = 0."""

    factors: Mapping[str, float]
    constant: float

    def place(self, laws: Mapping[str, ScalarLaw]) -> tuple[object, ...]:
        """The same for planes that are less than a small part of the noises' scales apart."""
        moves = {name: factor * laws[name].scale for name, factor in self.factors.items() if factor}
        width = max(map(abs, moves.values()))
        return (*((name, round(move / width, 9)) for name, move in moves.items()), round(self.constant / width, 9))


@record
class Nodes:
    """`values[name]` and `weights` have the shape (theta,); weights are positive and sum to 1 up to rounding. `exact`:
    all noises are discrete, so a higher level changes nothing."""

    values: Mapping[str, Array]
    weights: Array
    exact: bool

    @property
    def count(self) -> int:
        return len(self.weights)


def start(laws: Mapping[str, ScalarLaw]) -> int:
    """A level that is cheap: the order matters little in one dimension, and much in two or three."""
    smooth = sum(not law.discrete for law in laws.values())
    return 3 if smooth <= 1 else 1 if smooth == 2 else 0


def nodes(laws: Mapping[str, ScalarLaw], kinks: Sequence[Kink] = (), level: int = 0) -> Nodes:
    """Values and weights of all noises in `laws` (none: one node of weight 1)."""
    level = min(level, LAST)
    names = sorted(laws, key=lambda name: (not laws[name].discrete, name))
    smooth = [name for name in names if not laws[name].discrete]
    values, weights = _points([laws[name] for name in names if laws[name].discrete])
    planes = _planes(names, kinks)
    turned = _turn([laws[n] for n in smooth], planes, len(names) - len(smooth))
    axes: list[ScalarLaw] = [laws[n] for n in smooth]
    if turned is not None:
        axes = [Normal(0.0, 1.0) for _ in smooth]
        planes = np.column_stack((planes[:, : len(names) - len(smooth)], planes[:, -1 - len(smooth) :] @ _lift(turned)))
    planes = _with_densities(planes, axes, len(names) - len(smooth))
    # in scales of each noise, so that what is next to 0 does not depend on the unit of the numbers
    scales = np.array([*(laws[name].scale for name in names if laws[name].discrete), *(axis.scale for axis in axes), 1])
    planes = planes * scales
    sizes = np.max(np.abs(planes[:, :-1]), axis=1, initial=0.0, keepdims=True)
    planes = planes[sizes[:, 0] > 0] / sizes[sizes[:, 0] > 0]
    systems = [found / scales for found in _eliminated(planes, len(names) - len(smooth), len(names))]
    for k, axis in enumerate(axes):
        values, weights = _extended(values, weights, axis, systems[k], level)
        if len(weights) > MOST_NODES:
            raise Unsolved("too many noises persist")
    if turned is not None:
        first = len(names) - len(smooth)
        values[first:] = turned[:, :-1] @ values[first:] + turned[:, -1:]
    keep = weights > RARE
    return Nodes(
        {name: values[i][keep] for i, name in enumerate(names)}, weights[keep], not smooth
    )  # fmt: skip


def _points(laws: Sequence[ScalarLaw]) -> tuple[Array, Array]:
    """All combinations of the points of discrete noises: (noises, theta) and (theta,)."""
    values, weights = np.zeros((0, 1)), np.ones(1)
    for law in laws:
        points, chances = law.atoms(DROPPED)
        if len(points) * len(weights) > MOST_NODES:
            raise Unsolved("too many noises persist")
        chances = chances / chances.sum()
        values = np.vstack((np.repeat(values, len(points), axis=1), np.tile(points, len(weights))))
        weights = np.repeat(weights, len(points)) * np.tile(chances, len(weights))
        common = weights > RARE
        values, weights = values[:, common], weights[common]
    return values, weights


def _planes(names: Sequence[str], kinks: Sequence[Kink]) -> Array:
    """One row a kink: factors in the order of the names, then the constant."""
    rows = [[kink.factors.get(name, 0.0) for name in names] + [kink.constant] for kink in kinks]
    return np.array(rows, float).reshape(len(rows), len(names) + 1)


def _turn(laws: Sequence[ScalarLaw], planes: Array, discrete: int) -> Array | None:
    """For Gaussian noises and a kink in several of them: z = A u + mean with independent standard u, the first of which
    runs across the kink. The rule is then a product, and the kink splits one axis only."""
    if len(laws) < 2 or not all(isinstance(law, Normal) for law in laws):
        return None
    means, sds = np.array([(law.mean, law.sd) for law in laws if isinstance(law, Normal)]).T
    across = planes[:, discrete:-1] * sds
    slanted = across[np.count_nonzero(across, axis=1) > 1]
    if len(slanted) == 0:
        return None
    first = slanted[0] / np.linalg.norm(slanted[0])
    rest = np.linalg.svd(first[None, :])[2][1:].T  # orthonormal, and across the first
    turned = np.column_stack((first, rest)) * sds[:, None]
    return np.column_stack((turned, means))


def _lift(turned: Array) -> Array:
    """The map of (factors, constant) from z to u where z = turned (u, 1)."""
    size = turned.shape[0]
    return np.vstack((turned, np.append(np.zeros(size), 1.0)))


def _with_densities(planes: Array, axes: Sequence[ScalarLaw], discrete: int) -> Array:
    """The planes and those in which a noise's density is not smooth."""
    width = planes.shape[1]
    more = []
    for k, axis in enumerate(axes):
        for kink in axis.kinks:
            row = np.zeros(width)
            row[discrete + k], row[-1] = 1.0, -kink
            more.append(row)
    return np.vstack((planes, *more)) if more else planes


def _eliminated(planes: Array, discrete: int, total: int) -> list[Array]:
    """For each smooth noise the planes that split its axis, given the values of the ones before.

    An inner integral is a smooth function of the outer noises except where two of its splits cross: those crossings
    split the outer axes.
    """
    systems: list[Array] = []
    rest = _distinct(planes)
    for axis in range(total - 1, discrete - 1, -1):
        here = np.abs(rest[:, axis]) > 1e-12
        mine, others = rest[here], rest[~here]
        systems.append(mine)
        if axis == discrete:
            break
        scaled = mine / mine[:, axis : axis + 1]
        first, second = np.triu_indices(len(scaled), 1)
        rest = _distinct(np.vstack((others, scaled[first] - scaled[second])))
    return systems[::-1]


def _distinct(planes: Array) -> Array:
    size = np.max(np.abs(planes[:, :-1]), axis=1, initial=0.0)
    planes = planes[size > 1e-12]
    if len(planes) == 0:
        return planes
    lead = np.take_along_axis(planes, np.argmax(np.abs(planes[:, :-1]) > 1e-12, axis=1)[:, None], axis=1)
    found = planes / lead
    return found[np.unique(np.round(found, 9), axis=0, return_index=True)[1]]


def _extended(values: Array, weights: Array, law: ScalarLaw, planes: Array, level: int) -> tuple[Array, Array]:
    """One more noise: for every node so far a rule on the new axis, split at the planes given that node's values."""
    axis = len(values)
    cuts = -(planes[:, :axis] @ values + planes[:, -1:]) / planes[:, axis : axis + 1]  # (planes, theta)
    if len(planes) == 0 or not np.any(planes[:, :axis]):
        x, w = _split(law, np.unique(cuts[:, 0]) if len(planes) else np.zeros(0), level)
        values = np.vstack((np.repeat(values, len(x), axis=1), np.tile(x, len(weights))))
        return values, np.repeat(weights, len(x)) * np.tile(w, len(weights))
    rules = [_split(law, np.unique(cuts[:, i]), level) for i in range(len(weights))]
    counts = [len(x) for x, _ in rules]
    values = np.vstack((np.repeat(values, counts, axis=1), np.concatenate([x for x, _ in rules])))
    return values, np.repeat(weights, counts) * np.concatenate([w for _, w in rules])


def _split(law: ScalarLaw, cuts: Array, level: int) -> tuple[Array, Array]:
    """A rule for the law in pieces between the cuts."""
    order = ORDERS[level]
    low, high = law.effective_support(1e-20)
    inner = cuts[(cuts > low) & (cuts < high)]
    inner = inner[np.diff(inner, prepend=-math.inf) > 1e-9 * law.scale]
    ends = [law.support[0], *inner.tolist(), law.support[1]]
    width = min(high - low, 12 * law.scale)
    found = []
    for a, b in pairwise(ends):
        if float(law.between(a, b)) < 1e-22:
            continue
        part = min(1.0, (min(b, high) - max(a, low)) / width)
        # a whole law has `order` nodes; a short piece needs few, but more at every level
        n = 1 + level + math.ceil(order * (0.9 * part + 0.1 * math.sqrt(part)))
        n = min(order, n)
        # odd, even, odd, ..: two even rules agree on a step in the gap in their middle, wherever in it the step is
        found.append(rule(law, a, b, n + (n + level + 1) % 2))
    x = np.concatenate([x for x, _ in found])
    w = np.concatenate([w for _, w in found])
    return x, w / w.sum()
