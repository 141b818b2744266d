"""Random small programs on the integers: each is a `.seq` text and a description that `discrete_oracle` enumerates.

Where `instances` has one statistic and continuous noise, here are up to three statistics and gates, conditions with
and/or/not, guards, memory, released values, local noise, and several kinds of neighbours; all noise is geometric or
randomised response, so that every law is a finite sum.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

STATISTICS = {
    "sum": "sum(Y over steps)",
    "double": "2 * sum(Y over steps)",
    "fall": "sum(1 - Y over steps)",
    "window": "sum(Y over last 2)",
    "single": "Y",
    "cusum": "max(0, previous(NAME, 0) + Y - 1)",
    "running max": "max(Y over steps)",
    "running min": "min(Y over steps)",
    "since": "sum(Y since R0)",
    "max since": "max(Y since R0)",
    "count": "count(Y >= 1 over steps)",
    "alternating": "sum((2 * (step % 2) - 1) * Y over steps)",
    "clipped": "clip(sum(Y over steps), 0, 2)",
    "distance": "abs(sum(Y over steps) - 1)",
    "weighted": "(1 + step % 2) * Y",
    "gap": "Y - previous(Y, 0)",
    "even steps": "sum(Y where step % 2 == 0 over steps)",
    "jump": "if Y >= 1 then 2 else 0",
    "recent max": "max(Y over last 2)",
    "halved": "floor(sum(Y over steps) / 2)",
    "square": "Y * Y",
    "parity": "sum(Y over steps) % 2",
    "decaying": "floor(previous(NAME, 0) / 2) + Y",
    "late": "if step >= 2 then Y else 0",
}
"""Y stands for the entry as it is read, NAME for the statistic itself."""

POINTWISE = (
    "single", "window", "weighted", "gap", "jump", "recent max", "running max", "running min", "late", "max since",
)  # fmt: skip
"""These move boundedly also where all entries may."""

GUARDS = {
    "none": "",
    "even": "step % 2 == 0 and ",
    "late": "step >= 2 and ",
    "last": "step == 3 or ",
    "after R0": "R0 and ",
    "without R0": "not R0 and ",
}


@dataclass(frozen=True)
class Atom:
    """statistic + offset `comparison` bar (+ memory); both sides are read with the noise of their names."""

    statistic: int
    comparison: str
    bar: int
    offset: int = 0
    memory: bool = False


@dataclass(frozen=True)
class Condition:
    """`operator`: and, or, not, atom (then `atom` is it)."""

    operator: str
    parts: tuple[Condition, ...] = ()
    atom: Atom | None = None


@dataclass(frozen=True)
class Gate:
    """`kind`: event (a report), value (a released statistic) or stop; a value has no condition but its guard."""

    kind: str
    name: str
    condition: Condition | None
    guard: str = "none"
    statistic: int = 0


@dataclass(frozen=True)
class Noise:
    """Two-sided geometric noise. `life`: once, step or R0. `places`: the names it is attached to, with factors."""

    ratio: float
    life: str
    places: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Program:
    """`local`: noise on the entry as it is read: None, ("flip", truth) or ("geometric", ratio); `bit`: the entry is
    read as whether it is at least 1. `unit` multiplies entries where they are read. `memory`: None, "count", "copy"."""

    alphabet: tuple[float, ...]
    adjacency: str
    statistics: tuple[str, ...]
    bars: tuple[int, ...]
    gates: tuple[Gate, ...]
    noises: tuple[Noise, ...]
    local: tuple[str, float] | None = None
    bit: bool = False
    unit: int = 1
    domain: str = "finite"
    memory: str | None = None
    most_reports: int | None = None
    most_steps: int | None = None
    flipped_return: float | None = None
    length: int = 3
    text: str = field(default="", compare=False)

    def axes(self, *lives: str) -> int:
        return sum(n.life in lives for n in self.noises)


def random_program(rng: random.Random) -> Program:
    """One program, as wide as the oracle can afford."""
    while True:
        program = _draw(rng)
        if program is not None:
            return program


def _draw(rng: random.Random) -> Program | None:
    chance = lambda p: rng.random() < p  # noqa: E731
    local, bit = None, False
    if chance(0.25):
        local = ("flip", rng.choice([0.75, 0.6, 0.9])) if chance(0.7) else ("geometric", 0.1)
        bit = local[0] == "flip" and chance(0.3)
    alphabet: tuple[float, ...] = (0.0, 1.0, 2.0) if chance(0.2) else (0.0, 1.0)
    adjacency, domain, unit = _neighbours(rng, alphabet, local)
    if unit == 2:
        alphabet = (0.0, 0.5, 1.0)
    reports = chance(0.4)
    kinds = [k for k in STATISTICS if reports or "since" not in k]
    common = ["sum", "fall", "single", "window", "since" if reports else "sum"]
    if adjacency.startswith("every"):
        kinds = [k for k in kinds if k in POINTWISE or chance(0.2)]
        common = ["single"]
    statistics = tuple(rng.choice(kinds) if chance(0.6) else rng.choice(common) for _ in range(rng.randint(1, 3)))
    bars = tuple(rng.randint(-1, 3) for _ in range(rng.randint(1, 3)))
    memory = rng.choice(["count", "copy"]) if reports and chance(0.3) else None
    gates: list[Gate] = []
    released = False
    if reports:
        gates.append(Gate("event", "R0", _condition(rng, statistics, bars, memory), _guard(rng, False)))
        if chance(0.4) or memory == "copy":
            released = True
            gates.append(Gate("value", "v", None, "after R0" if chance(0.7) else "none", _index(rng, statistics)))
        if chance(0.2):
            gates.append(Gate("event", "R1", _condition(rng, statistics, bars, memory), _guard(rng, True)))
    elif chance(0.15):
        released = True
        gates.append(Gate("value", "v", None, "none", _index(rng, statistics)))
    for j in range(rng.randint(0 if gates else 1, 2 if reports else 3)):
        label = f"r{rng.randint(0, j)}" if chance(0.1) else f"r{j}"
        gates.append(Gate("stop", label, _condition(rng, statistics, bars, memory), _guard(rng, reports)))
    length = 2 if local == ("geometric", 0.1) or (released and gates[-1].guard == "none") else 3
    most_reports = rng.randint(1, 2) if reports and chance(0.8) else None
    most_steps = length if released or chance(0.4) or (reports and most_reports is None) else None
    noises = _noises(rng, statistics, bars, gates, reports, local is not None)
    flips = len({g.name for g in gates if g.kind == "stop"}) >= 2 and chance(0.15)
    bare = Program(
        alphabet, adjacency, statistics, bars, tuple(gates), noises, local, bit, unit, domain, memory, most_reports,
        most_steps, rng.choice([0.7, 0.8]) if flips else None, length,
    )  # fmt: skip
    if memory == "copy" and not released:
        return None
    if bare.axes("once", "R0") + bare.axes("step") > 3 or bare.axes("once", "R0") > 2:
        return None
    if bare.axes("once", "R0") + bare.axes("step") == 3:
        bare = replace(bare, noises=tuple(Noise(0.125, n.life, n.places) for n in noises))
    return replace(bare, text=text(bare))


def _index(rng: random.Random, items: tuple[object, ...]) -> int:
    return rng.randrange(len(items))


def _neighbours(rng: random.Random, alphabet: tuple[float, ...], local: object) -> tuple[str, str, int]:
    """Adjacency, domain (finite or real) and unit."""
    pick = rng.random()
    if local is not None:
        return ("replace 2" if pick < 0.2 else "replace one"), "finite", 1
    if pick < 0.45:
        return "replace one", "finite", 1
    if pick < 0.55:
        return "replace 2", "finite", 1
    numbers = "integer" if rng.random() < 0.9 else "real"
    if pick < 0.65:
        return "one within 1", "finite" if len(alphabet) == 3 else numbers, 1
    if pick < 0.75:
        return "one within 1 / 2", "finite" if rng.random() < 0.9 else "real", 2
    if pick < 0.85:
        return "every within 1", numbers, 1
    if pick < 0.93:
        return "every within 1 same direction", numbers, 1
    return "one within 1 same direction", numbers, 1


def _guard(rng: random.Random, reports: bool) -> str:
    if rng.random() < 0.7:
        return "none"
    return rng.choice(list(GUARDS) if reports else ["even", "late", "last"])


def _condition(rng: random.Random, statistics: tuple[str, ...], bars: tuple[int, ...], memory: str | None) -> Condition:
    def atom() -> Condition:
        comparison = rng.choice([">=", "<=", ">=", "<=", ">", "<"])
        offset = rng.choice([-1, 1]) if rng.random() < 0.1 else 0
        return Condition("atom", (), Atom(_index(rng, statistics), comparison, _index(rng, bars), offset,
                                          memory is not None and rng.random() < 0.6))  # fmt: skip

    pick = rng.random()
    if pick < 0.7:
        return atom()
    if pick < 0.8:
        return Condition("and", (atom(), atom()))
    if pick < 0.9:
        return Condition("or", (atom(), atom()))
    if pick < 0.95:
        return Condition("not", (atom(),))
    return Condition("not", (Condition(rng.choice(["and", "or"]), (atom(), atom())),))


def _noises(
    rng: random.Random,
    statistics: tuple[str, ...],
    bars: tuple[int, ...],
    gates: list[Gate],
    reports: bool,
    local: bool,
) -> tuple[Noise, ...]:
    """Noise on the names that the gates read; now and then one is forgotten, or shared with a factor."""
    atoms = [a for g in gates if g.condition is not None for a in _atoms(g.condition)]
    read = sorted({f"s{a.statistic}" for a in atoms})
    bars_read = sorted({f"T{a.bar}" for a in atoms})
    ratio = lambda: rng.choice([0.25, 0.125, 0.5])  # noqa: E731
    often = 0.35 if local else 0.95
    found: list[Noise] = []
    persistent = "R0" if reports and rng.random() < 0.4 else "once"

    def spread(names: list[str], life: str) -> None:
        wanted = [n for n in names if rng.random() < often]
        while wanted:
            some = wanted if rng.random() < 0.35 else wanted[:1]
            wanted = wanted[len(some) :]
            factor = lambda: 1 if rng.random() < 0.6 else -1 if rng.random() < 0.85 else 2  # noqa: E731
            found.append(Noise(ratio(), life, tuple((n, factor() if len(some) > 1 else 1) for n in some)))

    spread(bars_read, persistent if rng.random() < 0.9 else "step")
    spread(read, "step" if rng.random() < 0.93 else "once")
    for gate in gates:
        if gate.kind == "value" and rng.random() < 0.85 and not (local and rng.random() < 0.6):
            found += [Noise(ratio(), "step", (("v", 1),))]
    return tuple(found)


def _atoms(condition: Condition) -> list[Atom]:
    if condition.atom is not None:
        return [condition.atom]
    return [a for part in condition.parts for a in _atoms(part)]


def text(program: Program) -> str:
    """The `.seq` text."""
    entry = "bit" if program.bit else "x" if program.unit == 1 else f"({program.unit} * x)"
    lines = ["algorithm instance", *(f"param T{j} = {bar}" for j, bar in enumerate(program.bars))]
    listed = ", ".join("1 / 2" if a == 0.5 else f"{a:g}" for a in program.alphabet)
    domain = {"real": "real", "integer": "-9..9", "finite": f"{{{listed}}}"}[program.domain]
    lines.append(f"stream x in {domain}")
    if program.adjacency != "replace one":
        lines.append(f"adjacent {program.adjacency.replace('within', 'x within')}")
    if program.memory is not None:
        lines.append("memory m = 0")
    if program.bit:
        lines.append("statistic bit = if x >= 1 then 1 else 0")
    for j, kind in enumerate(program.statistics):
        lines.append(f"statistic s{j} = {STATISTICS[kind].replace('Y', entry).replace('NAME', f's{j}')}")
    for gate in program.gates:
        if gate.kind == "value":
            lines.append(f"report v = s{gate.statistic}{' when R0' if gate.guard == 'after R0' else ''}")
            continue
        assert gate.condition is not None
        inner = _written(gate.condition)
        test = GUARDS[gate.guard] + (f"({inner})" if gate.guard != "none" else inner)
        report, stop = f"report {gate.name} when {test}", f"stop when {test} return {gate.name}"
        lines.append(report if gate.kind == "event" else stop)
    if program.most_reports is not None:
        lines.append(f"stop when count(R0 over steps) >= {program.most_reports}")
    if program.most_steps is not None:
        lines.append(f"stop when step >= {program.most_steps}")
    if program.memory == "count":
        lines.append("update m = m + 1 when R0")
    elif program.memory == "copy":
        lines.append("update m = if v >= 1 then 1 else 0 when R0")
    if program.local is not None:
        law = {"flip": "randomized_response", "geometric": "geometric"}[program.local[0]]
        lines.append(f"attach {law}({program.local[1]}) to {'bit' if program.bit else 'x'}")
    for i, noise in enumerate(program.noises):
        life = {"once": " once", "step": "", "R0": " each R0"}[noise.life]
        if len(noise.places) == 1 and noise.places[0][1] == 1:
            lines.append(f"attach geometric({noise.ratio}) to {noise.places[0][0]}{life}")
        else:
            lines.append(f"draw z{i} ~ geometric({noise.ratio}){life}")
            lines += [f"attach { {1: '', -1: '-', 2: '2 * '}[f] }z{i} to {name}" for name, f in noise.places]
    if program.flipped_return is not None:
        lines.append(f"attach randomized_response({program.flipped_return}) to return")
    return "\n".join(lines) + "\n"


def _written(condition: Condition) -> str:
    if condition.atom is not None:
        atom = condition.atom
        more = f" {'+' if atom.offset > 0 else '-'} {abs(atom.offset)}" if atom.offset else ""
        return f"s{atom.statistic}{more} {atom.comparison} T{atom.bar}{' + m' if atom.memory else ''}"
    if condition.operator == "not":
        return f"not ({_written(condition.parts[0])})"
    return f" {condition.operator} ".join(_written(part) for part in condition.parts)
