"""Random programs on finite entries, with decimals, the step, memories and counts, and their exact laws: every sequence
of entries is run through by fractions."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from one_value import meaning as m
from one_value.expressions import Expressions, name
from one_value.meaning import Context, E

ALPHABETS = (("0", "1"), ("0.1", "0.3"), ("0.06", "0.07"), ("-1", "1"), ("0", "0.5", "1"), ("0.2", "0.7"))
Outcome = tuple[int, Any]
"""The step of the stop, and the number or label that is returned."""


@dataclass(frozen=True)
class Cell:
    """`fold` over the steps (or the last `window` of them) of `body`, where `where` holds."""

    name: str
    fold: str
    body: E
    where: E | None
    window: int | None

    @property
    def text(self) -> str:
        cut = "" if self.where is None else f" where {self.where}"
        time = "over steps" if self.window is None else f"over last {self.window}"
        return f"{self.fold}({self.body}{cut} {time})"


@dataclass(frozen=True)
class Previous:
    """`previous(body, start)`."""

    name: str
    body: E
    start: E

    @property
    def text(self) -> str:
        return f"previous({self.body}, {self.start})"


@dataclass(frozen=True)
class Program:
    letters: tuple[str, ...]
    memories: tuple[tuple[str, str, E, E | None], ...]
    """Name, initial decimal, next value, when."""
    statistics: tuple[tuple[str, Any], ...]
    """Name, and an expression, a cell or a previous value."""
    stop: E
    result: E
    steps: int

    @property
    def text(self) -> str:
        lines = ["algorithm random", f"stream x in {{{', '.join(self.letters)}}}"]
        lines.append(f"model even: x ~ uniform({{{', '.join(self.letters)}}})")
        lines += [f"memory {name} = {start}" for name, start, _, _ in self.memories]
        lines += [f"statistic {name} = {part.text}" for name, part in self.statistics]
        lines.append(f"stop when {self.stop} return {self.result}")
        lines.append(f"stop when step >= {self.steps} return {self.result}")
        for memory, _, value, when in self.memories:
            lines.append(f"update {memory} = {value}" + ("" if when is None else f" when {when}"))
        return "\n".join(lines) + "\n"

    def outcomes(self) -> Iterator[tuple[tuple[Fraction, ...], Outcome | None, bool]]:
        """Each sequence of entries, with what it leads to (None: to no value), and whether numbers came too near.
        Left out are those on which a number is infinite for engines, as 1 / 0, or the largest of no entries."""
        for entries in itertools.product([Fraction(t) for t in self.letters], repeat=self.steps):
            try:
                yield (entries, *self.run(entries))
            except m.Unspecified:
                continue

    def run(self, entries: tuple[Fraction, ...]) -> tuple[Outcome | None, bool]:
        memory: dict[str, Any] = {name: Fraction(start) for name, start, _, _ in self.memories}
        kept: dict[str, list[tuple[bool, Any]]] = {name: [] for name, _ in self.statistics}
        before: dict[str, Any] = {}
        near = False
        for step, entry in enumerate(entries, 1):
            c = Context({"x": entry, "step": Fraction(step), **memory})
            try:
                for name, part in self.statistics:
                    c.names = {**c.names, name: _statistic(name, part, c, kept, before)}
                for stop in (self.stop, None):
                    if stop is None and step < self.steps:
                        continue
                    if stop is None or stop.value(c):
                        return (step, self.result.value(c)), near or c.near
                for name, _, value, when in self.memories:
                    if when is None or when.value(c):
                        memory[name] = value.value(c)
                        c.names = {**c.names, name: memory[name]}
            except m.Infinite:
                raise m.Unspecified from None
            except m.NoValue:
                return None, near or c.near
            near = near or c.near
        raise AssertionError


def _statistic(
    name: str, part: Any, c: Context, kept: dict[str, list[tuple[bool, Any]]], before: dict[str, Any]
) -> Any:
    match part:
        case Cell(fold=fold, body=body, where=where, window=window):
            taken = where is None or bool(where.value(c))
            value = body.value(c) if taken else None
            kept[name].append((taken, value))
            first = 0 if window is None else max(len(kept[name]) - window, 0)
            seen = kept[name][first:]
            values = tuple(v for taken, v in seen if taken)
            if fold.startswith("arg"):
                places = [i for i, (taken, _) in enumerate(seen, first + 1) if taken]
                return Fraction(places[int(m.fold(fold, c, values)) - 1])
            if not values and fold in ("max", "min"):
                raise m.Unspecified
            return m.fold(fold, c, values)
        case Previous(body=body, start=start):
            found = before.get(name, start.value(c))
            before[name] = body.value(Context({**c.names, name: found}))
            return found
        case _:
            return part.value(c)


def random_program(rng: random.Random, depth: int = 2, steps: int = 4, irrational: bool = False) -> Program:
    """Of up to so many steps."""
    letters = rng.choice(ALPHABETS)
    public = [name("step")]
    memories: list[tuple[str, str, E, E | None]] = []
    public.extend(name(f"w{i}") for i in range(rng.choice((0, 1, 1, 2))))
    made = Expressions(rng, public, irrational=irrational)
    for leaf in public[1:]:
        start = rng.choice(("0", "1", "0.1", "0.3"))
        memories.append((leaf.text, start, _next(rng, made, leaf), made.truth(1) if rng.random() < 0.3 else None))
    names = [*public, name("x")]
    statistics: list[tuple[str, Any]] = []
    for i in range(rng.choice((1, 2, 2, 3))):
        inner = Expressions(rng, names, irrational=irrational)
        inner.fresh = 100 * (i + 1)
        statistics.append((f"s{i}", _part(rng, inner, f"s{i}")))
        names.append(name(f"s{i}"))
    inner = Expressions(rng, names, irrational=irrational)
    inner.fresh = 1000
    stop, result = inner.truth(depth), inner.number(depth)
    return Program(letters, tuple(memories), tuple(statistics), stop, result, rng.choice(range(2, steps + 1)))


def _next(rng: random.Random, made: Expressions, leaf: E) -> E:
    from one_value.expressions import binary, decimal

    kind = rng.random()
    if kind < 0.5:
        return binary(rng.choice("+-"), leaf, decimal(rng.choice(("0.1", "0.3", "0.07", "1"))))
    if kind < 0.65:
        return binary("*", leaf, decimal(rng.choice(("0.9", "0.5", "2", "10"))))
    return made.number(1)


def _part(rng: random.Random, made: Expressions, own: str) -> Any:
    kind = rng.random()
    if kind < 0.55:
        fold = rng.choice(("sum", "sum", "mean", "count", "max", "min", "argmax", "argmin"))
        body = made.truth(1) if fold == "count" else made.number(1)
        where = made.truth(1) if rng.random() < 0.25 else None
        return Cell(own, fold, body, where, rng.choice((None, None, 2)))
    if kind < 0.75:
        return Previous(own, made.number(1), made.number(0) if rng.random() < 0 else _decimal(rng))
    return made.number(2)


def _decimal(rng: random.Random) -> E:
    from one_value.expressions import decimal

    return decimal(rng.choice(("0", "1", "0.1", "0.3")))
