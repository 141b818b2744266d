"""Random programs that choose among a few candidates, for `particles` to enumerate: noisy maxima, the best of the rest,
draws with exponential weights, largest values; one set of noises, or a new one in each step."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
from particles import Expr, Law, Noise, Program, Statement, Table, geometric
from report_programs import Instance, compared, num, step


def random_selection(rng: random.Random) -> Instance:
    """One instance: two or three candidates, one or two steps, up to three reports."""
    return _Maker(rng).instance()


class _Maker:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.k = rng.choice((2, 3, 3))
        self.length = rng.choice((1, 2, 2))
        self.stream = self.length == 2 and rng.random() < 0.3
        self.tags: set[str] = set()
        self.lines: list[str] = []
        self.statements: list[Statement] = []
        self.winners: list[str] = []
        self.set = f"1..{self.k}" if self.stream or rng.random() < 0.3 else "records"

    def names(self) -> frozenset[str]:
        return frozenset(f"q{i}" for i in range(1, self.k + 1))

    def numbers(self, t: Table) -> Any:
        return np.stack([t.read(f"q{i}") for i in range(1, self.k + 1)])

    # ---- what is shown

    def winner(self, smallest: bool) -> Expr:
        """The position of the largest, maybe without earlier winners or some others."""
        word, sign = ("argmin", -1) if smallest else ("argmax", 1)
        left = [w for w in self.winners if self.rng.random() < 0.7]
        some = self.rng.random() < 0.1
        odd = self.rng.random() < 0.1 and not left
        names = self.names() | frozenset(left)

        def column(t: Table) -> Any:
            v = sign * self.numbers(t)
            for w in left:
                v = np.where(np.arange(1, self.k + 1)[:, None] == t.columns[w], -99.0, v)
            if some:
                v = np.where(np.arange(1, self.k + 1)[:, None] == 1, -98.0, v)
            if odd:
                first = np.arange(self.k)[:, None] == (t.step - 1) % self.k
                v = np.where(first, -98.0, v)
            return 1.0 + np.argmax(v, axis=0)

        conditions = [f"i != {w}" for w in left] + ["i != 1"] * some
        if odd:
            conditions.append(f"i != (step - 1) % {self.k} + 1")
        if not conditions and self.rng.random() < 0.7:
            return Expr(f"{word}(q)", column, names)
        where = f" where {' and '.join(conditions)}" if conditions else ""
        self.tags.add("among some")
        return Expr(f"{word}(q[i] for i in {self.set}{where})", column, names)

    def amount(self) -> Expr:
        pick = self.rng.random()
        if pick < 0.4:
            return Expr("max(q)", lambda t: self.numbers(t).max(axis=0), self.names())
        if pick < 0.6:
            return Expr("min(q)", lambda t: self.numbers(t).min(axis=0), self.names())
        if pick < 0.8:
            return Expr("sum(q)", lambda t: self.numbers(t).sum(axis=0), self.names())
        return Expr("q[1]", lambda t: t.read("q1"), self.names())

    def guard(self) -> Expr | None:
        if self.length == 1 or self.rng.random() < 0.6:
            return None
        return self.rng.choice(
            (compared("==", step(), num(1)), compared(">=", step(), num(2)), compared("==", step(), num(2)))
        )

    def add(self, statement: Statement, text: str) -> None:
        self.statements.append(statement)
        self.lines.append(text)

    # ---- the whole

    def instance(self) -> Instance:
        rng = self.rng
        kind = f"real ^ {self.k}" if self.stream else f"real size {self.k}"
        self.adjacency = rng.choice(("every", "every", "every same", "one", "one same", "replace"))
        if self.stream and self.adjacency == "replace":
            self.adjacency = "every"
        bounded = self.adjacency == "replace"
        words = f"{'stream' if self.stream else 'dataset'} q in {'0..2 size ' + str(self.k) if bounded else kind}"
        self.lines.append(words.replace("real", "-9..9") if rng.random() < 0.8 else words)
        if not bounded:
            same = " same direction" if "same" in self.adjacency else ""
            self.lines.append(f"adjacent {self.adjacency.split()[0]} q within 1{same}")
        self.tags.add(self.adjacency)
        plain = rng.random() < 0.2
        if plain:
            self._exponential()
        for n in range(rng.randint(0 if plain else 1, 1 if plain else 3)):
            pick = rng.random()
            guard = self.guard()
            when = "" if guard is None else f" when {guard.text}"
            if pick < 0.75:
                shown = self.winner(rng.random() < 0.12)
                self.add(Statement("value", f"r{n}", shown, guard), f"report r{n} = {shown.text}{when}")
                if guard is None:
                    self.winners.append(f"r{n}")
            elif pick < 0.9:
                shown = self.amount()
                self.tags.add("amount")
                self.add(Statement("value", f"r{n}", shown, guard), f"report r{n} = {shown.text}{when}")
            else:
                self.tags.add("test")
                shown = self.amount()
                inner = compared(">=", shown, num(1))
                self.add(Statement("event", f"R{n}", None, inner), f"report R{n} when {inner.text}")
        stop = compared(">=", step(), num(self.length))
        returned = self.winner(False) if rng.random() < 0.25 else None
        self.add(Statement("stop", "", returned, stop),
                 f"stop when {stop.text}{'' if returned is None else f' return {returned.text}'}")  # fmt: skip
        law: Law = geometric(*rng.choice(((1 / 8, 4), (1 / 4, 5), (1 / 16, 4))))
        life = "once" if rng.random() < 0.4 else "step"
        noises: tuple[Noise, ...] = ()
        if not plain or rng.random() < 0.5:
            self.lines.append(f"attach {law.text} to q{' once' if life == 'once' else ''}")
            noises = tuple(Noise(f"n{i}", law, life, ((f"q{i}", 1),)) for i in range(1, self.k + 1))
        self.tags.add(f"life {life}")
        text = "algorithm selection\n" + "\n".join(self.lines) + "\n"
        return Instance(Program(tuple(self.statements), noises, text=text), tuple(self.pairs()), frozenset(self.tags))

    def _exponential(self) -> None:
        self.tags.add("exponential")
        rate = self.rng.choice((1, 2))
        guard = self.guard()

        def weight(i: int) -> Expr:
            return Expr("", lambda t: np.exp(rate / 2 * (t.read(f"q{i}") - 4)), self.names())

        choices = tuple((float(i), weight(i)) for i in range(1, self.k + 1))
        self.add(Statement("draw", "d", None, None, choices),
                 f"draw d ~ {{i: exp({rate} * q[i] / 2) for i in {self.set}}}")  # fmt: skip
        shown = Expr("d", lambda t: t.columns["d"], frozenset({"d"}))
        when = "" if guard is None else f" when {guard.text}"
        self.add(Statement("value", "e", shown, guard), f"report e = d{when}")

    def pairs(self) -> list[tuple[tuple[Any, ...], tuple[Any, ...]]]:
        rng, k = self.rng, self.k
        bases = [(0,) * k, *(tuple(rng.randint(0, 2) for _ in range(k)) for _ in range(3))]
        if self.adjacency == "replace":
            moved = [
                (b, tuple(v if j == i else b[j] for j in range(k))) for b in bases for i in range(k) for v in (0, 1, 2)
            ]
            return [(self.entries(a, a), self.entries(b, b)) for a, b in moved if a != b]
        same = "same" in self.adjacency
        moves = [m for m in itertools.product((0, 1) if same else (-1, 0, 1), repeat=k) if any(m)]
        if self.stream:
            found = []
            for b in bases[:2]:
                for _ in range(10):
                    m, n = rng.choice(moves), rng.choice(moves)
                    if self.adjacency.startswith("one"):
                        m, n = ((0,) * k, n) if rng.random() < 0.5 else (m, (0,) * k)
                    c = rng.choice(bases)
                    plus = (
                        tuple(x + y for x, y in zip(b, m, strict=True)),
                        tuple(x + y for x, y in zip(c, n, strict=True)),
                    )
                    found.append((self.entries(b, c), self.entries(*plus)))
            return found
        if self.adjacency.startswith("one"):
            moves = [m for m in moves if sum(map(abs, m)) == 1]
        return [
            (self.entries(b, b), self.entries(*[tuple(x + y for x, y in zip(b, m, strict=True))] * 2))
            for b in bases[:3]
            for m in moves
        ]

    def entries(self, *steps: tuple[int, ...]) -> tuple[dict[str, int], ...]:
        return tuple({f"q{i}": v for i, v in enumerate(values, 1)} for values in steps[: self.length])
