"""Random programs that learn: minimisers of convex sums over records with noise on the result or in the objective, and
Gaussian sums over Poisson samples; with their losses by ternary search, finite differences and quadrature.

Parameters are vectors of one coordinate, so that a minimiser is found, and a density known, by plain arithmetic.
"""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from random_programs.inputs import Inputs
from random_programs.meaning import State, Undefined, value
from random_programs.showing import entry
from random_programs.syntax import (
    RECORDS,
    E,
    Field,
    Noise,
    Program,
    Statement,
    call,
    changed,
    copied,
    index,
    name,
    num,
    op,
    upto,
    var,
)

Array = NDArray[np.float64]
REACH = 6.0


class Learner:
    """Losses that are convex in the bound variable `v`, a vector of one coordinate."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.count = itertools.count(1)
        self.v = next(self.count)

    def margin(self, i: int | None) -> E:
        """Linear in v; `i` is the record that is read."""
        r = self.rng
        x, y = (index(name(n), var(i)) if i is not None else num(1.0) for n in ("x", "y"))
        product = call("dot", var(self.v), x if i is not None else var(self.v))
        if i is None:
            return index(var(self.v), num(1.0))
        roll = r.random()
        if roll < 0.5:
            return op("*", y, product)
        if roll < 0.7:
            return op("-", product, y)
        return op("*", num(float(r.choice([1, 2, -1]))), product)

    def loss(self, depth: int, i: int, bound: tuple[int, ...] = ()) -> E:
        r = self.rng
        roll = r.random()
        if depth <= 0 or roll < 0.35:
            return self.atom(i)
        if roll < 0.6:
            k, n = next(self.count), r.choice([1, 2, 3, 3])
            body = self.loss(depth - 1, i, (*bound, k))
            if r.random() < 0.3:
                body = op("*", var(k), body)
            where = () if r.random() < 0.8 else (op(r.choice(["<=", "!="]), var(k), num(2.0)),)
            return E(
                "fold",
                (body, upto(num(1.0), num(float(n))), *where),
                (r.choice(["sum", "sum", "max"]) if not where else "sum", k),
            )
        if roll < 0.75:
            return op("+", self.loss(depth - 1, i, bound), self.loss(depth - 1, i, bound))
        if roll < 0.85:
            factor = var(r.choice(bound)) if bound and r.random() < 0.5 else num(float(r.choice([2, 3, 0.5])))
            return op("*", factor, self.loss(depth - 1, i, bound))
        if roll < 0.92:
            return E("if", (op(">=", index(name("y"), var(i)), num(0.0)), self.loss(depth - 1, i, bound), self.atom(i)))
        return call("max", self.loss(depth - 1, i, bound), self.atom(i))

    def atom(self, i: int) -> E:
        roll, m = self.rng.random(), self.margin(i)
        if self.smooth or roll < 0.4:
            return call("log", op("+", num(1.0), call("exp", call("-", m))))
        if roll < 0.75:
            return call("max", num(0.0), op("-", num(1.0), m))
        return call("abs", m)

    smooth = False

    def objective(self, depth: int) -> E:
        r = self.rng
        i = next(self.count)
        body = self.loss(depth, i)
        where = () if r.random() < 0.85 else (op("<=", index(name("y"), var(i)), num(0.0)),)
        total = E("fold", (body, RECORDS, *where), ("sum" if where or r.random() < 0.7 else "mean", i))
        if r.random() < 0.25:
            k = next(self.count)
            total = E("fold", (total, upto(num(1.0), num(float(r.choice([2, 3]))))), ("sum", k))
        elif r.random() < 0.2:
            total = op("*", num(float(r.choice([2, 0.5]))), total)
        strength = float(r.choice([0.5, 1, 2]))
        return op("+", total, op("*", num(strength), call("dot", var(self.v), var(self.v))))


def learning_program(seed: int) -> Program:
    """One program; its tag says which kind: minimiser, objective, sample."""
    rng = random.Random(seed)
    kind = rng.choice(["minimiser", "objective", "sample"])
    x = Field("x", "[-1, 1] ^ 1", ((-1.0,), (0.0,), (1.0,)))
    y = Field("y", "{-1, 1}", (-1.0, 1.0))
    size = rng.choice([1, 2, 2])
    adjacency: tuple[Any, ...] = rng.choice([("replace", 1), ("replace", 1), ("add or remove", 1)])
    learner = Learner(rng)
    noises: tuple[Noise, ...]
    if kind == "sample":
        return _sampling(rng, y, adjacency)
    learner.smooth = kind == "objective"
    objective = learner.objective(rng.choice([0, 1, 2, 2]))
    if kind == "objective":
        z = name("z")
        objective = op("+", objective, op("*", num(rng.choice([1.0, 1.0, 2.0])), call("dot", z, var(learner.v))))
        noises = (Noise(("l2_laplace", 1.0, 1.0), (), "once", "z"),)
    else:
        noises = (Noise((rng.choice(["l2_laplace", "laplace", "gaussian"]), 1.0), ("w",)),)
    least = E("minimise", (objective, num(1.0)), ("argmin", learner.v))
    statements = (Statement("statistic", "w", least), Statement("stop", value=name("w")))
    return Program(
        "dataset", (x, y), size, 1, adjacency, statements, noises, letters=rng.randrange(10**6), tags=frozenset({kind})
    )


def _sampling(rng: random.Random, y: Field, adjacency: tuple[Any, ...]) -> Program:
    i, k = 1, 2
    x = Field("x", "[-1, 1]", (-1.0, 0.0, 1.0))
    rate = rng.choice([0.1, 0.3, 0.5])

    def part(depth: int, bound: tuple[int, ...]) -> E:
        nonlocal k
        roll = rng.random()
        if depth == 0 or roll < 0.3:
            leaf = rng.choice([index(name("x"), var(i)), index(name("x"), var(i)), index(name("y"), var(i))])
            return op("*", leaf, var(rng.choice(bound))) if bound and rng.random() < 0.4 else leaf
        k += 1
        v = k
        if roll < 0.55:
            return E(
                "fold",
                (part(depth - 1, (*bound, v)), upto(num(1.0), num(float(rng.choice([1, 2, 3]))))),
                (rng.choice(["sum", "sum", "max", "min"]), v),
            )
        if roll < 0.7:
            return call("clip", part(depth - 1, bound), num(-1.0), num(1.0))
        if roll < 0.8:
            return op(rng.choice(["+", "-", "*"]), part(depth - 1, bound), part(depth - 1, bound))
        if roll < 0.9:
            return E("if", (op(">=", part(0, bound), num(0.0)), part(depth - 1, bound), part(0, bound)))
        return call("max", part(depth - 1, bound), part(0, bound))

    total = E("fold", (part(rng.choice([0, 1, 2, 3]), ()), name("batch")), ("sum", i))
    roll = rng.random()
    if roll < 0.2:
        k += 1
        total = E("fold", (total, upto(num(1.0), num(float(rng.choice([2, 3]))))), ("sum", k))
    elif roll < 0.35:
        total = op(rng.choice(["+", "*", "/"]), total, num(2.0))
    steps = rng.choice([1, 1, 2])
    statements = (
        Statement("draw", "batch", E("sample", (RECORDS,), (rate,))), Statement("report", "g", total),
        Statement("stop", when=op(">=", E("step"), num(float(steps)))),
    )  # fmt: skip
    scale, size, letters = rng.choice([0.5, 1.0, 2.0]), rng.choice([1, 2]), rng.randrange(10**6)
    noise = Noise((rng.choice(["gaussian", "laplace"]), scale), ("g",))
    return Program(
        "dataset", (x, y), size, steps, adjacency, statements, (noise,), letters=letters, tags=frozenset({"sample"})
    )


# ---- the losses


def _state(program: Program, inputs: Inputs, rows: Array) -> State:
    """One place for each of `rows` (numbers of inputs)."""
    state = State(program, {}, inputs.count[rows], step=1)
    for f in program.fields:
        table = inputs.entries[f.name][rows]
        state.scope[f.name] = [entry(table[:, i]) for i in range(table.shape[1])]
    return state


def _objective(program: Program, inputs: Inputs, e: E, rows: Array) -> Any:
    state = _state(program, inputs, rows)
    state.scope["z"] = [0.0]

    def at(v: Array) -> Array:
        state.bound = {e.data[-1]: [v]}
        return np.asarray(np.broadcast_to(value(e.parts[0], state), rows.shape), dtype=float)

    return at


def minimisers(program: Program, inputs: Inputs, e: E) -> Array:
    """The minimiser for each input."""
    rows = np.arange(len(inputs.count))
    f = _objective(program, inputs, e, rows)
    low, high = np.full(len(rows), -40.0), np.full(len(rows), 40.0)
    for _ in range(120):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        less = f(a) <= f(b)
        low, high = np.where(less, low, a), np.where(less, b, high)
    return (low + high) / 2


def density_loss(program: Program, inputs: Inputs, e: E) -> float:
    """The largest log ratio of densities of the minimiser under a random linear term. With F what is minimised less
    that term, the draw that gives v is -F'(v) / factor; v has the density of the draw there times F''(v) / factor."""
    factor = _factor(e.parts[0])
    points = np.linspace(-REACH, REACH, 61) + 0.0123
    h = 1e-3
    size = len(inputs.count)
    rows = np.repeat(np.arange(size), len(points))
    v = np.tile(points, size)
    f = _objective(program, inputs, e, rows)
    below, here, above = f(v - h), f(v), f(v + h)
    slope, bend = (above - below) / (2 * h), (above - 2 * here + below) / h**2
    if np.any(bend <= 1e-3):
        raise Undefined
    scale = program.noises[0].law[1]
    table = (-np.abs(slope / factor) / scale + np.log(bend / factor)).reshape(size, len(points))
    return float(np.abs(table[inputs.first] - table[inputs.second]).max()) if len(inputs.first) else 0.0


def _factor(e: E) -> float:
    """Of the noise: `objective + factor * dot(z, v)`."""
    if e.kind == "op" and e.parts[1].kind == "op" and e.parts[1].parts[0].kind == "num":
        dot = e.parts[1].parts[1]
        if dot.kind == "call" and dot.parts[0].kind == "name":
            return float(e.parts[1].parts[0].data[0])
    raise Undefined


def sample_losses(program: Program, inputs: Inputs, orders: tuple[float, ...]) -> tuple[float, tuple[float, ...]]:
    """Of the released sum over a Poisson sample, for all rounds together: the pure loss (with Laplace noise) and the
    divergences. The law of one round is a mixture of the noise's laws, one for each sample; the rounds are independent.
    """
    program = changed(program, copied)
    draw, report = program.statements[:2]
    assert draw.value is not None and report.value is not None
    rate, (family, scale) = draw.value.data[0], program.noises[0].law
    reach = 10 if family == "gaussian" else 30
    size = program.size
    means, weights = [], []
    for chosen in itertools.product((0, 1), repeat=size):
        state = _state(program, inputs, np.arange(len(inputs.count)))
        members = [float(i + 1) for i in range(size) if chosen[i]]
        e = _sampled(report.value, members)
        present = inputs.count
        weight = np.ones(len(present))
        for i in range(size):
            chance = np.where(present > i, rate if chosen[i] else 1 - rate, 0.0 if chosen[i] else 1.0)
            weight = weight * chance
        means.append(np.broadcast_to(value(e, state), present.shape))
        weights.append(weight)
    table, weight = np.stack(means, axis=1), np.stack(weights, axis=1)
    grid = np.linspace(table.min() - reach * scale, table.max() + reach * scale, 6001)
    density = np.zeros((len(table), len(grid)))
    for m in range(table.shape[1]):
        z = (grid - table[:, m : m + 1]) / scale
        if family == "gaussian":
            density += weight[:, m : m + 1] * np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
        else:
            density += weight[:, m : m + 1] * np.exp(-np.abs(z)) / 2
    log = np.log(density / scale + 1e-300)
    step = grid[1] - grid[0]
    worst = []
    pure = float(np.abs(log[inputs.first] - log[inputs.second]).max(initial=0.0)) if family == "laplace" else 0.0
    for order in orders:
        found = [0.0]
        for a, b in zip(inputs.first.tolist(), inputs.second.tolist(), strict=True):
            for p, q in ((a, b), (b, a)):
                keep = (log[p] > -200) & (log[q] > -200)
                total = np.logaddexp.reduce(order * log[p][keep] + (1 - order) * log[q][keep]) + math.log(step)
                found.append(float(total) / (order - 1))
        worst.append(program.steps * max(found))
    return program.steps * pure, tuple(worst)


def _sampled(e: E, members: list[float]) -> E:
    """The sample's name replaced by its members (none: an empty range)."""
    if e.kind == "name" and e.data[0] == "batch":
        return E("set", tuple(num(m) for m in members)) if members else upto(num(1.0), num(0.0))
    return e.with_parts(tuple(_sampled(p, members) for p in e.parts))
