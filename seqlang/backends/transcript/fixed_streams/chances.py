"""The chances of a step's outcomes: persistent noises are fixed at quadrature nodes, fresh ones enter by their laws.

Persistent noises that no condition connects are integrated apart (`Group`): the chance of a whole transcript is then
the product of one integral a group.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from math import inf

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.solve.noises.laws import law_of, sum_of
from seqlang.backends.solve.noises.scalar_law import ScalarLaw
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.backends.transcript.fixed_streams.nodes import MOST_ENDS, RARE, Axis, axis_nodes, is_exact, rare
from seqlang.backends.transcript.fixed_streams.walk import TIE, Chance, Step, Walk
from seqlang.backends.transcript.integrals.linear_conditions import (
    Alternatives,
    Key,
    LinearCondition,
    Terms,
    components,
    is_shared,
    shared_by,
)
from seqlang.backends.transcript.integrals.noise_laws import NoiseLaw
from seqlang.model.connected import connected
from seqlang.record import record

Array = NDArray[np.float64]
MOST_NODES = 250_000
"""Nodes of one group of noises; a chance has one number for each of them."""
MOST_KINKS = 400
"""Kinks that panels end at; where there are more, panels are made short everywhere instead."""
MOST_KEPT = 30_000_000
"""Numbers in all chances that are kept: a quarter of a gigabyte."""


@record
class Group:
    """Persistent noises that are integrated together: their values at the nodes, the nodes' weights, and a bound on the
    mass that has no nodes."""

    values: dict[Key, Array]
    weights: Array
    missing: float


Seen = tuple[Array, Terms, bool]
"""A condition whose constant is an array over the nodes: what is left of it are fresh noises."""
Plan = tuple[tuple[tuple[Key, Axis], ...], ...]


@record
class Numbers:
    """The chance of one outcome of one step: factor * product over the groups of an array over its nodes. A group that
    does not occur is certain."""

    factor: float
    arrays: dict[int, Array]


class Quadrature:
    """Groups and nodes for these steps of one walk."""

    def __init__(self, walk: Walk, plan: Plan, level: int) -> None:
        self.walk = walk
        self.plan = plan
        self.level = level
        self._numbers: dict[tuple[int, int], Numbers | None] = {}
        self._laws: dict[Terms, ScalarLaw] = {}
        self._kept = 0
        self.groups: list[Group] = []
        self._group_of: dict[Key, int] = {}
        for axes in plan:
            keys = [key for key, _ in axes]
            nodes = [axis_nodes(walk.law(key), axis, level, len(keys)) for key, axis in axes]
            if np.prod([float(len(v)) for v, _ in nodes]) > MOST_NODES:
                raise Unsolved(f"{len(keys)} noises would have to be integrated together")
            for key in keys:
                self._group_of[key] = len(self.groups)
            grid = [g.ravel() for g in np.meshgrid(*[v for v, _ in nodes], indexing="ij")]
            weights = np.ones(())
            for _, w in nodes:
                weights = np.multiply.outer(weights, w)
            kept = _weighty(weights.ravel()) if len(keys) > 1 else np.ones(weights.size, dtype=bool)
            values = {k: g[kept] for k, g in zip(keys, grid, strict=True)}
            tails = [key for key, axis in axes if not is_exact(walk.law(key), axis)]
            cut = 2 * rare(len(keys)) * len(tails) + RARE * (len(keys) > 1)
            self.groups.append(Group(values, weights.ravel()[kept], cut))

    def numbers(self, step: int, which: int) -> Numbers | None:
        """The chance that step number `step` goes on (`which` -1) or ends by its `which`-th stop; None: impossible."""
        if (step, which) not in self._numbers:
            found = self.walk.steps[step]
            chance = found.going if which < 0 else found.stops[which][1]
            if self._kept > MOST_KEPT:
                self._numbers.clear()
                self._kept = 0
            numbers = self._numbers[step, which] = None if chance is None else self._evaluated(chance)
            self._kept += sum(len(a) for a in numbers.arrays.values()) if numbers else 0
        return self._numbers[step, which]

    def _evaluated(self, chance: Chance) -> Numbers:
        factor, arrays = chance.factor, dict[int, Array]()
        for piece in chance.pieces:
            shared = shared_by(piece)
            group = self._group_of[next(iter(shared))] if shared else None
            values = self.groups[group].values if group is not None else {}
            size = len(self.groups[group].weights) if group is not None else 1
            found = sum((self._conjunction(c, values) for c in piece), np.zeros(size))
            if group is None:
                factor *= float(found[0])
            else:
                arrays[group] = arrays[group] * found if group in arrays else found
        return Numbers(factor, arrays)

    def _conjunction(self, conjunction: Sequence[LinearCondition], values: dict[Key, Array]) -> Array:
        result = np.ones(1)
        reduced: list[Seen] = []
        for constant, terms, strict in conjunction:
            at = np.full(1, constant) + sum(f * values[k] for k, f in terms if k in values)
            fresh = tuple((k, f) for k, f in terms if k not in values)
            if fresh:
                reduced.append((at, fresh, strict))
            else:
                result = result * _holds(at, strict)
        for part in _components(reduced):
            result = result * self._fresh(part)
        return result

    def _fresh(self, part: Sequence[Seen]) -> Array:
        """The chance that fresh noises satisfy conditions that are connected by them."""
        keys = {k for _, terms, _ in part for k, _ in terms}
        if len(part) == 1:
            ((constant, terms, strict),) = part
            return self._law(terms).above(-constant, strict)
        if len(keys) > 1:
            return self._shared(part)
        law = self._law(((next(iter(keys)), 1.0),))
        lows = [(-constant / f, strict) for constant, ((_, f),), strict in part if f > 0]
        highs = [(-constant / f, strict) for constant, ((_, f),), strict in part if f < 0]
        if law.discrete and (len({s for _, s in lows}) > 1 or len({s for _, s in highs}) > 1):
            return self._pointwise(part)
        if not highs:
            return law.above(reduce(np.maximum, [x for x, _ in lows]), lows[0][1])
        if not lows:
            return law.below(reduce(np.minimum, [x for x, _ in highs]), highs[0][1])
        low, high = np.broadcast_arrays(
            reduce(np.maximum, [x for x, _ in lows]), reduce(np.minimum, [x for x, _ in highs])
        )
        inside = law.between(low, np.maximum(low, high), lows[0][1], highs[0][1])
        return np.where(low <= high, np.maximum(inside, 0.0), 0.0)

    def _pointwise(self, part: Sequence[Seen]) -> Array:
        """The same for one discrete noise, point by point: some ends count and some do not."""
        points, chances = _masses(self.walk.law(part[0][1][0][0]))
        total = np.zeros(np.broadcast_shapes(*(c.shape for c, _, _ in part)))
        for point, chance in zip(points, chances, strict=True):
            holds = np.ones(total.shape, dtype=bool)
            for constant, ((_, factor),), strict in part:
                holds &= _holds(constant + factor * point, strict)
            total += chance * holds
        return total

    def _shared(self, part: Sequence[Seen]) -> Array:
        """The same for conditions that share one fresh noise beside others: integrated over the shared one."""
        keys = set.intersection(*({k for k, _ in terms} for _, terms, _ in part))
        if not keys:
            raise Unsolved("the fresh noises of a step hang together by more than one shared noise")
        key = min(keys, key=str)
        law = self.walk.law(key)
        blur, cuts = inf, set[float]()
        for constant, terms, _ in part:
            factor = dict(terms)[key]
            others = [abs(f / factor) * self.walk.law(k).scale for k, f in terms if k != key]
            blur = min([blur, *others])
            if constant.size == 1:
                cuts.add(float(-constant[0] / factor))
            elif not others and law.kind == "density":
                raise Unsolved("a fresh noise that is met alone and beside another fresh noise")
        points, weights = axis_nodes(law, Axis(frozenset(cuts), frozenset(), blur / 2), self.level, 1)
        chance = np.ones((1, len(points)))
        left: list[Seen] = []
        for constant, terms, strict in part:
            at = constant[:, None] + dict(terms)[key] * points
            others_left = tuple(t for t in terms if t[0] != key)
            if others_left:
                left.append((at, others_left, strict))
            else:
                chance = chance * _holds(at, strict)
        for together in _components(left):
            chance = chance * self._fresh(together)
        return np.asarray(chance @ weights)

    def _law(self, terms: Terms) -> ScalarLaw:
        """The law of the sum of factor * noise."""
        if terms not in self._laws:
            found = [(law_of(self.walk.raw(key)), factor) for key, factor in terms]
            known = [(law, factor) for law, factor in found if law is not None]
            if len(known) < len(found):
                raise Unsolved(f"the law of {terms[0][0][0]}")
            self._laws[terms] = known[0][0] if found[0][1] == len(found) == 1 else sum_of(known)
        return self._laws[terms]


def _weighty(weights: Array) -> NDArray[np.bool_]:
    """True for all nodes but the lightest, whose weights add up to less than `RARE`."""
    order = np.argsort(weights)
    light = np.cumsum(weights[order]) < RARE
    kept = np.ones(len(weights), dtype=bool)
    kept[order[light]] = False
    return kept


def _holds(margin: Array, strict: bool) -> Array:
    if np.any((margin != 0) & (np.abs(margin) < TIE)):
        raise Unsolved("a comparison of numbers that are nearly equal")
    return np.asarray(margin > 0 if strict else margin >= 0)


def _components(part: Sequence[Seen]) -> list[list[Seen]]:
    """Conditions that share no noise, apart."""
    # the index of a condition takes the place of its constant, which is an array here
    found = components([(float(i), terms, strict) for i, (_, terms, strict) in enumerate(part)])
    return [[part[int(i)] for i, _, _ in together] for together in found]


def plan_of(walk: Walk, steps: Iterable[Step]) -> Plan:
    """The persistent noises of these steps by group, with what is asked of them."""
    pieces = {piece for step in steps for chance in _chances(step) for piece in chance.pieces}
    conditions = {condition for piece in pieces for conjunction in piece for condition in conjunction}
    return tuple(tuple((key, _axis(walk, key, conditions)) for key in keys) for keys in _connected(pieces))


def _masses(law: NoiseLaw) -> tuple[list[float], list[float]]:
    """The points of a discrete law and their chances."""
    points, weights = axis_nodes(law, Axis(frozenset(), frozenset(), inf), 1, 1)
    return points.tolist(), weights.tolist()


def _chances(step: Step) -> list[Chance]:
    return [c for c in (step.going, *[c for _, c in step.stops]) if c is not None]


def _connected(pieces: Iterable[Alternatives]) -> list[list[Key]]:
    """Persistent noises by group, in a fixed order."""
    shared = {frozenset(shared_by(piece)) for piece in pieces}
    groups = [keys for _, keys in connected((keys, keys) for keys in shared if keys)]
    return sorted((sorted(g, key=str) for g in groups), key=str)


def _axis(walk: Walk, key: Key, conditions: Iterable[LinearCondition]) -> Axis:
    """Where the chances of these conditions are not smooth in one persistent noise, and on what length they change."""
    law = walk.law(key)
    cuts: set[float] = set()
    jumps: set[float] = set()
    kinks: set[float] = set()
    blur = inf
    for constant, terms, _ in conditions:
        factor = sum(f for k, f in terms if k == key)
        if factor == 0:
            continue
        others = [(k, f) for k, f in terms if k != key]
        at = -constant / factor
        if not others:
            cuts.add(at)
        for other, f in others:
            if is_shared(other):
                blur = min(blur, law.scale)
                if all(is_shared(k) for k, _ in others) and law.kind == walk.law(other).kind == "density":
                    raise Unsolved("a condition on the sum of several persistent noises, and on no fresh one")
                continue
            seen = walk.law(other)
            blur = min(blur, abs(f / factor) * seen.scale)
            if len(others) > 1 or walk.raw(other)[0] in ("gaussian", "normal"):
                continue
            if seen.kind == "density":
                kinks.update(at - f * b / factor for b in (0.0, *seen.tail_kinks(-1e300, 1e300)))
            elif len(jumps) < MOST_ENDS:
                jumps.update(at - f * b / factor for b in _masses(seen)[0])
    if law.kind != "density":
        return Axis(frozenset(), frozenset(), inf)
    # where the tail of a fresh noise kinks, the chance still has a derivative: many kinks are left to short panels
    if len(kinks) > MOST_KINKS:
        return Axis(frozenset(cuts | jumps), frozenset(), blur / 2)
    return Axis(frozenset(cuts | jumps), frozenset(kinks), blur)
