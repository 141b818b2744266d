"""Walks with continuous data, finite chains with traps, and noise that is drawn anew at each report, with their laws.

A walk is followed on a grid that is much finer than its steps, twice; a chain is solved in fractions; the times between
two reports are independent, with a geometric law where the noise is given.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import signal

from random_programs.stop_laws import Law
from random_programs.ways_to_stop import Noise, number

Array = Any
FINE = (101, 201)
"""Points of the grid for each unit."""


@dataclass(frozen=True)
class Case:
    """`text` lacks its claims; `known`: (expression, value, error)."""

    text: str
    known: tuple[tuple[str, float, float], ...]


# ---- walks


def walk(rng: random.Random) -> Case:
    """A sum of continuous data between two ends, with noise or without."""
    unit = rng.choice([0.5, 1.0])
    family, law = rng.choice(
        [
            (f"normal({number(m)}, {number(sd)})", ("gaussian", sd, m))
            for m, sd in [(0.0, unit), (0.25, unit), (-0.5, 2 * unit)]
        ]
        + [(f"uniform({number(-unit)}, {number(2 * unit)})", ("uniform", -unit, 2 * unit))]
    )
    clipped = rng.random() < 0.3
    up, down = (rng.choice([1, 3, 5]) * unit / 2 for _ in range(2))
    last = rng.choice([1, 2, 4, 8])
    noise = rng.choice([None, None, ("laplace", 0.5), ("gaussian", 0.5), ("logistic", 0.25)])
    once = noise is not None and not clipped and rng.random() < 0.4
    shape = rng.choice(["both", "both", "up", "inside", "outside"])
    body = f"clip(x, {number(-unit)}, {number(unit)})" if clipped else "x"
    strict = rng.choice([">=", ">"])
    more = "" if noise is None else " + w"
    stops = {
        "both": f"stop when s{more} {strict} {number(up)} return a\nstop when s{more} <= {number(-down)} return b\n",
        "up": f"stop when s{more} {strict} {number(up)} return a\n",
        "inside": f"stop when abs(s{more}) <= {number(up)} return a\n",
        "outside": f"stop when max(s{more}, {number(-down)}) {strict} {number(up)} or s{more} < {number(-down)}"
        " return a\n",
    }[shape]
    drawn = "" if noise is None else Noise("w", noise, once).text + "\n"
    if shape == "outside" and noise is not None:
        stops = stops.replace(f"max(s{more}, {number(-down)})", f"s{more}")
    text = (
        f"algorithm tried\nstream x in real\nmodel m: x ~ {family}\n{drawn}statistic s = sum({body} over steps)\n"
        f"{stops}stop when step >= {last} return late\n"
    )
    coarse, fine = (_walked(law, clipped, unit, up, down, last, noise, once, shape, n) for n in FINE)
    known = []
    for (name, a), (_, b) in zip(coarse, fine, strict=True):
        known.append((name, b + (b - a) / 3, 2 * abs(b - a) + 1e-9))
    return Case(text, tuple(known))


def _walked(
    law: tuple[Any, ...], clipped: bool, unit: float, up: float, down: float, last: int, noise: Any, once: bool,
    shape: str, points: int,
) -> list[tuple[str, float]]:  # fmt: skip
    """The law on a grid of unit / points: (expression, value)."""
    h = unit / points
    base = Law(law[:2] if law[0] == "gaussian" else law)
    mean = law[2] if law[0] == "gaussian" else 0.0
    reach = 9 * law[1] + abs(mean) if law[0] == "gaussian" else 2 * unit
    far = points if clipped else math.ceil(reach / h) + 1
    grid = np.arange(-far, far + 1)
    low, high = (grid - 0.5) * h - mean, (grid + 0.5) * h - mean
    if clipped:
        low[0], high[-1] = -np.inf, np.inf
    chances = base.between(low, high)
    nodes: list[tuple[float, float]] = [(0.0, 1.0)]
    if once:
        own = Law(noise)
        a, b = own.frozen.ppf(1e-12), own.frozen.isf(1e-12)
        x, w = np.polynomial.legendre.leggauss(10)
        nodes = []
        for first, second in itertools.pairwise(sorted([a, a / 4, a / 16, 0.0, b / 16, b / 4, b])):
            at = (first + second) / 2 + (second - first) / 2 * x
            nodes += list(zip(at.tolist(), ((second - first) / 2 * w * own.density(at)).tolist(), strict=True))
    table = np.zeros((last, 3))
    for z, weight in nodes:
        mass, first = np.ones(1) * weight, 0
        for step in range(last):
            mass = np.maximum(signal.fftconvolve(mass, chances), 0.0)
            first -= far
            s = (first + np.arange(len(mass))) * h
            ends = _ends(s, z, h, up, down, noise if not once else None, shape)
            table[step, 0] += ends[0] @ mass
            table[step, 1] += ends[1] @ mass
            mass = mass * (1 - ends[0] - ends[1])
        table[-1, 2] += mass.sum()
    names = ["a", "b"] if shape == "both" else ["a"]
    found = [(f"probability({n})", float(table[:, i].sum())) for i, n in enumerate(names)]
    found += [("probability(late)", float(table[:, 2].sum()))]
    found += [("expected(step)", float(np.arange(1, last + 1) @ table.sum(axis=1)))]
    found += [(f"probability(step <= {k})", float(table[:k].sum())) for k in range(1, last)]
    found += [(f"probability(step <= {k} and a)", float(table[:k, 0].sum())) for k in range(1, last)]
    return found


def _ends(s: Array, z: float, h: float, up: float, down: float, noise: Any, shape: str) -> tuple[Array, Array]:
    """The chances to stop at `a` and `b` at each sum, which stands for a cell of width h."""

    def above(bound: float) -> Array:
        """P(s + noise >= bound)."""
        if noise is None:
            return np.clip((s + z + h / 2 - bound) / h, 0.0, 1.0)
        return Law(noise).frozen.sf(bound - s)

    high, low = above(up), 1 - above(-down)
    match shape:
        case "both":
            return high, low
        case "up":
            return high, 0 * high
        case "inside":
            return np.maximum(0.0, above(-up) - high), 0 * high
    return np.minimum(1.0, high + low), 0 * high


# ---- chains


def chain(rng: random.Random) -> Case:
    """A memory that counts reports up to 3, and stops that ask for some of its values: often a trap."""
    p = Fraction(rng.randint(1, 9), 10)
    ratio = rng.choice([Fraction(1, 2), Fraction(1, 4), Fraction(1, 10)])
    cut = rng.choice([0, 1, 2, 3, 6, 10, 14])
    strict = rng.choice([">=", ">"])
    asks = rng.choice(
        [["x == 1 and k == 0"], ["k >= 3"], ["x == 1 and k == 0", "k >= 3"], ["k == 1 and u >= 1", "k >= 2 and x == 0"]]
    )
    lines = [
        "algorithm tried", "stream x in {0, 1}", f"model m: x ~ bernoulli({p})", f"draw u ~ geometric({ratio})",
        "memory k = 0", f"report r when x + u {strict} {cut}",
    ]  # fmt: skip
    resets = rng.random() < 0.3
    lines += [f"report q when x - u {strict} {cut}"] if resets else []
    lines += ["update k = min(k + 1, 3) when r"] + (["update k = 0 when q"] if resets else [])
    lines += [f"stop when {ask} return {label}" for ask, label in zip(asks, "ab", strict=False)]

    def over(value: int) -> bool:
        return value >= cut if strict == ">=" else value > cut

    values = range(-cut - 3, cut + 4)  # the ends stand for all beyond
    moves: dict[tuple[int, int], Fraction] = {}
    ends: dict[tuple[int, int], Fraction] = {}
    for k in range(4):
        for x, px in ((0, 1 - p), (1, p)):
            for u in values:
                chance = px * _geometric(ratio, u, values)
                now = min(k + 1, 3) if over(x + u) else k
                now = 0 if resets and over(x - u) else now
                for i, ask in enumerate(asks):
                    if eval(ask, {"x": x, "u": u, "k": now}):  # the same words mean the same in Python
                        ends[k, i] = ends.get((k, i), Fraction(0)) + chance
                        break
                else:
                    moves[k, now] = moves.get((k, now), Fraction(0)) + chance
    known = _chain_law(moves, ends, len(asks))
    return Case("\n".join([*lines, ""]), known)


def _geometric(ratio: Fraction, u: int, values: range) -> Fraction:
    own = (1 - ratio) / (1 + ratio) * ratio ** abs(u)
    return own / (1 - ratio) if u in (values[0], values[-1]) else own


def _chain_law(moves: Any, ends: Any, width: int) -> tuple[tuple[str, float, float], ...]:
    reached = {0}
    while True:
        more = {b for (a, b), chance in moves.items() if a in reached and chance > 0} - reached
        if not more:
            break
        reached |= more
    can = {a for (a, _), chance in ends.items() if chance > 0}
    while True:
        more = {a for (a, b), chance in moves.items() if b in can and chance > 0} - can
        if not more:
            break
        can |= more
    order = sorted(reached & can)
    known: list[tuple[str, float, float]] = []
    whole = Fraction(0)
    for i in range(width):
        found = _solved(order, moves, [ends.get((a, i), Fraction(0)) for a in order])
        value = found[order.index(0)] if 0 in order else Fraction(0)
        whole += value
        known.append((f"probability({'ab'[i]})", float(value), 1e-15))
    known.append(("probability(stops)", float(whole), 1e-15))
    steps = math.inf if not reached <= can else float(_solved(order, moves, [Fraction(1)] * len(order))[order.index(0)])
    known += [("expected(step)", steps, 1e-15), ("expected(step)", steps, 1e-15)]
    mass, total = {0: Fraction(1)}, Fraction(0)
    for step in range(1, 5):
        total += sum(m * ends.get((a, i), Fraction(0)) for a, m in mass.items() for i in range(width))
        mass = {b: sum((m * moves.get((a, b), Fraction(0)) for a, m in mass.items()), Fraction(0)) for b in range(4)}
        known.append((f"probability(step <= {step})", float(total), 1e-15))
    return tuple(known)


def _solved(order: list[int], moves: Any, right: list[Fraction]) -> list[Fraction]:
    """v with v = right + moves v, by elimination."""
    n = len(order)
    rows = [
        [Fraction(int(i == j)) - moves.get((a, b), Fraction(0)) for j, b in enumerate(order)] + [right[i]]
        for i, a in enumerate(order)
    ]
    for i in range(n):
        pivot = next(r for r in range(i, n) if rows[r][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [v / rows[i][i] for v in rows[i]]
        for r in range(n):
            if r != i and rows[r][i] != 0:
                rows[r] = [v - rows[r][i] * w for v, w in zip(rows[r], rows[i], strict=True)]
    return [row[-1] for row in rows]


# ---- noise that is drawn anew at each report


def renewed(rng: random.Random) -> Case:
    """Reports of noisy entries above a noisy bound, up to some number of them."""
    p = Fraction(rng.randint(1, 9), 10)
    top = rng.choice([1, 2])
    bound = rng.choice([0.0, 0.5, 1.0, 2.0])
    kept: Any = rng.choice(
        [
            ("laplace", 1.0),
            ("gaussian", 1.0),
            ("exponential", 0.5),
            ("geometric", 0.5),
            ("uniform", -1.0, 1.0),
            ("logistic", 0.5),
        ]
    )
    fresh: Any = rng.choice([None, ("laplace", 1.0), ("gaussian", 0.5), ("geometric", 0.25), ("logistic", 1.0)])
    many, last = rng.choice([1, 2, 3]), rng.choice([2, 4, 8, 12])
    lines = [
        "algorithm tried", f"stream x in {{0, {top}}}", f"model m: x ~ {{0: {1 - p}, {top}: {p}}}",
        f"let T = {number(bound)}", "report r when x >= T", f"stop when count(r over steps) >= {many} return a",
        f"stop when step >= {last} return late",
        f"attach {Noise('', kept, False).text.split('~ ')[1]} to T each r",
    ]  # fmt: skip
    lines += [] if fresh is None else [f"attach {Noise('', fresh, False).text.split('~ ')[1]} to x"]
    known = []
    coarse, fine = (_renewed(kept, fresh, float(p), top, bound, many, last, order) for order in (14, 24))
    for (name, a), (_, b) in zip(coarse, fine, strict=True):
        known.append((name, b, 20 * abs(a - b) + 1e-11))
    return Case("\n".join([*lines, ""]), tuple(known))


def _renewed(
    kept: Any, fresh: Any, p: float, top: int, bound: float, many: int, last: int, order: int
) -> list[tuple[str, float]]:
    law = Law(kept)
    if law.discrete:
        at, weights = law.values.astype(float), law.chances
    else:
        low, high = law.reach()
        kinks = {x - bound + d for x in (0, top) for d in (range(-40, 41) if fresh and Law(fresh).discrete else (0,))}
        ends = np.array(
            sorted({low, high, *(k for k in {*kinks, *law.kinks, *np.linspace(low, high, 30)} if low < k < high)})
        )
        points, own = np.polynomial.legendre.leggauss(order)
        half = np.diff(ends) / 2
        at = ((ends[:-1] + half)[:, None] + half[:, None] * points).ravel()
        weights = (half[:, None] * own * law.density(at.reshape(len(half), -1))).ravel()
    rate = (1 - p) * _at_least(fresh, bound + at) + p * _at_least(fresh, bound + at - top)
    between = [float(weights @ ((1 - rate) ** (n - 1) * rate)) for n in range(1, last + 1)]
    first = np.zeros(last + 1)
    first[0] = 1.0
    for _ in range(many):
        later = np.zeros(last + 1)
        for n, chance in enumerate(between, 1):
            later[n:] += chance * first[: last + 1 - n]
        first = later
    ends_in = first[1:]
    late = 1 - ends_in.sum()
    found = [("probability(a)", float(ends_in.sum())), ("probability(late)", float(late))]
    found += [("expected(step)", float(np.arange(1, last + 1) @ ends_in + last * late))] * 2
    found += [(f"probability(step <= {k})", float(ends_in[:k].sum())) for k in range(1, last)]
    return found


def _at_least(law: Any, bound: Array) -> Array:
    if law is None:
        return (bound <= 0) * 1.0
    own = Law(law)
    if not own.discrete:
        return own.frozen.sf(bound)
    return (own.chances * (own.values >= np.asarray(bound)[:, None])).sum(axis=1)


CASES: dict[str, Callable[[random.Random], Case]] = {"walk": walk, "chain": chain, "renewed": renewed}
