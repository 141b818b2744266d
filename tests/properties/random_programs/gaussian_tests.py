"""Random programs that show how noisy numbers compare: two statistics with Gaussian noise, and events that say on which
side of a line they lie, in one step or several, some events under others or ending the run.

Given one noisy number the tests cut the other's line into intervals, so that the law of what is shown is an integral
over one Gaussian noise of differences of the normal distribution function, taken between all places where an interval
begins or ends to exist. A number that is released itself is judged by the intervals that it lies in: its loss is at
least that of these.
"""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import ndtr

from random_programs.generate import Maker, Num, Scope
from random_programs.inputs import Inputs
from random_programs.losses import CONCENTRATED
from random_programs.meaning import Undefined
from random_programs.showing import showings
from random_programs.syntax import STEP, E, Field, Noise, Program, Statement, call, free, name, num, op

NODES, WEIGHTS = np.polynomial.legendre.leggauss(12)
REACH = 9.0  # standard deviations beyond which a noise is not followed
CUTS = (-1.5, -0.5, 0.5, 1.5, 2.5)
"""Where the line of a released number is cut."""

Shown = tuple[bool, ...]
Law = dict[tuple[Any, ...], float]


@dataclass(frozen=True)
class Line:
    """a * (first number) + b * (second number) > c."""

    a: float
    b: float
    c: float


@dataclass(frozen=True)
class Event:
    """Made where its line is crossed, in the steps of its parity (None: all), and, if `under`, where the event before
    it was made. `ends`: it is a stop. `least`: it is made where the line is not crossed."""

    line: Line
    parity: int | None = None
    under: bool = False
    ends: bool = False
    least: bool = False


@dataclass(frozen=True)
class Plan:
    """The events in order; `scales` and `once` of the two noises; which number is released, if any."""

    events: tuple[Event, ...]
    scales: tuple[float, float]
    once: tuple[bool, bool]
    released: int | None


def plan_of(seed: int) -> Plan:
    rng = random.Random(seed)
    scales = (rng.choice([1.0, 2.0, 4.0]), rng.choice([1.0, 2.0, 4.0]))
    once = rng.choice([(False, False)] * 6 + [(True, False), (False, True)])
    slopes = [(1, 0), (1, 0), (0, 1), (1, -1), (-1, 1), (1, 1), (2, 0), (-1, 0), (2, -1)]
    events = []
    for i in range(rng.choice([1, 1, 2, 2, 3])):
        a, b = rng.choice(slopes)
        line = Line(a, b, float(rng.choice([0, 0, 1, 2, 0.5])))
        parity = rng.choice([0, 1]) if rng.random() < 0.2 else None
        under = i > 0 and not events[-1].ends and rng.random() < 0.3
        events.append(Event(line, parity, under, rng.random() < 0.15, rng.random() < 0.2))
    released = rng.choice([0, 1]) if rng.random() < 0.2 and not any(once) else None
    return Plan(tuple(events), scales, once, released)


def gaussian_tests(seed: int) -> Program:
    rng = random.Random(seed)
    plan = plan_of(seed)
    m = Maker(rng)
    m.kind = rng.choice(["stream", "dataset"])
    m.steps = rng.choice([1, 2, 2 if any(plan.once) else 3]) if m.kind == "stream" else rng.choice([1, 1, 2])
    m.size = 2
    m.fields = tuple(_field(m, n) for n in ("x", "y")[: rng.choice([1, 1, 2])])
    m.adjacency = rng.choice(
        [("replace", 1), ("replace", 1), ("replace", 2)] + ([("add or remove", 1)] if m.kind == "dataset" else [])
    )
    statements = [Statement("statistic", n, _private(m, rng).e) for n in ("s", "t")]
    if plan.released is not None:
        statements.append(Statement("report", "u", name("st"[plan.released])))
    for i, event in enumerate(plan.events):
        when = _condition(event)
        if event.under:
            when = op("and", name(f"e{i - 1}"), when)
        if event.parity is not None:
            when = op("and", op("==", op("%", STEP, num(2.0)), num(float(event.parity))), when)
        statements.append(Statement("stop", when=when) if event.ends else Statement("report", f"e{i}", None, when))
    statements.append(Statement("stop", when=op(">=", STEP, num(float(m.steps)))))
    noises = tuple(
        Noise(("gaussian", scale), (n,), "once" if once else "")
        for n, scale, once in zip("st", plan.scales, plan.once, strict=True)
    )
    # the seed is found again in `letters`, also by a program that was made smaller
    return Program(m.kind, m.fields, m.size, m.steps, m.adjacency, tuple(statements), noises, letters=seed)


def _field(m: Maker, n: str) -> Field:
    """A number: to read places of a vector is tried elsewhere."""
    while True:
        field = m.field(n)
        if m.vectors.pop(n, None) is None:
            return field


def _private(m: Maker, rng: random.Random) -> Num:
    for _ in range(8):
        made = (
            m.time(1, Scope()) if m.kind == "stream" and rng.random() < 0.6 else m.number(rng.choice([1, 2]), Scope())
        )
        if free(made.e)[1] & {"x", "y"}:
            break
    return made


def _condition(event: Event) -> E:
    line, left = event.line, None
    for factor, n in ((line.a, "s"), (line.b, "t")):
        if factor:
            term = name(n) if abs(factor) == 1 else op("*", num(abs(factor)), name(n))
            if left is None:
                left = term if factor > 0 else call("-", term)
            else:
                left = op("+" if factor > 0 else "-", left, term)
    assert left is not None
    return op("<=" if event.least else ">", left, num(line.c))


# ---- the law of what is shown


class Compared:
    """The losses of the listed laws."""

    def __init__(self, program: Program, inputs: Inputs) -> None:
        self.inputs = inputs
        plan = plan_of(program.letters)
        plain = showings(_plain(program), inputs, ())
        table = {(s.name, s.step): s.numbers[:, 0] for s in plain}
        steps = range(1, program.steps + 1)
        rows = [
            tuple((float(table["ps", step][row]), float(table["pt", step][row])) for step in steps)
            for row in range(len(inputs.count))
        ]
        self.laws = [law_of(plan, row) for row in rows]
        pairs = list(zip(inputs.first.tolist(), inputs.second.tolist(), strict=True))
        self.pairs = [(a, b) for a, b in pairs if rows[a] != rows[b]]
        self.row = max(range(len(pairs)), key=lambda i: self._renyi(*pairs[i], 2.0), default=0)

    def _renyi(self, a: int, b: int, order: float) -> float:
        return max(_divergence(self.laws[a], self.laws[b], order), _divergence(self.laws[b], self.laws[a], order))

    def pure(self) -> float:
        both = [*self.pairs, *((b, a) for a, b in self.pairs)]
        known = ((p, self.laws[b].get(o, 0.0)) for a, b in both for o, p in self.laws[a].items())
        return max((math.log(p / q) for p, q in known if min(p, q) > 1e-9), default=0.0)

    def renyi(self, order: float) -> float:
        return max((self._renyi(a, b, order) for a, b in self.pairs), default=0.0)

    def rho(self) -> float:
        return max(self.renyi(order) / order for order in CONCENTRATED[1:6])

    def delta(self, epsilon: float) -> float:
        return max((_excess(self.laws[x], self.laws[y], epsilon) for a, b in self.pairs for x, y in ((a, b), (b, a))),
                   default=0.0)  # fmt: skip

    def where(self) -> str:
        if not len(self.inputs.first):
            return ""
        a, b = int(self.inputs.first[self.row]), int(self.inputs.second[self.row])
        return f"{self.inputs.shown(a)} | {self.inputs.shown(b)}"


def _divergence(p: Law, q: Law, order: float) -> float:
    """Of what has chances that are known to many digits; the rest is counted together, which only lowers it."""
    sure = {o for o in p if min(p[o], q.get(o, 0.0)) > 1e-9}
    pairs = [(p[o], q[o]) for o in sure]
    pairs.append((max(1e-12, 1 - sum(a for a, _ in pairs)), max(1e-12, 1 - sum(b for _, b in pairs))))
    return math.log(sum(a**order * b ** (1 - order) for a, b in pairs[:-1]) + _rest(*pairs[-1], order)) / (order - 1)


def _rest(a: float, b: float, order: float) -> float:
    return a**order * b ** (1 - order) if min(a, b) > 1e-7 else 0.0


def _excess(p: Law, q: Law, epsilon: float) -> float:
    return sum(max(0.0, x - math.exp(min(epsilon, 700)) * q.get(o, 0.0)) for o, x in p.items()) - 1e-9


def _plain(program: Program) -> Program:
    """The same statistics, released in every step."""
    kept = [s for s in program.statements if s.kind == "statistic"]
    if [s.name for s in kept] != ["s", "t"] or len(program.noises) != 2:
        raise Undefined  # made smaller, it is another program
    shown = [Statement("report", f"p{s.name}", name(s.name)) for s in kept]
    return replace(program, statements=(*kept, *shown, program.statements[-1]), noises=())


def law_of(plan: Plan, row: tuple[tuple[float, float], ...]) -> Law:
    """What is shown, step by step, with its chance; `row` are the two numbers in each step."""
    if not any(plan.once):
        law: Law = {(): 1.0}
        for step, numbers in enumerate(row, 1):
            law = _after(law, _step_law(plan, numbers, step % 2))
        return law
    kept = 0 if plan.once[0] else 1
    total: Counter[tuple[Any, ...]] = Counter()
    for z, weight in _nodes(plan, [_crossings(plan, kept, numbers) for numbers in row], kept):
        law = {(): weight}
        for step, numbers in enumerate(row, 1):
            law = _after(law, _given(plan, kept, numbers[kept] + z, numbers[1 - kept], step % 2))
        total.update(law)
    return dict(total)


def _after(law: Law, step: dict[Shown, float]) -> Law:
    out: Counter[tuple[Any, ...]] = Counter()
    for before, p in law.items():
        if before and before[-1][-1]:
            out[before] += p  # the run has ended
            continue
        for shown, q in step.items():
            out[*before, shown] += p * q
    return dict(out)


@lru_cache(maxsize=20_000)
def _step_law(plan: Plan, numbers: tuple[float, float], odd: int) -> dict[Shown, float]:
    """Both noises drawn anew."""
    out: Counter[Shown] = Counter()
    for z, weight in _nodes(plan, [_crossings(plan, 1, numbers)], 1):
        for shown, p in _given(plan, 1, numbers[1] + z, numbers[0], odd).items():
            out[shown] += weight * p
    return dict(out)


def _lines(plan: Plan) -> list[Line]:
    cuts = [] if plan.released is None else [Line(1 - plan.released, plan.released, c) for c in CUTS]
    return [*cuts, *(event.line for event in plan.events)]


def _crossings(plan: Plan, at: int, numbers: tuple[float, float]) -> list[float]:
    """Noises of the number `at` where a line of it alone is crossed, or where two cuts of the other number meet."""
    lines = [(line.a, line.b, line.c) if at == 0 else (line.b, line.a, line.c) for line in _lines(plan)]
    found = [c / a for a, b, c in lines if b == 0]
    slanted = [(c / b, -a / b) for a, b, c in lines if b]  # the other number, as a function of this one
    found += [(c - d) / (n - m) for (c, m), (d, n) in itertools.combinations(slanted, 2) if m != n]
    return [value - numbers[at] for value in found]


def _nodes(plan: Plan, crossings: Sequence[list[float]], at: int) -> list[tuple[float, float]]:
    """Places and weights for an integral over one noise, none of them across a crossing."""
    sd = plan.scales[at]
    inner = sorted({c for one in crossings for c in one if abs(c) < REACH * sd})
    edges = np.unique(np.concatenate([np.linspace(-REACH * sd, REACH * sd, 10), inner]))
    middle, half = (edges[1:] + edges[:-1]) / 2, (edges[1:] - edges[:-1]) / 2
    z = (middle[:, None] + half[:, None] * NODES).ravel()
    weight = (half[:, None] * WEIGHTS).ravel() * np.exp(-((z / sd) ** 2) / 2) / (sd * math.sqrt(2 * math.pi))
    return list(zip(z.tolist(), weight.tolist(), strict=True))


def _given(plan: Plan, at: int, value: float, mean: float, odd: int) -> dict[Shown, float]:
    """The law of a step where the number `at` has this value, and the other one its mean plus noise."""
    cuts = []
    for line in _lines(plan):
        a, b = (line.a, line.b) if at == 0 else (line.b, line.a)
        if b:
            cuts.append((line.c - a * value) / b)
    ends = [-math.inf, *sorted(set(cuts)), math.inf]
    sd, out = plan.scales[1 - at], Counter[Shown]()
    for low, high in itertools.pairwise(ends):
        chance = float(ndtr((high - mean) / sd) - ndtr((low - mean) / sd))
        inside = low + 1 if high == math.inf else high - 1 if low == -math.inf else (low + high) / 2
        inside = 0.0 if math.isinf(inside) or math.isnan(inside) else inside
        out[_shown(plan, (value, inside) if at == 0 else (inside, value), odd)] += chance
    return dict(out)


def _shown(plan: Plan, numbers: tuple[float, float], odd: int) -> Shown:
    """What is seen of a step: the bin of a released number, each event, and, at the end, whether the run has ended."""
    a, b = numbers
    seen = [] if plan.released is None else [numbers[plan.released] > c for c in CUTS]
    before, ended = False, False
    for event in plan.events:
        crossed = (event.line.a * a + event.line.b * b > event.line.c) != event.least
        made = not ended and crossed and (event.parity is None or event.parity == odd) and (before or not event.under)
        seen.append(made)
        before, ended = made, ended or (event.ends and made)
    return (*seen, ended)
