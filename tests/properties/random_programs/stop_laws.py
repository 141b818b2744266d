"""The law of (step, label) of a program of `ways_to_stop`, found without seqlang.

Noises are cut where some comparison may change. Between two cuts nothing depends on where the noise lies: the law is
a finite sum. Where a noise that is kept meets a fresh one, the kept one is integrated over by Gauss-Legendre rules
between those cuts, twice, and the difference is the error. Programs without a last step remember nothing: given the
noises that are kept, the step is geometric.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from random_programs.ways_to_stop import Compared, Condition, Noise, Program, compared_in

Array = Any


# ---- laws of noises


class Law:
    """Tails from the side where they are small; `atoms` of a discrete law."""

    def __init__(self, law: tuple[Any, ...]) -> None:
        self.law = law
        self.discrete = law[0] in ("geometric", "discrete_gaussian", "poisson", "listed")
        self.ends = (-math.inf, math.inf)
        self.kinks: tuple[float, ...] = ()
        match law:
            case ("laplace", b):
                self.frozen, self.kinks = stats.laplace(scale=b), (0.0,)
            case ("gaussian", sd):
                self.frozen = stats.norm(scale=sd)
            case ("gumbel", b):
                self.frozen = stats.gumbel_r(scale=b)
            case ("logistic", b):
                self.frozen = stats.logistic(scale=b)
            case ("exponential", mean):
                self.frozen, self.kinks, self.ends = stats.expon(scale=mean), (0.0,), (0.0, math.inf)
            case ("uniform", low, high):
                self.frozen, self.kinks, self.ends = stats.uniform(low, high - low), (low, high), (low, high)
            case ("conditioned", ("geometric", ratio), low, high):
                self.discrete = True
                self.values = np.arange(math.ceil(low), math.floor(high) + 1)
                self.chances = ratio ** np.abs(self.values) * 1.0
                self.chances /= self.chances.sum()
            case ("conditioned", inner, low, high):
                self.inner = Law(inner)
                self.ends = (low, high)
                self.kinks = (*(k for k in self.inner.kinks if low < k < high), low, high)
                self.total = float(self.inner.between(np.array(low), np.array(high)))
            case ("geometric", ratio):
                far = math.ceil(-46 * math.log(10) / math.log(ratio)) + 2
                self.values = np.arange(-far, far + 1)
                self.chances = (1 - ratio) / (1 + ratio) * ratio ** np.abs(self.values)
            case ("discrete_gaussian", sd):
                far = math.ceil(15 * sd) + 2
                self.values = np.arange(-far, far + 1)
                self.chances = np.exp(-(self.values**2) / (2 * sd * sd))
                self.chances /= self.chances.sum()
            case ("poisson", mean):
                self.values = np.arange(0, 60)
                self.chances = stats.poisson(mean).pmf(self.values)
            case ("listed", pairs):
                self.values = np.array([v for v, _ in pairs])
                self.chances = np.array([float(p) for _, p in pairs])

    def between(self, low: Array, high: Array) -> Array:
        """P(low < X < high) of a law with a density."""
        if self.law[0] == "conditioned":
            a, b = (np.clip(e, *self.ends) for e in (low, high))
            return self.inner.between(a, b) / self.total
        right = np.asarray(low) > self.frozen.median()
        up = self.frozen.sf(low) - self.frozen.sf(high)
        return np.maximum(0.0, np.where(right, up, self.frozen.cdf(high) - self.frozen.cdf(low)))

    def density(self, x: Array) -> Array:
        if self.law[0] == "conditioned":
            inside = (x >= self.ends[0]) & (x <= self.ends[1])
            return np.where(inside, self.inner.density(x) / self.total, 0.0)
        return self.frozen.pdf(x)

    def reach(self) -> tuple[float, float]:
        """Nearly all of a law with a density lies between."""
        if self.law[0] == "conditioned":
            low, high = self.inner.reach()
            return max(low, self.ends[0]), min(max(high, self.ends[0] + 1), self.ends[1])
        low, high = self.ends
        return (low if math.isfinite(low) else float(self.frozen.ppf(1e-17))), (
            high if math.isfinite(high) else float(self.frozen.isf(1e-17))
        )


# ---- conditions


def _value(c: Compared, given: dict[str, Array]) -> Array:
    found: Array = 0.0
    for name, factor in c.by:
        found = found + factor * given[name]
    return np.abs(found) if c.absolute else found


def holds(c: Condition, given: dict[str, Array]) -> Array:
    match c:
        case ("compare", Compared() as one):
            value = np.asarray(_value(one, given))
            return {">=": value >= one.bound, ">": value > one.bound, "<=": value <= one.bound, "<": value < one.bound}[
                one.operator
            ]
        case ("not", inner):
            return ~holds(inner, given)  # type: ignore[arg-type]
        case ("and", left, right):
            return holds(left, given) & holds(right, given)  # type: ignore[arg-type]
        case ("or", left, right):
            return holds(left, given) | holds(right, given)  # type: ignore[arg-type]
    raise AssertionError(c)


def cuts(c: Compared, name: str, given: dict[str, Array]) -> list[Array]:
    """The values of a noise at which the comparison changes, where all else is given."""
    factor = c.of(name)
    if factor == 0:
        return []
    rest: Array = 0.0
    for other, by in c.by:
        if other != name:
            rest = rest + by * given[other]
    ends = (c.bound, -c.bound) if c.absolute else (c.bound,)
    return [(end - rest) / factor for end in ends]


# ---- one step


def step_law(program: Program, given: dict[str, Array], shape: tuple[int, ...]) -> Array:
    """(stops, *shape): the chance of each stop in a step, where the sum, the entry, the step and the noises that are
    kept are given; over fresh noises."""
    fresh = [n for n in program.noises if not n.once]
    laws = [Law(n.law) for n in fresh]
    comparisons = [c for s in program.stops for c in compared_in(s.condition)]
    axes: list[list[tuple[Array, Array]]] = []
    for noise, law in zip(fresh, laws, strict=True):
        if law.discrete:
            axes.append(
                [(np.full(shape, float(v)), np.full(shape, p)) for v, p in zip(law.values, law.chances, strict=True)]
            )
            continue
        # no other fresh noise stands in a comparison that reads this one
        found = [np.broadcast_to(x, shape) for c in comparisons for x in cuts(c, noise.name, given)]
        ends = np.sort(np.array([np.full(shape, -np.inf), *found, np.full(shape, np.inf)]), axis=0)
        axes.append([(_inside(a, b), law.between(a, b)) for a, b in itertools.pairwise(ends)])
    chances = np.zeros((len(program.stops), *shape))
    for cell in itertools.product(*axes):
        weight: Array = np.ones(shape)
        here = dict(given)
        for noise, (value, chance) in zip(fresh, cell, strict=True):
            here[noise.name], weight = value, weight * chance
        going = np.ones(shape, dtype=bool)
        for i, stop in enumerate(program.stops):
            fires = going & np.broadcast_to(holds(stop.condition, here), shape)
            chances[i] += np.where(fires, weight, 0.0)
            going = going & ~fires
    return chances


def _inside(low: Array, high: Array) -> Array:
    with np.errstate(invalid="ignore"):
        middle = np.where(np.isinf(low), high - 1.0, np.where(np.isinf(high), low + 1.0, (low + high) / 2))
    return np.where(np.isinf(low) & np.isinf(high), 0.0, middle)


# ---- noises that are kept


@dataclass(frozen=True)
class Kept:
    """Nodes of the noises that are kept, with their weights; `exact`: nothing is integrated."""

    values: dict[str, Array]
    weights: Array
    exact: bool


def kept_nodes(program: Program, order: int) -> Kept:
    kept = [n for n in program.noises if n.once]
    values: dict[str, Array] = {}
    weights: Array = np.ones(1)
    exact = True
    for noise in kept:
        at, own, sure = _nodes(program, noise, order)
        values = {n: np.repeat(v, len(at)) for n, v in values.items()}
        values[noise.name] = np.tile(at, len(weights))
        weights = np.repeat(weights, len(at)) * np.tile(own, len(weights))
        exact = exact and sure
    return Kept(values, weights, exact)


def _nodes(program: Program, noise: Noise, order: int) -> tuple[Array, Array, bool]:
    law = Law(noise.law)
    if law.discrete:
        return law.values.astype(float), law.chances, True
    fresh = [n.name for n in program.noises if not n.once]
    comparisons = [c for s in program.stops for c in compared_in(s.condition)]
    found: set[float] = set()
    meets = any(c.of(noise.name) and any(c.of(f) for f in fresh) for c in comparisons)
    for c in comparisons:
        for given in _plain_values(program):
            kinks: list[dict[str, float]] = [{}]
            for f in fresh:
                own = Law(next(n.law for n in program.noises if n.name == f))
                at = own.values.tolist() if own.discrete else [0.0, *own.kinks]
                kinks = [{**k, f: x} for k in kinks for x in (at if c.of(f) else [0.0])]
            for k in kinks:
                found |= {float(x) for x in cuts(c, noise.name, {**given, **k})}
    low, high = law.reach()
    if not meets:
        ends = np.array([-np.inf, *sorted(found), np.inf])
        chances = law.between(ends[:-1], ends[1:])
        return _inside(ends[:-1], ends[1:]), chances, True
    inner = sorted({x for x in (*found, *law.kinks, *np.linspace(low, high, 25)) if low < x < high})
    ends = np.array([low, *inner, high])
    points, own_weights = np.polynomial.legendre.leggauss(order)
    half = np.diff(ends) / 2
    at = (ends[:-1] + half)[:, None] + half[:, None] * points
    weights = half[:, None] * own_weights * law.density(at)
    return at.ravel(), weights.ravel(), False


def _plain_values(program: Program) -> list[dict[str, float]]:
    """All combinations of the entry, the step, and the sum that comparisons may see."""
    values = [v for v, _ in program.entries]
    steps = range(1, program.last + 1) if program.last is not None and program.last <= 20 else (1,)
    found = []
    for step in steps:
        sums = range(step * min(values), step * max(values) + 1) if program.sums else (0,)
        found += [{"x": float(x), "step": float(step), "s": float(s)} for x in values for s in sums]
    return found


# ---- the law


@dataclass(frozen=True)
class StopLaw:
    """`by_step` (steps, labels) where all steps are listed; else `rates` (labels, nodes), the chances of each step, and
    `weights`. `error` of a chance."""

    program: Program
    by_step: Array | None
    rates: Array | None
    weights: Array
    exact: bool

    def chance(self, label: str | None, first: int = 1, last: float = math.inf) -> float:
        """P(first <= step <= last and the label is returned); None: any."""
        places = [i for i, one in enumerate(self.program.labels) if label in (None, one)]
        end = self.program.last if self.program.last is not None else math.inf
        if self.by_step is not None:
            upto = int(min(last, end))
            return float(self.by_step[first - 1 : upto][:, places].sum())
        assert self.rates is not None
        found = 0.0
        stop = self.rates.sum(axis=0)
        stop = np.minimum(stop, 1.0)
        upto = min(last, end)
        with np.errstate(divide="ignore", invalid="ignore"):
            log = np.log1p(-stop)
            begun = np.exp((first - 1) * log) if first > 1 else np.ones(len(stop))
            ended = np.exp(upto * log)
            done = np.where(stop > 0, begun - ended, 0.0)
            for i in places:
                found += float(self.weights @ np.where(stop > 0, self.rates[i] / stop * done, 0.0))
            if first <= end <= last and len(self.program.labels) - 1 in places:  # the public stop comes last in a step
                found += float(self.weights @ np.where(stop > 0, np.exp(end * log), 1.0))
        return found

    def steps(self) -> float:
        """E[step]; infinite where it is."""
        if self.by_step is not None:
            return float(np.arange(1, len(self.by_step) + 1) @ self.by_step.sum(axis=1))
        assert self.rates is not None
        stop = np.minimum(self.rates.sum(axis=0), 1.0)
        end = self.program.last
        seen = self.weights > 0
        if end is None:
            if np.any(seen & (stop == 0)):
                return math.inf
            return float(self.weights[seen] @ (1 / stop[seen]))
        with np.errstate(divide="ignore", invalid="ignore"):
            whole = np.where(stop > 1e-300, -np.expm1(end * np.log1p(-stop)) / stop, float(end))
        return float(self.weights @ whole)


def law_of(program: Program, order: int = 12) -> StopLaw:
    kept = kept_nodes(program, order)
    count = len(kept.weights)
    labels = program.labels
    to = np.zeros((len(labels), len(program.stops)))
    for i, stop in enumerate(program.stops):
        to[labels.index(stop.label), i] = 1.0
    if program.last is None or program.last > 20:
        rates: Array = 0.0
        for x, p in program.entries:
            given = {**kept.values, "x": np.full(count, float(x)), "s": np.zeros(count), "step": np.zeros(count)}
            rates = rates + float(p) * step_law(program, given, (count,))
        by_label = to @ rates
        return StopLaw(program, None, by_label, kept.weights, kept.exact)
    alive = {0: kept.weights.copy()}
    table = np.zeros((program.last, len(labels)))
    for step in range(1, program.last + 1):
        after: dict[int, Array] = {}
        for s, mass in alive.items():
            for x, p in program.entries:
                total = s + x if program.sums else 0
                given = {
                    **kept.values, "x": np.full(count, float(x)), "s": np.full(count, float(total)),
                    "step": np.full(count, float(step)),
                }  # fmt: skip
                chances = step_law(program, given, (count,))
                table[step - 1] += to @ (chances @ (mass * float(p)))
                left = mass * float(p) * np.maximum(0.0, 1 - chances.sum(axis=0))
                after[total] = after.get(total, 0.0) + left
        alive = after
        if step == program.last:
            table[step - 1, labels.index("late")] += sum(float(m.sum()) for m in alive.values())
    return StopLaw(program, table, None, kept.weights, kept.exact)
