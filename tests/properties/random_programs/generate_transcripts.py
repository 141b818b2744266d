"""Random programs with discrete noise anywhere: comparisons, thresholds, reports that start things anew, released
values that memory keeps, noise in sums, choices; and comparisons with continuous noise. `enumeration` lists their laws.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from random_programs.generate import Maker, Num, Scope
from random_programs.syntax import (
    STEP,
    E,
    Field,
    Noise,
    Program,
    Statement,
    call,
    free,
    index,
    name,
    num,
    op,
    upto,
    var,
)


def label(n: str) -> E:
    return E("label", (), (n,))


class Transcripts:
    """One program in the making."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        m = self.m = Maker(self.rng)
        m.whole_only = True
        self.family = self.rng.choices(["geometric", "laplace", "gaussian", "exponential"], [6, 1.5, 1.5, 1])[0]
        m.kind = "stream" if self.rng.random() < 0.8 else "dataset"
        m.size, m.steps = 2, self.rng.choice([2, 2, 3]) if m.kind == "stream" else self.rng.choice([1, 2])
        self.parameters: list[tuple[str, float]] = []
        self.noises: list[Noise] = []
        self.memories: list[tuple[str, float]] = []
        self.statements: list[Statement] = []
        self.events: list[str] = []
        self.declared: list[str] = []
        self.scope = Scope()
        self.bars: list[E] = []
        self.compared: list[tuple[str, Num]] = []
        self.left: list[str] = []
        self.secret: set[str] = {"x", "y"}
        self.local = False
        """Whether the entries themselves are flipped."""

    def program(self) -> Program:
        r, m = self.rng, self.m
        self._inputs()
        if r.random() < 0.4:
            self.memories.append(("w", 0.0))
            self.scope.numbers["w"] = Num(name("w"), -2, 4)
            self.bars.append(name("w"))
        if r.random() < 0.35:
            m.events.append("R")
        for i in range(r.choice([1, 1, 2])):
            self.parameters.append((f"T{i}", float(r.choice([0, 1, 1, 2]))))
            self.bars.append(name(f"T{i}"))
        if r.random() < 0.15:
            m.functions.append(m.function("f"))
        if self.family == "geometric" and r.random() < 0.08:
            self.noises.append(Noise(("bernoulli", r.choice([0.75, 0.5])), (), r.choice(["", "", "once"]), "c"))
            self.scope.numbers["c"] = Num(name("c"), 0, 1)
        for i in range(r.choice([1, 1, 2])):
            self._statistic(f"s{i}")
        self.left = [n for n, _ in self.compared]
        for i in range(r.choice([1, 1, 2, 2])):
            self._gate(i)
        if self.family == "geometric" and r.random() < 0.06:
            self._ranking()
        self._noise()
        if m.events and "R" not in self.declared:
            self._event("R")
        if m.kind == "stream":
            self.statements.append(self._last())
        elif not any(s.kind == "stop" for s in self.statements[-1:]) or m.steps > 1:
            self.statements.append(Statement("stop", when=op(">=", STEP, num(float(m.steps)))))
        return Program(
            m.kind, m.fields, m.size, m.steps, m.adjacency, tuple(self.statements), tuple(self.noises),
            tuple(m.functions), tuple(self.parameters), tuple(self.memories), letters=r.randrange(10**6),
            horizon=r.randrange(1, m.steps + 1) if m.kind == "stream" and r.random() < 0.1 else None,
        )  # fmt: skip

    def _inputs(self) -> None:
        r, m = self.rng, self.m
        if r.random() < 0.15:
            m.fields = (Field("x", "real", (0.0, 1.0)),)
            m.ranges["x"] = (0.0, 1.0, True)
            m.adjacency = (r.choice(["one", "every"]), "x", 1.0, r.random() < 0.2)
            return
        m.fields = tuple(m.field(n) for n in ("x", "y")[: r.choice([1, 1, 1, 2])])
        if self.family == "geometric" and r.random() < 0.08 and not m.vectors:
            life = "once" if len(m.fields[0].values) == 2 and r.random() < 0.2 else ""
            self.noises.append(Noise(("randomized_response", r.choice([0.75, 0.625])), ("x",), life))
            self.local = True
        options: list[tuple[Any, ...]] = [("replace", 1)] * 5 + [("replace", 2)]
        m.adjacency = r.choice(options + ([("add or remove", 1)] * 4 if m.kind == "dataset" else []))

    def _statistic(self, n: str) -> None:
        m = self.m
        if self.rng.random() < 0.1:
            items = m.items(1, self.scope)
            self.scope.lists[n] = items.__class__(name(n), items.length, items.low, items.high, items.whole)
            self.statements.append(Statement("statistic", n, items.e))
            n += "_"
        a = self._private(lambda: m.number(self.rng.choice([1, 2, 2]), self.scope))
        if self.rng.random() < 0.6 and m.kind == "stream":
            a = self._private(lambda: m.time(self.rng.choice([1, 1, 2]), self.scope))
        if m.kind == "stream" and self.rng.random() < 0.12:
            a = self._private(lambda: m.recursion(n, 1, self.scope))
        self.secret.add(n)
        b = Num(name(n), a.low, a.high, a.whole)
        if self.family == "geometric" and self.rng.random() < 0.08:
            flipped = E("if", (m.truth(1, self.scope), num(1.0), num(0.0)))
            self.statements.append(Statement("statistic", n, flipped))
            self.noises.append(Noise(("randomized_response", self.rng.choice([0.75, 0.625])), (n,), self._life(0.15)))
            self.scope.numbers[n] = Num(name(n), 0, 1)
            if self.rng.random() < 0.4:
                again = f"{n}f"
                told = E("if", (op(self.rng.choice(["==", ">="]), name(n), num(1.0)), num(1.0), num(0.0)))
                self.statements.append(Statement("statistic", again, name(n) if self.rng.random() < 0.7 else told))
                self.noises.append(Noise(("randomized_response", 0.75), (again,)))
                if self.rng.random() < 0.3:
                    self.scope.numbers[again] = Num(name(again), 0, 1)
                    self.secret.add(again)
                else:
                    del self.scope.numbers[n]  # shown, and read by nothing else
                if self.rng.random() < 0.8:
                    self.statements.append(Statement("report", f"{again}r", name(again)))
            self._statistic(f"{n}_")
            return
        self.statements.append(Statement("statistic", n, a.e))
        if self.rng.random() < 0.35 and not n.endswith("_"):
            # read by what follows, and mostly without noise of its own
            self.scope.numbers[n] = b
            if self.rng.random() < 0.85:
                self._statistic(f"{n}_")
                return
        self.compared.append((n, b))

    def _private(self, make: Callable[[], Num]) -> Num:
        """Something that reads the data: what does not is of little use here."""
        for _ in range(8):
            made = make()
            if free(made.e)[1] & self.secret:
                return made
        return made

    def _truth(self) -> E:
        r = self.rng
        atom = self._atom()
        roll = r.random()
        if roll < 0.08:
            return op(r.choice(["and", "or"]), atom, self._atom())
        if roll < 0.2:
            return op("and", op(r.choice([">=", "=="]), STEP, num(2.0)), atom)
        return call("not", atom) if roll < 0.25 else atom

    def _atom(self) -> E:
        r = self.rng
        if r.random() < 0.08:
            return self.m.truth(
                1, Scope(numbers={n: v for n, v in self.scope.numbers.items() if n == "w"}, looks=False, private=False)
            )
        if self.family != "geometric":
            if not self.left:
                return op(">=", STEP, num(2.0))
            return op(r.choice([">=", "<=", ">", "<"]), name(self.left.pop()), r.choice(self.bars))
        left = name(r.choice(self.compared)[0])
        right = r.choice(self.bars)
        if r.random() < 0.1:
            right = op("+", right, num(1.0))
        if r.random() < 0.08 and len(self.compared) > 1:
            right = name(r.choice(self.compared)[0])
        return op(r.choice([">=", ">=", "<=", ">", "<"]), left, right)

    def _event(self, n: str) -> None:
        self.declared.append(n)
        if self.rng.random() < 0.15:
            when = op(self.rng.choice([">=", "<="]), STEP, num(2.0)) if self.rng.random() < 0.5 and n != "R" else None
            self.statements.append(Statement("report", n, self._truth(), when))
            if when is None:
                self.events.append(n)
            return
        self.statements.append(Statement("report", n, None, self._truth()))
        self.events.append(n)

    def _gate(self, i: int) -> None:
        r, m = self.rng, self.m
        roll = r.random() * (0.6 if self.family != "geometric" else 1)
        if roll < 0.3:
            n = "R" if m.events and "R" not in self.declared else f"high{i}"
            self._event(n)
            if n in self.events and self.memories and r.random() < 0.6:
                self.statements.append(Statement("update", "w", op("+", name("w"), num(1.0)), name(n)))
        elif roll < 0.6:
            self.statements.append(Statement("stop", "", label(f"r{i}") if r.random() < 0.9 else None, self._truth()))
        elif roll < 0.85:
            when = name(r.choice(self.events)) if self.events and r.random() < 0.6 else None
            a = self._private(lambda: m.number(r.choice([0, 1, 2]), self.scope))
            n = "R" if m.events and "R" not in self.declared and r.random() < 0.5 else f"v{i}"
            self.declared.append(n)
            self.statements.append(Statement("report", n, a.e, when))
            if r.random() < 0.96:
                self.noises.append(Noise(self._law(), (n,), self._life(0.05)))
            if self.memories and r.random() < 0.6:
                value = call("clip", name(n), num(-1.0), num(2.0))
                self.statements.append(Statement("update", "w", value, when))
        elif roll < 0.95:
            self._choice(i)
        else:
            self._best(i)

    def _best(self, i: int) -> None:
        """The place of the largest or smallest of a noisy list, all of it or all but one place."""
        r, m = self.rng, self.m
        items = m.items(1, self.scope, r.choice([2, 2, 3]))
        n, which = f"l{i}", r.choice(["argmax", "argmin"])
        self.statements.append(Statement("statistic", n, items.e))
        self.noises.append(Noise(("geometric", self._ratio()), (n,)))
        best = call(which, name(n))
        if items.length == 3 and r.random() < 0.6:
            v = next(m.count)
            other = name("w") if self.memories else num(float(r.choice([1, 2, 3])))
            best = E("fold", (index(name(n), var(v)), upto(num(1.0), num(3.0)), op("!=", var(v), other)), (which, v))
        self.statements.append(Statement("report", f"A{i}", best))
        if self.memories and r.random() < 0.7:
            self.statements.append(Statement("update", "w", name(f"A{i}")))

    def _choice(self, i: int) -> None:
        r, m = self.rng, self.m
        n = f"c{i}"
        if r.random() < 0.4:
            chance = call("clip", op("/", m.number(1, self.scope).e, num(4.0)), num(0.25), num(0.75))
            self.statements.append(Statement("draw", n, call("bernoulli", chance)))
        else:
            v = next(m.count)
            inside = self.scope.under(v, 1, 2, looks=False)
            weight = call("exp", op("/", m.number(2, inside).e, num(2.0)))
            self.statements.append(Statement("draw", n, E("weights", (weight, upto(num(1.0), num(2.0))), (v,))))
        when = name(r.choice(self.events)) if self.events and r.random() < 0.4 else None
        self.statements.append(Statement("report", f"g{i}", name(n), when))

    def _ranking(self) -> None:
        """The best of a noisy list, and the best of the rest or the largest number, by the same noise."""
        r, m = self.rng, self.m
        items = m.items(1, self.scope, 3)
        v, w = next(m.count), next(m.count)
        self.statements.append(Statement("statistic", "q", items.e))
        self.noises.append(Noise(("geometric", 0.0625), ("q",), self._life(0.3)))
        self.statements.append(Statement("report", "first", call("argmax", name("q"))))
        domain = upto(num(1.0), num(3.0))
        rest = E("fold", (index(name("q"), var(v)), domain, op("!=", var(v), name("first"))), ("argmax", v))
        more = E("fold", (index(name("q"), var(w)), domain, op("!=", var(w), name("first"))), ("max", w))
        shown = r.choice([rest, rest, call("max", name("q")), op("-", call("max", name("q")), more)])
        self.statements.append(Statement("report", "second", shown))

    def _life(self, kept: float) -> str:
        return "once" if self.rng.random() < kept else ""

    def _law(self) -> tuple[Any, ...]:
        """Mostly geometric noise; now and then a law of few values."""
        roll = self.rng.random()
        if roll < 0.03:
            return ("conditioned", ("geometric", 0.25), -2.0, 2.0)
        if roll < 0.05:
            return ("listed", ((-1.0, 0.25), (0.0, 0.5), (1.0, 0.25)))
        return ("geometric", self._ratio())

    def _ratio(self) -> float:
        return self.rng.choice([0.125, 0.0625])

    def _noise(self) -> None:
        r = self.rng
        lives = ["once", "once", "once", ""] + [f"each {n}" for n in self.declared]
        if self.family != "geometric":
            kept = self.family if r.random() < 0.75 else r.choice(["gaussian", "laplace", "exponential"])
            scales = [2.0, 4.0] if self.family == "gaussian" else [1.0, 2.0]
            self.noises += [Noise((self.family, r.choice(scales)), (n,)) for n, _ in self.compared]
            bars = [n for n, _ in self.parameters]
            if len(bars) > 1 and r.random() < 0.5:
                factors = r.choice([(1, -1), (1, -1), (1, 1)])
                life = r.choice([*lives[:3], *lives[4:]])
                self.noises.append(Noise((kept, r.choice([1.0, 2.0])), tuple(bars), life, "z", factors))
                return
            for n in bars:
                if r.random() < 0.6:
                    life = r.choice([*lives[:3], *lives[4:]])
                    self.noises.append(Noise((kept, r.choice([1.0, 2.0])), (n,), life))
            return
        labels = {s.value.data[0] for s in self.statements if s.kind == "stop" and s.value is not None}
        if len(labels) > 1 and r.random() < 0.4:
            self.noises.append(Noise(("randomized_response", r.choice([0.75, 0.6])), ("return",)))
        for n, _ in self.compared:
            if r.random() < (0.4 if self.local else 0.92):
                self.noises.append(Noise(("geometric", self._ratio()), (n,), self._life(0.05)))
        bars = [n for n, _ in self.parameters]
        if len(bars) > 1 and r.random() < 0.4:
            factors = r.choice([(1, -1), (1, 1)])
            self.noises.append(Noise(("geometric", self._ratio()), tuple(bars), r.choice(lives), "z", factors))
            return
        for n in bars:
            if r.random() < 0.7:
                self.noises.append(Noise(("geometric", self._ratio()), (n,), r.choice(lives)))

    def _last(self) -> Statement:
        ends = op(">=", STEP, num(float(self.m.steps)))
        if self.events and self.rng.random() < 0.4:
            ends = op("or", ends, op(">=", E("time", (name(self.events[0]),), ("count", "steps", None)), num(1.0)))
        return Statement("stop", when=ends)


def transcript_program(seed: int) -> Program:
    """A program whose law can be listed."""
    made = Transcripts(seed).program()
    updates = [i for i, s in enumerate(made.statements) if s.kind == "update"]
    if len(updates) > 1:  # one update of a memory
        keep = updates[-1]
        statements = tuple(s for i, s in enumerate(made.statements) if s.kind != "update" or i == keep)
        made = Program(
            made.kind, made.fields, made.size, made.steps, made.adjacency, statements, made.noises, made.functions,
            made.parameters, made.memories, letters=made.letters,
        )  # fmt: skip
    return made
