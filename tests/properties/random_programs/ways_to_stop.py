"""Programs that stop, drawn at random, with what `stop_laws` needs to know of them.

A program draws entries with few values, sums them, and compares affine expressions of the sum, the entry, the step and
noises. All coefficients are multiples of 1/4, so that floats hold every compared value exactly: a tie is a tie.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

KINDS = ("kept", "kept for ever", "two kept", "late", "kept and fresh", "kept and fresh for ever", "fresh", "rare")
CONTINUOUS = ("laplace", "gaussian", "exponential", "gumbel", "logistic", "uniform", "conditioned")
DISCRETE = ("geometric", "discrete_gaussian", "poisson", "listed")


@dataclass(frozen=True)
class Noise:
    """`law`: family and arguments; `once`: drawn once, else anew in each step."""

    name: str
    law: tuple[object, ...]
    once: bool

    @property
    def discrete(self) -> bool:
        return self.law[0] in DISCRETE

    @property
    def text(self) -> str:
        return f"draw {self.name} ~ {_law_text(self.law)}{' once' if self.once else ''}"


@dataclass(frozen=True)
class Compared:
    """by["s"] * sum + by["x"] * entry + by["step"] * step + sum of factor * noise, or its absolute value, beside
    `bound`."""

    by: tuple[tuple[str, float], ...]
    operator: str
    bound: float
    absolute: bool = False

    def of(self, name: str) -> float:
        return dict(self.by).get(name, 0.0)

    @property
    def text(self) -> str:
        parts = " + ".join(name if c == 1 else f"{number(c)} * {name}" for name, c in self.by)
        return f"{f'abs({parts})' if self.absolute else parts} {self.operator} {number(self.bound)}"


Condition = tuple[object, ...]
"""("compare", Compared), ("not", c), ("and" | "or", c, d)."""


@dataclass(frozen=True)
class Stop:
    condition: Condition
    label: str


@dataclass(frozen=True)
class Program:
    """`last`: a public stop, or None. `entries`: (value, chance)."""

    kind: str
    entries: tuple[tuple[int, Fraction], ...]
    noises: tuple[Noise, ...]
    stops: tuple[Stop, ...]
    last: int | None
    sums: bool = field(default=False)

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([s.label for s in self.stops] + (["late"] if self.last is not None else [])))

    def text(self, claims: tuple[str, ...] = ()) -> str:
        domain = ", ".join(str(v) for v, _ in self.entries)
        law = ", ".join(f"{v}: {p}" for v, p in self.entries)
        lines = ["algorithm tried", f"stream x in {{{domain}}}", f"model m: x ~ {{{law}}}"]
        lines += [noise.text for noise in self.noises]
        lines += ["statistic s = sum(x over steps)"] if self.sums else []
        lines += [f"stop when {condition_text(s.condition)} return {s.label}" for s in self.stops]
        lines += [f"stop when step >= {self.last} return late"] if self.last is not None else []
        return "\n".join([*lines, *claims, ""])


def number(value: float) -> str:
    exact = Fraction(value)
    text = str(exact.numerator) if exact.denominator == 1 else f"{exact.numerator}/{exact.denominator}"
    return f"({text})" if exact < 0 or exact.denominator > 1 else text


def condition_text(c: Condition) -> str:
    match c:
        case ("compare", Compared() as one):
            return one.text
        case ("not", inner):
            return f"not ({condition_text(inner)})"  # type: ignore[arg-type]
        case (word, left, right):
            return f"({condition_text(left)}) {word} ({condition_text(right)})"  # type: ignore[arg-type]
    raise AssertionError(c)


def compared_in(c: Condition) -> Iterator[Compared]:
    for part in c[1:]:
        if isinstance(part, Compared):
            yield part
        else:
            yield from compared_in(part)  # type: ignore[arg-type]


def _law_text(law: tuple[object, ...]) -> str:
    match law:
        case ("listed", pairs):
            return "{" + ", ".join(f"{v}: {p}" for v, p in pairs) + "}"  # type: ignore[attr-defined]
        case ("conditioned", inner, low, high):
            return f"conditioned({_law_text(inner)}, {number(low)}, {number(high)})"  # type: ignore[arg-type]
        case (family, *arguments):
            return f"{family}({', '.join(number(a) for a in arguments)})"  # type: ignore[arg-type]


# ---- drawing them


def program(rng: random.Random, kind: str) -> Program:
    """A program of that kind."""
    entries = _entries(rng)
    endless = kind in ("kept for ever", "late", "kept and fresh for ever") or (kind in ("fresh", "rare") and _coin(rng))
    last = rng.choice([2, 3, 5, 8, 12]) if not endless else None
    last = rng.choice([10**3, 10**6, 10**9, 10**12]) if kind == "late" else last
    sums = not endless and rng.random() < 0.8
    plain = ["x"] if endless else rng.choice([["x"], ["s"], ["s", "step"], ["s", "x"]]) if sums else ["x", "step"]
    noises: tuple[Noise, ...]
    match kind:
        case "kept" | "kept for ever" | "late":
            noises = (Noise("z", _law(rng), True),)
        case "two kept":
            noises = (Noise("z", _law(rng), True), Noise("y", _law(rng), True))
        case "kept and fresh" | "kept and fresh for ever":
            noises = (Noise("z", _law(rng), True), Noise("w", _law(rng), False))
        case "rare":
            noises = (Noise("w", _law(rng, narrow=True), False),)
        case _:
            noises = (Noise("w", _law(rng), False),)
            if rng.random() < 0.4:
                noises += (Noise("v", _law(rng), False),)
    stops = tuple(
        Stop(_condition(rng, kind, plain, noises), label) for label in ("a", "b", "c")[: rng.choice([1, 1, 2, 2, 3])]
    )
    return Program(
        kind,
        entries,
        noises,
        stops,
        last,
        sums and any("s" in dict(c.by) for s in stops for c in compared_in(s.condition)),
    )


def _entries(rng: random.Random) -> tuple[tuple[int, Fraction], ...]:
    if rng.random() < 0.6:
        p = Fraction(rng.randint(1, 9), 10)
        return ((0, 1 - p), (1, p))
    p, q = Fraction(rng.randint(1, 4), 10), Fraction(rng.randint(1, 4), 10)
    return ((-1, p), (0, 1 - p - q), (rng.choice([1, 2]), q))


def _law(rng: random.Random, narrow: bool = False) -> tuple[object, ...]:
    family = rng.choice(CONTINUOUS + DISCRETE)
    scale = rng.choice([0.25, 0.5, 1.0, 2.0]) if not narrow else 0.25
    match family:
        case "laplace" | "gaussian" | "gumbel" | "logistic" | "exponential":
            return (family, scale)
        case "uniform":
            low = rng.choice([-2.0, -1.0, 0.0])
            return (family, low, low + rng.choice([1.0, 2.5]))
        case "conditioned":
            inner = (rng.choice(["laplace", "gaussian", "logistic", "gumbel", "geometric"]), scale)
            if inner[0] == "geometric":
                return ("conditioned", ("geometric", rng.choice([0.25, 0.5])), -2.0, 3.0)
            low = rng.choice([-1.0, 0.0, 0.5, 3 * scale, 6 * scale])
            return ("conditioned", inner, low, low + rng.choice([0.25, 1.0, 4.0]))
        case "geometric":
            return (family, rng.choice([0.125, 0.25, 0.5]) if not narrow else 0.125)
        case "discrete_gaussian":
            return (family, max(0.5, scale))
        case "poisson":
            return (family, max(0.5, scale))
    return ("listed", ((-1, Fraction(1, 4)), (0, Fraction(1, 2)), (rng.choice([1, 3]), Fraction(1, 4))))


def _condition(rng: random.Random, kind: str, plain: list[str], noises: tuple[Noise, ...]) -> Condition:
    roll = rng.random()
    if roll < 0.6:
        found: Condition = ("compare", _compared(rng, kind, plain, noises))
    elif roll < 0.7:
        found = ("not", ("compare", _compared(rng, kind, plain, noises)))
    else:
        parts = [("compare", _compared(rng, kind, plain, noises)) for _ in range(2)]
        found = (rng.choice(["and", "or"]), *parts)
        if rng.random() < 0.2:
            found = ("not", found)
    return found


def _compared(rng: random.Random, kind: str, plain: list[str], noises: tuple[Noise, ...]) -> Compared:
    """Two kept noises, or two fresh ones, do not meet in one comparison."""
    by: dict[str, float] = {}
    for name in plain:
        factor = rng.choice([1.0, 1.0, -1.0, 0.5]) if name != "step" else rng.choice([-0.25, 0.25, 0.5, -0.5])
        if rng.random() < 0.85:
            by[name] = factor
    kept, fresh = [n for n in noises if n.once], [n for n in noises if not n.once]
    chosen = [rng.choice(group) for group in (kept, fresh) if group and rng.random() < 0.85]
    if not chosen and not by:
        chosen = [rng.choice(noises)]
    for noise in chosen:
        by[noise.name] = rng.choice([1.0, 1.0, -1.0, 2.0, -0.5])
    reach = 1.0 if "s" not in by else 3.0
    widths = [_width(n.law) * abs(by[n.name]) for n in chosen]
    far = (8.0 if kind == "rare" else rng.choice([0.0, 1.0, 1.0, 3.0])) * max(widths, default=0.0)
    bound = round(4 * rng.choice([-1, 1]) * (rng.random() * reach + far)) / 4
    if rng.random() < 0.3:
        bound = float(round(bound))
    absolute = rng.random() < 0.15
    operator = rng.choice([">=", ">", "<=", "<"])
    return Compared(tuple(by.items()), operator, abs(bound) if absolute else bound, absolute)


def _width(law: tuple[object, ...]) -> float:
    match law:
        case ("geometric", ratio):
            return 1 / -math.log(ratio)  # type: ignore[arg-type]
        case ("listed", *_) | ("conditioned", *_) | ("uniform", *_):
            return 1.0
    return float(law[1])  # type: ignore[arg-type]


def _coin(rng: random.Random) -> bool:
    return rng.random() < 0.5
