"""Short programs under models that draw public and private fields by one another, and read memory; weak privacy of them
by exact rationals.

Nothing here is seqlang's: expressions are pairs of a text and a Python function, and every run is followed, draw by
draw, with the chance that it has. Where the definition leaves room, all readings are computed, and a verdict is false
if it is false in one of them:
- what is seen: the transcript (reports, stopping step, what is returned), or that and the public fields of each step;
- what "given X_n = a" means: the entry is set to a and the rest of the model is drawn, or the model's own runs in which
  the entry turned out to be a (where it cannot, it is set).
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import exp, inf, log

from seqlang import driver
from seqlang.source import Source

State = Mapping[str, Fraction]
Law = list[tuple[Fraction, Fraction]]
"""(value, chance)"""
ONE = Fraction(1)


@dataclass(frozen=True)
class Value:
    """A number as text, and as a function of what has a value at its place."""

    text: str
    of: Callable[[State], Fraction]


@dataclass(frozen=True)
class Drawn:
    """The law of a field or of a draw, as text and as a function."""

    name: str
    text: str
    of: Callable[[State], Law]
    public: bool = False
    once: bool = False


@dataclass(frozen=True)
class Statement:
    """`kind`: draw, statistic (a sum over steps), report, event, update or stop. `when` is 0 or 1."""

    kind: str
    name: str
    value: Value | None = None
    when: Value | None = None
    drawn: Drawn | None = None


@dataclass
class Program:
    domains: dict[str, tuple[Fraction, ...]]
    """Of the private fields, then of the public ones."""
    public: tuple[str, ...]
    model: list[Drawn]
    statements: list[Statement]
    steps: int
    claims: list[str] = field(default_factory=list)

    @property
    def private(self) -> tuple[str, ...]:
        return tuple(name for name in self.domains if name not in self.public)

    @property
    def adaptive(self) -> bool:
        return any("memo" in law.text for law in self.model)

    @property
    def crossed(self) -> bool:
        """Whether the law of a public field reads a private one, or the other way round, perhaps by way of others."""
        behind: dict[str, set[str]] = {}
        for law in self.model:
            behind[law.name] = {law.name}.union(*(behind[n] for n in behind if n in law.text))
        public = set(self.public)
        return any(bool(names & public) and bool(names - public) for names in behind.values())

    @property
    def reports(self) -> bool:
        return any(s.kind in ("report", "event") for s in self.statements)

    def text(self) -> str:
        lines = ["algorithm drawn"]
        for name, values in self.domains.items():
            kind = "public" if name in self.public else "stream"
            lines.append(f"{kind} {name} in {{{', '.join(map(str, values))}}}")
        lines.append("memory memo = 0")
        lines.append("model m: " + ", ".join(f"{law.name} ~ {law.text}" for law in self.model))
        lines += [_line(s) for s in self.statements]
        lines.append(f"stop when step >= {self.steps} return last")
        return "\n".join([*lines, *self.claims, ""])


def _line(s: Statement) -> str:
    when = "" if s.when is None else f" when {s.when.text} == 1"
    match s.kind:
        case "draw":
            assert s.drawn is not None
            return f"draw {s.name} ~ {s.drawn.text}{' once' if s.drawn.once else ''}"
        case "statistic":
            assert s.value is not None
            return f"statistic {s.name} = sum({s.value.text} over steps)"
        case "report":
            assert s.value is not None
            return f"report {s.name} = {s.value.text}"
        case "event":
            return f"report {s.name}{when}"
        case "update":
            assert s.value is not None
            return f"update memo = {s.value.text}"
        case _:
            return f"stop{when} return {s.name}"


# ---- drawing a program


def drawn_program(seed: int) -> Program:
    chooser = random.Random(f"drawn inputs {seed}")
    steps = chooser.choice((1, 2, 2, 2, 3))
    small = [Fraction(0), ONE]
    thirds = [Fraction(1, 3), Fraction(2, 3)]
    domains = {"x": tuple(chooser.choice((small, small, [*small, Fraction(2)], thirds)))}
    if chooser.random() < 0.2:
        domains["w"] = tuple(small)
    public = ["y", "v"][: chooser.choice((1, 1, 1, 2) if steps < 3 else (0, 1))]
    for name in public:
        domains[name] = tuple(small if chooser.random() < 0.7 else [*small, Fraction(2)])
    order = list(domains)
    if chooser.random() < 0.3:
        chooser.shuffle(order)
    memory = chooser.random() < 0.2
    model: list[Drawn] = []
    for name in order:
        known = [law.name for law in model if chooser.random() < 0.8] + (["memo"] if memory else [])
        model.append(_law(chooser, name, list(domains[name]), known, name in public))
    return Program(domains, tuple(public), model, list(_statements(chooser, domains, public, memory)), steps)


def _law(chooser: random.Random, name: str, values: list[Fraction], known: list[str], public: bool) -> Drawn:
    read = chooser.choice(known) if known and chooser.random() < 0.75 else None
    if read is None:
        weights = [Fraction(chooser.randint(1, 5)) for _ in values]
        pairs = ", ".join(f"{v}: {w}" for v, w in zip(values, weights, strict=True))
        total = sum(weights)
        constant = [(v, w / total) for v, w in zip(values, weights, strict=True)]
        return Drawn(name, f"{{{pairs}}}", lambda _: constant, public)
    if chooser.random() < 0.15:  # it copies what it reads, as far as the domain goes
        last = values[-1]

        def copied(state: State) -> Law:
            return [(state[read] if state[read] in values else last, ONE)]

        cases = "".join(f"if {read} == {v} then {v} else " for v in values)
        return Drawn(name, f"point({cases}{last})", copied, public)
    base = [Fraction(chooser.randint(1, 4)) for _ in values]
    slope = [Fraction(chooser.choice((0, 0, 1, 2, 5))) for _ in values]
    pairs = ", ".join(f"{v}: {b} + {c} * {read}" for v, b, c in zip(values, base, slope, strict=True))

    def tilted(state: State) -> Law:
        weights = [b + c * state[read] for b, c in zip(base, slope, strict=True)]
        return [(v, w / sum(weights)) for v, w in zip(values, weights, strict=True)]

    return Drawn(name, f"{{{pairs}}}", tilted, public)


def _statements(
    chooser: random.Random, domains: Mapping[str, tuple[Fraction, ...]], public: list[str], memory: bool
) -> Iterator[Statement]:
    known = [*domains, "memo"]
    shown = ["memo", *public]
    for k in range(chooser.choice((0, 1, 1, 2))):
        law = _law(chooser, f"u{k}", [Fraction(0), ONE], [], False)
        yield Statement("draw", law.name, drawn=Drawn(law.name, law.text, law.of, once=chooser.random() < 0.3))
        known.append(law.name)
    if chooser.random() < 0.4:
        yield Statement("statistic", "s", _number(chooser, known))
        known.append("s")
    if chooser.random() < 0.5:
        yield Statement("report", "r", _number(chooser, known if chooser.random() < 0.7 else shown))
        known.append("r")
        shown.append("r")
    elif chooser.random() < 0.3:
        yield Statement("event", "e", when=_truth(chooser, known))
    if memory or chooser.random() < 0.3:
        yield Statement("update", "memo", _clipped(_number(chooser, shown)))
    for label in ("a", "b")[: chooser.choice((0, 1, 1, 2))]:
        yield Statement("stop", label, when=_truth(chooser, known if chooser.random() < 0.7 else shown))


def _number(chooser: random.Random, known: list[str]) -> Value:
    a, b = chooser.choice(known), chooser.choice(known)
    match chooser.randrange(5):
        case 0:
            return Value(a, lambda s: s[a])
        case 1:
            return Value(f"({a} + {b})", lambda s: s[a] + s[b])
        case 2:
            return Value(f"max({a}, {b})", lambda s: max(s[a], s[b]))
        case 3:
            return Value(f"(if {a} == {b} then 1 else 0)", lambda s: Fraction(s[a] == s[b]))
        case _:
            k = chooser.randint(1, 2)
            return Value(f"(if {a} >= {k} then {b} else 1)", lambda s: s[b] if s[a] >= k else ONE)


def _truth(chooser: random.Random, known: list[str]) -> Value:
    left = _number(chooser, known)
    k = chooser.randint(0, 2)
    return Value(f"(if {left.text} > {k} then 1 else 0)", lambda s: Fraction(left.of(s) > k))


def _clipped(value: Value) -> Value:
    return Value(f"min(2, {value.text})", lambda s: min(Fraction(2), value.of(s)))


# ---- following every run

Seen = tuple[object, ...]
Chances = dict[Seen, Fraction]


@dataclass(frozen=True)
class Run:
    chance: Fraction
    seen: Seen
    fields: tuple[tuple[Fraction, ...], ...]
    """The values of all fields, step by step, as far as the run went."""
    memory: Fraction
    stopped: int
    """The stopping step."""


def _runs(program: Program, forced: tuple[int, State] | None) -> Iterator[Run]:
    """Every run with its chance; `forced`: the step in which the private fields have these values."""
    kept = [s.drawn for s in program.statements if s.drawn is not None and s.drawn.once]
    start: list[tuple[Fraction, dict[str, Fraction]]] = [(ONE, {"memo": Fraction(0)})]
    for law in kept:
        start = [(c * p, {**state, law.name: v}) for c, state in start for v, p in law.of(state) if p]
    for chance, state in start:
        yield from _onward(program, forced, 1, chance, {**state, "sum": Fraction(0)}, (), ())


def _onward(
    program: Program, forced: tuple[int, State] | None, step: int, chance: Fraction, state: State, seen: Seen,
    fields: tuple[tuple[Fraction, ...], ...],
) -> Iterator[Run]:  # fmt: skip
    given: State = forced[1] if forced is not None and forced[0] == step else {}
    ways: list[tuple[Fraction, dict[str, Fraction]]] = [(chance, dict(state))]
    for law in program.model:
        if law.name in given:
            ways = [(c, {**w, law.name: given[law.name]}) for c, w in ways]
        else:
            ways = [(c * p, {**w, law.name: v}) for c, w in ways for v, p in law.of(w) if p]
    for s in program.statements:
        if s.drawn is not None and not s.drawn.once:
            ways = [(c * p, {**w, s.name: v}) for c, w in ways for v, p in s.drawn.of(w) if p]
    for c, way in ways:
        told = list(seen) + [("public", step, name, way[name]) for name in program.public]
        entry = tuple(way[name] for name in program.domains)
        stop = _step(program, step, way, told)
        if stop is None and step == program.steps:
            stop = "last"
        if stop is not None:
            yield Run(c, (*told, ("stop", step, stop)), (*fields, entry), way["memo"], step)
        else:
            yield from _onward(program, forced, step + 1, c, way, tuple(told), (*fields, entry))


def _step(program: Program, step: int, way: dict[str, Fraction], told: list[object]) -> str | None:
    for s in program.statements:
        if s.kind == "statistic":
            assert s.value is not None
            way["sum"] += s.value.of(way)
            way[s.name] = way["sum"]
        elif s.kind == "report":
            assert s.value is not None
            way[s.name] = s.value.of(way)
            told.append(("report", step, s.name, way[s.name]))
        elif s.kind == "event":
            assert s.when is not None
            if s.when.of(way) == 1:
                told.append(("event", step, s.name))
        elif s.kind == "update":
            assert s.value is not None
            way["memo"] = s.value.of(way)
        elif s.kind == "stop":
            assert s.when is not None
            if s.when.of(way) == 1:
                return s.name
    return None


# ---- the laws given one entry

Pair = tuple[Chances, Chances]


def pairs(program: Program, *, public: bool, turned_out: bool) -> list[Pair]:
    """The laws given X_n = a and given X_n = b of what is seen, for all n, a and b, in one reading."""
    found: list[Pair] = []
    letters = _letters(program)
    free = list(_runs(program, None)) if turned_out else []
    for n in range(1, program.steps + 1):
        laws = [(_turned_out(program, free, n, a) if turned_out else {}) or _set(program, n, a) for a in letters]
        shown = [_only(law, public) for law in laws]
        found += [(p, q) for p in shown for q in shown if p is not q]
    return found


def _letters(program: Program) -> list[State]:
    letters: list[dict[str, Fraction]] = [{}]
    for name in program.private:
        letters = [{**row, name: value} for row in letters for value in program.domains[name]]
    return list(letters)


def _set(program: Program, n: int, a: State) -> Chances:
    law: Chances = {}
    for run in _runs(program, (n, a)):
        law[run.seen] = law.get(run.seen, Fraction(0)) + run.chance
    return law


def _turned_out(program: Program, free: list[Run], n: int, a: State) -> Chances:
    """Of a run that stopped before step n, entry n is drawn with what memory held at the end."""
    law: Chances = {}
    for run in free:
        if run.stopped >= n:
            entry = dict(zip(program.domains, run.fields[n - 1], strict=True))
            share = Fraction(all(entry[name] == value for name, value in a.items()))
        else:
            share = _chance_of(program, a, run.memory)
        if share:
            law[run.seen] = law.get(run.seen, Fraction(0)) + run.chance * share
    total = sum(law.values())
    return {seen: chance / total for seen, chance in law.items()}


def _chance_of(program: Program, a: State, memory: Fraction) -> Fraction:
    ways: list[tuple[Fraction, dict[str, Fraction]]] = [(ONE, {"memo": memory})]
    for law in program.model:
        ways = [(c * p, {**w, law.name: v}) for c, w in ways for v, p in law.of(w) if p]
    return sum((c for c, w in ways if all(w[name] == value for name, value in a.items())), Fraction(0))


def _only(law: Chances, public: bool) -> Chances:
    """Without the public fields, unless they are seen."""
    if public:
        return law
    out: Chances = {}
    for seen, chance in law.items():
        left = tuple(part for part in seen if part[0] != "public")  # type: ignore[index]
        out[left] = out.get(left, Fraction(0)) + chance
    return out


def delta(found: list[Pair], epsilon: float) -> float:
    factor, none = Fraction(exp(epsilon)), Fraction(0)
    over = (sum((max(none, c - factor * q.get(s, none)) for s, c in p.items()), none) for p, q in found)
    return float(max(over, default=none))


def delta_per_step(found: list[Pair], epsilon: float) -> float:
    """One stopping step at a time, and any set of what was returned there; of programs without reports."""
    factor, worst = Fraction(exp(epsilon)), Fraction(0)
    for p, q in found:
        by_step: dict[object, Fraction] = {}
        for seen in p:
            step = seen[-1][1]  # type: ignore[index]
            over = max(Fraction(0), p[seen] - factor * q.get(seen, Fraction(0)))
            by_step[step] = by_step.get(step, Fraction(0)) + over
        worst = max([worst, *by_step.values()])
    return float(worst)


def loss(found: list[Pair]) -> float:
    """The largest log ratio."""
    worst = 0.0
    for p, q in found:
        for seen, chance in p.items():
            worst = max(worst, log(chance / q[seen]) if q.get(seen, 0) else inf)
    return worst


def renyi(found: list[Pair], order: int) -> float:
    worst = 0.0
    for p, q in found:
        if any(not q.get(seen, 0) for seen in p):
            return inf
        worst = max(worst, log(sum(c**order * q[seen] ** (1 - order) for seen, c in p.items())) / (order - 1))
    return worst


# ---- claims at the edge, judged

CLOSE = 1e-4
Asked = list[tuple[str, frozenset[str]]]
"""(claim, the verdicts that are false)"""


Readings = dict[tuple[bool, bool], list[Pair]]
"""(public fields are seen, the entry turned out to be a) -> the laws"""


def readings(program: Program) -> Readings:
    kinds = [(public, given) for public in (False, True) for given in (False, True)]
    return {kind: pairs(program, public=kind[0], turned_out=kind[1]) for kind in kinds}


def asked(program: Program, read: Readings) -> Asked:
    """Claims just above and below the truth in each reading, and what no verdict may say of them."""
    found: Asked = []
    for epsilon in (0.0, 0.4):
        truths = {delta(p, epsilon) for p in read.values()}
        found += _edges(lambda d, e=epsilon: f"dp({e}, {d}) under m", truths, 0.999)
        if not program.reports:
            told = {delta_per_step(read[False, given], epsilon) for given in (False, True)}
            found += _edges(lambda d, e=epsilon: f"dp({e}, {d}) under m per step", told, 0.999)
    found += _edges(lambda e: f"pure({e}) under m", {loss(p) for p in read.values()}, 30.0)
    found += _edges(lambda e: f"rdp(2, {e}) under m", {renyi(p, 2) for p in read.values()}, 30.0)
    return found


def _edges(claim: Callable[[str], str], truths: set[float], most: float) -> Asked:
    """`truths`: what is true in the readings. A claim is false in a reading whose truth is above it."""
    at = {round(t * (1 + sign * CLOSE) + sign * 1e-7, 12) for t in truths if t < inf for sign in (-1, 1)}
    at |= {most} if inf in truths else set()
    out: Asked = []
    for number in sorted(n for n in at if 0 < n <= most):
        false = {"proved" for t in truths if t > number} | {"refuted" for t in truths if t < number}
        out.append((f"claim weak {claim(f'{number:.12f}')}", frozenset(false)))
    return out


def judged(seed: int) -> Counter[tuple[str, str, str]]:
    """(kind of model, notion, verdict) of each claim. Raises AssertionError where a reading makes a verdict false."""
    program = drawn_program(seed)
    read = readings(program)
    claims = asked(program, read)
    program.claims = [claim for claim, _ in claims]
    told: Counter[tuple[str, str, str]] = Counter()
    if not claims:
        return told
    result = driver.check(driver.load(Source(f"<seed {seed}>", program.text())))
    kind = "adaptive" if program.adaptive else "public" if program.public else "private"
    for (claim, false), verdict in zip(claims, result.verdicts, strict=True):
        assert verdict.verdict not in false, f"{claim}: {verdict.verdict}, {verdict.because}\n{program.text()}"
        told[kind, claim.split()[2].split("(")[0], verdict.verdict] += 1
    for least in result.weak:
        losses = [loss(p) for p in read.values()]
        assert least.pure.lower <= min(losses) + 1e-9, f"{least.pure}, truth {losses}\n{program.text()}"
        assert least.pure.bound >= max(losses) - 1e-9, f"{least.pure}, truth {losses}\n{program.text()}"
        if not program.crossed:
            assert least.pure.lower <= result.lowers.pure, program.text()
            assert least.epsilon.lower <= result.epsilon_at_delta, program.text()
    return told


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Judges weak claims of random programs.")
    parser.add_argument("--instances", type=int, default=500)
    parser.add_argument("--first-seed", type=int, default=0)
    given = parser.parse_args(arguments)
    told: Counter[tuple[str, str, str]] = Counter()
    false = 0
    for seed in range(given.first_seed, given.first_seed + given.instances):
        try:
            told += judged(seed)
        except AssertionError as why:
            false += 1
            print(f"seed {seed}: {why}\n")
    for key, count in sorted(told.items()):
        print(*key, count)
    print(f"{given.instances} programs, {false} with a false verdict")
    return bool(false)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
