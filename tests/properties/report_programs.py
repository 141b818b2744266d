"""Random programs with reports, released values, memory, choices and shared noise, for `particles` to enumerate."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from particles import Expr, Law, Noise, Program, Statement, Table, bernoulli, conditioned, flip, geometric, listed

# ---- expressions


def num(value: int) -> Expr:
    return Expr(str(value), lambda t: np.full(len(t.weight), float(value)))


def name(n: str) -> Expr:
    return Expr(n, lambda t: t.read(n), frozenset({n}))


def coin(n: str) -> Expr:
    """A draw that is read by its own name."""
    return Expr(n, lambda t: t.columns[f"~{n}"], frozenset({f"~{n}"}))


def memory(n: str) -> Expr:
    return Expr(n, lambda t: t.columns[n])


def step() -> Expr:
    return Expr("step", lambda t: np.full(len(t.weight), float(t.step)))


def fired(report: str) -> Expr:
    return Expr(report, lambda t: t.columns[f"now {report}"])


def made(text: str, f: Callable[..., Any], *parts: Expr) -> Expr:
    """`text` with {} for each part."""
    names = frozenset().union(*(p.names for p in parts))
    cells = tuple(c for p in parts for c in p.cells)
    return Expr(text.format(*(p.text for p in parts)), lambda t: f(*(p.column(t) for p in parts)), names, cells)


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, ">=": np.greater_equal, "<=": np.less_equal, ">": np.greater,
    "<": np.less, "==": np.equal, "%": np.mod, "and": np.logical_and, "or": np.logical_or,
}  # fmt: skip


def op(symbol: str, a: Expr, b: Expr) -> Expr:
    f = OPERATORS[symbol]
    return made(f"({{}} {symbol} {{}})", lambda x, y: f(x, y).astype(float), a, b)


def compared(symbol: str, a: Expr, b: Expr) -> Expr:
    """A comparison, without brackets around it."""
    f = OPERATORS[symbol]
    return made(f"{{}} {symbol} {{}}", lambda x, y: f(x, y).astype(float), a, b)


def negation(a: Expr) -> Expr:
    return made("not ({})", lambda x: 1.0 - x, a)


def bracket(a: Expr) -> Expr:
    return made("({})", lambda x: x, a)


def choice(c: Expr, a: Expr, b: Expr) -> Expr:
    return made("(if {} then {} else {})", lambda x, y, z: np.where(x > 0.5, y, z), c, a, b)


def clip(a: Expr, low: int, high: int) -> Expr:
    return made(f"clip({{}}, {low}, {high})", lambda x: np.clip(x, low, high), a)


def absolute(a: Expr) -> Expr:
    return made("abs({})", np.abs, a)


def larger(a: Expr, b: Expr, smaller: bool = False) -> Expr:
    return made(f"{'min' if smaller else 'max'}({{}}, {{}})", np.minimum if smaller else np.maximum, a, b)


def argmax(parts: Sequence[Expr], smallest: bool = False) -> Expr:
    """Position from 1, the first of equals."""
    pick = np.argmin if smallest else np.argmax
    inner = ", ".join("{}" for _ in parts)
    return made(f"arg{'min' if smallest else 'max'}([{inner}])",
                lambda *xs: 1.0 + pick(np.stack(np.broadcast_arrays(*xs)), axis=0), *parts)  # fmt: skip


class Cells:
    """Names for the columns that last."""

    def __init__(self) -> None:
        self.count = itertools.count()

    def new(self) -> str:
        return f"cell {next(self.count)}"

    def fold(self, text: str, a: Expr, start: float, f: Callable[[Any, Any], Any], report: str | None = None) -> Expr:
        """`text` with {} for a; with a report: starts anew in the step after it."""
        cell = self.new()

        def column(t: Table) -> Any:
            new = a.column(t)
            old = t.columns[cell]
            if report is not None:
                old = np.where(t.columns[f"fired {report}"] > 0, start, old)
            t.columns[cell] = f(old, new)
            return t.columns[cell]

        return Expr(text.format(a.text), column, a.names, (*a.cells, (cell, start)))

    def total(self, a: Expr, where: Expr | None = None, report: str | None = None) -> Expr:
        over = "over steps" if report is None else f"since {report}"
        if where is None:
            return self.fold(f"sum({{}} {over})", a, 0.0, np.add, report)
        part = made("{} where {}", lambda x, c: np.where(c > 0.5, x, 0.0), a, where)
        return self.fold(f"sum({{}} {over})", part, 0.0, np.add, report)

    def number_of(self, a: Expr, report: str | None = None) -> Expr:
        over = "over steps" if report is None else f"since {report}"
        return self.fold(f"count({{}} {over})", a, 0.0, np.add, report)

    def extreme(self, a: Expr, smallest: bool, report: str | None = None) -> Expr:
        over = "over steps" if report is None else f"since {report}"
        word, f = ("min", np.minimum) if smallest else ("max", np.maximum)
        return self.fold(f"{word}({{}} {over})", a, 40.0 if smallest else -40.0, f, report)

    def window(self, a: Expr, largest: bool = False) -> Expr:
        """Over the last two."""
        cell = self.new()

        def column(t: Table) -> Any:
            new, old = a.column(t), t.columns[cell]
            t.columns[cell] = new
            if not largest:
                return old + new
            return new if t.step == 1 else np.maximum(old, new)

        return Expr(f"{'max' if largest else 'sum'}({a.text} over last 2)", column, a.names, (*a.cells, (cell, 0.0)))

    def previous(self, a: Expr, start: int) -> Expr:
        cell = self.new()

        def column(t: Table) -> Any:
            old = t.columns[cell]
            t.columns[cell] = np.broadcast_to(a.column(t), t.weight.shape).astype(float)
            return old

        return Expr(f"previous({a.text}, {start})", column, a.names, (*a.cells, (cell, float(start))))

    def at_reports(self, a: Expr, report: str, length: bool = False) -> Expr:
        """The sum (or number) of the values that `a` had at the earlier reports."""
        cell, last = self.new(), self.new()

        def column(t: Table) -> Any:
            more = np.ones(len(t.weight)) if length else t.columns[last]
            t.columns[cell] = t.columns[cell] + np.where(t.columns[f"fired {report}"] > 0, more, 0.0)
            now = a.column(t)
            t.columns[last] = np.zeros(len(t.weight)) if length else np.broadcast_to(now, t.weight.shape).astype(float)
            return t.columns[cell]

        text = f"{'length' if length else 'sum'}(history({a.text}, {report}))"
        return Expr(text, column, a.names, (*a.cells, (cell, 0.0), (last, 0.0)))

    def cusum(self, own: str, a: Expr) -> Expr:
        return self.fold(
            f"max(0, previous({own}, 0) + {{}} - 1)", a, 0.0, lambda old, new: np.maximum(0, old + new - 1)
        )

    def halving(self, own: str, a: Expr) -> Expr:
        return self.fold(f"(floor(previous({own}, 0) / 2) + {{}})", a, 0.0, lambda old, new: np.floor(old / 2) + new)


# ---- programs


@dataclass(frozen=True)
class Instance:
    """A program with pairs of neighbouring streams. `tags` say what is in it."""

    program: Program
    pairs: tuple[tuple[tuple[Any, ...], tuple[Any, ...]], ...]
    tags: frozenset[str]

    @property
    def text(self) -> str:
        return self.program.text


def random_instance(rng: random.Random, *, reach: int = 0) -> Instance:
    """One instance. `reach` > 0: noise is cut off that far out, not where speed asks for it."""
    while True:
        found = _Maker(rng, reach).instance()
        if found is not None:
            return found


class _Maker:
    def __init__(self, rng: random.Random, reach: int) -> None:
        self.rng, self.reach = rng, reach
        self.cells = Cells()
        self.tags: set[str] = set()
        self.lines: list[str] = []
        self.statements: list[Statement] = []
        self.numbers: list[str] = []  # statistics
        self.bars: list[str] = []
        self.parameters: dict[str, float] = {}
        self.events: list[str] = []
        self.values: list[tuple[str, str | None]] = []  # and the event under which they are shown
        self.memories: list[tuple[str, float]] = []
        self.every = False
        self.length = 3
        self.calm = rng.random() < 0.55  # of the kinds that proofs are about: one test of one quantity, noise on all
        self.quantities = rng.randint(1, 3)
        self.coins: list[Noise] = []
        self.quiet: set[str] = {"d"}  # random themselves: noise is added seldom
        self.fresh = rng.random() < 0.2  # no noise that lasts

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def pick(self, *items: Any) -> Any:
        return self.rng.choice(items)

    # ---- parts

    def entry(self) -> Expr:
        return name("y") if self.two and self.chance(0.4) else name("x")

    def statistic(self, own: str, reports: list[str]) -> Expr:
        c, x = self.cells, self.entry()
        simple: list[Callable[[], Expr]] = [
            lambda: x,
            lambda: c.window(x),
            lambda: c.extreme(x, False),
            lambda: c.extreme(x, True),
            lambda: c.window(x, True),
            lambda: choice(compared(">=", x, num(1)), num(2), num(0)),
            lambda: op("-", x, c.previous(self.entry(), 0)),
            lambda: op("*", num(2), x),
            lambda: choice(compared(">=", step(), num(2)), x, num(0)),
        ]
        sums: list[Callable[[], Expr]] = [
            lambda: c.total(x),
            lambda: c.total(x),
            lambda: c.total(op("-", num(1), x)),
            lambda: c.number_of(compared(">=", x, num(1))),
            lambda: c.cusum(own, x),
            lambda: c.halving(own, x),
            lambda: clip(c.total(x), 0, 2),
            lambda: absolute(op("-", c.total(x), num(1))),
            lambda: c.total(x, compared("==", op("%", step(), num(2)), num(0))),
            lambda: c.total(op("*", x, op("-", num(2), step()))),
            lambda: c.previous(c.total(x), 0),
            lambda: op("%", c.total(x), num(2)),
        ]
        if self.two:
            sums += [lambda: c.total(op("-", name("x"), name("y"))), lambda: c.total(op("*", name("x"), name("y")))]
            simple += [lambda: op("-", name("x"), name("y")), lambda: larger(name("x"), name("y"))]
        if reports:
            r = self.rng.choice(reports)
            sums += [lambda: c.total(x, None, r)] * 3
            sums += [lambda: c.number_of(compared(">=", x, num(1)), r), lambda: c.at_reports(x, r)]
            simple += [lambda: c.extreme(x, self.chance(0.3), r)]
        if self.numbers and self.chance(0.25):
            a = name(self.rng.choice(self.numbers))
            others = [lambda: a, lambda: op("+", a, x), lambda: op("-", num(1), a), lambda: c.total(a),
                      lambda: larger(a, num(1)), lambda: c.previous(a, 0), lambda: op("*", num(2), a)]  # fmt: skip
            return self.rng.choice(others)()
        if self.every and self.chance(0.85):
            return self.rng.choice(simple)()
        return self.rng.choice(simple + sums if self.chance(0.5) else sums)()

    def number(self) -> Expr:
        """A quantity that a test or release reads."""
        a = name(self.rng.choice(self.numbers))
        if self.chance(0.08):
            self.tags.add("public factor")
            m = [op("+", num(1), memory("m"))] if self.memories else []
            return op("*", self.rng.choice([num(2), op("+", num(1), op("%", step(), num(2))), *m]), a)
        if self.calm and self.chance(0.9):
            return a
        pick = self.rng.random()
        if pick < 0.8:
            return a
        b = name(self.rng.choice(self.numbers))
        return self.pick(op("-", a, b), op("+", a, b), absolute(a), larger(a, b), larger(a, b, True), clip(a, 0, 1),
                         choice(compared("==", op("%", step(), num(2)), num(0)), a, b), op("*", num(2), a),
                         choice(compared(">=", a, num(1)), b, num(0)))  # fmt: skip

    def bar(self) -> Expr:
        t: Expr = name(self.rng.choice(self.bars))
        if self.memories and self.chance(0.6):
            m = memory(self.memories[0][0])
            return self.pick(op("+", t, m), op("-", t, m), choice(compared(">=", m, num(1)), t, op("+", t, num(1))))
        if self.chance(0.08):
            return op("+", t, step())
        if self.events and self.chance(0.08):
            return op("+", t, self.cells.at_reports(step(), self.rng.choice(self.events), True))
        return t

    def atom(self) -> Expr:
        symbol = self.pick(">=", ">=", ">=", "<=", "<=", ">", "<")
        if self.chance(0.05):
            return compared(symbol, self.number(), name(self.rng.choice(self.numbers)))
        return compared(symbol, self.number(), self.bar())

    def condition(self) -> Expr:
        pick = self.rng.random()
        if pick < (0.95 if self.calm else 0.78):
            return self.atom()
        if pick < 0.85:
            return op("and", self.atom(), self.atom())
        if pick < 0.92:
            return op("or", self.atom(), self.atom())
        return negation(self.atom())

    def guarded(self, inner: Expr) -> Expr:
        if self.chance(0.85 if self.calm else 0.75):
            return inner
        inner = bracket(inner)
        guards: list[Expr] = [compared("==", op("%", step(), num(2)), num(0)), compared(">=", step(), num(2))]
        if self.events:
            e = self.rng.choice(self.events)
            guards += [fired(e), negation(fired(e)), compared("<", self.cells.at_reports(step(), e, True), num(1))]
        if self.memories:
            guards += [
                compared("<=", memory(self.memories[0][0]), num(0)),
                compared("<", memory(self.memories[0][0]), num(2)),
            ]
        if self.values and self.values[-1][1] is None:
            guards += [compared(">=", name(self.values[-1][0]), num(1))]
        guard = self.rng.choice(guards)
        return op("or" if self.chance(0.1) else "and", guard, inner)

    # ---- the whole

    def instance(self) -> Instance | None:
        self._inputs()
        reports = [f"R{i}" for i in range(self.pick(0, 1, 1, 1, 2))]
        for j in range(self.pick(1, 1, 2, 2, 3)):
            self.bars.append(f"T{j}")
            self.parameters[f"T{j}"] = float(self.pick(-1, 0, 1, 1, 2))
            self.lines.append(f"param T{j} = {self.parameters[f'T{j}']:g}")
        self.lines += self.inputs
        if self.chance(0.35):
            self.memories.append(("m", float(self.pick(0, 0, 1))))
            self.lines.append(f"memory m = {int(self.memories[0][1])}")
        for j in range(self.quantities):
            own = f"s{j}"
            self._add(Statement("statistic", own, self.statistic(own, reports)))
            self.numbers.append(own)
        if self.chance(0.12):
            self._choice()
        if self.chance(0.12):
            self._coin()
        if self.chance(0.12):
            small = compared(self.pick(">=", "<="), name(self.rng.choice(self.numbers)), num(self.pick(0, 1)))
            self._add(Statement("statistic", "t", choice(small, num(1), num(0))))
            self.numbers.append("t")
            self.quiet.add("t")
        self._gates(reports)
        late = self.chance(0.3)
        if not late:
            self._updates()
        self._stops()
        if late:
            self._updates()
        self._more_events()
        noises = self._noises()
        if noises is None:
            return None
        truth = None
        labels = {s.name for s in self.statements if s.kind == "stop" and s.name}
        if len(labels) >= 2 and self.chance(0.12):
            truth = self.pick(0.7, 0.8)
            self.lines.append(f"attach randomized_response({truth}) to return")
            self.tags.add("flipped return")
        text = "algorithm instance\n" + "\n".join(self.lines) + "\n"
        program = Program(tuple(self.statements), noises, tuple(self.memories), self.parameters, truth, text)
        pairs = tuple(self._pairs())
        return Instance(program, pairs, frozenset(self.tags))

    def _add(self, statement: Statement) -> None:
        self.statements.append(statement)
        when = "" if statement.when is None else f" when {statement.when.text}"
        match statement.kind:
            case "statistic":
                assert statement.value is not None
                self.lines.append(f"statistic {statement.name} = {statement.value.text}")
            case "event":
                self.lines.append(f"report {statement.name}{when}")
            case "value":
                assert statement.value is not None
                self.lines.append(f"report {statement.name} = {statement.value.text}{when}")
            case "update":
                assert statement.value is not None
                self.lines.append(f"update {statement.name} = {statement.value.text}{when}")
            case "draw":
                listing = ", ".join(f"{v:g}: {w.text}" for v, w in statement.choices)
                self.lines.append(f"draw {statement.name} ~ {{{listing}}}")
            case "stop":
                shown = f" return {statement.name}" if statement.name else ""
                shown = shown if statement.value is None else f" return {statement.value.text}"
                self.lines.append(f"stop{when}{shown}")

    def _inputs(self) -> None:
        pick = self.rng.random()
        self.two = self.chance(0.25)
        both = ", y in {0, 1}" if self.two else ""
        self.adjacency = "replace one"
        if pick < 0.5:
            self.inputs = [f"stream x in {{0, 1}}{both}"]
        elif pick < 0.58:
            self.inputs = [f"stream x in {{0, 1}}{both}", "adjacent replace 2"]
            self.adjacency = "replace 2"
        else:
            self.adjacency = self.pick("every", "every", "every", "every same", "one", "one same")
            self.every = self.adjacency.startswith("every")
            which = self.adjacency.split()[0]
            same = " same direction" if "same" in self.adjacency else ""
            self.inputs = [f"stream x in -9..9{both}", f"adjacent {which} x within 1{same}"]
        self.tags.add(self.adjacency)

    def _choice(self) -> None:
        """A private draw, with weights that are powers of two in a statistic."""
        self.tags.add("draw")
        s = name(self.rng.choice(self.numbers))
        grows = made("2 ^ clip({}, 0, 2)", lambda v: 2.0 ** np.clip(v, 0, 2), s)
        coin = choice(compared(">=", s, num(1)), Expr("0.75", lambda t: np.full(len(t.weight), 0.75)),
                      Expr("0.25", lambda t: np.full(len(t.weight), 0.25)))  # fmt: skip
        rest = made("(1 - {})", lambda v: 1 - v, coin)
        choices = self.pick(((1.0, grows), (0.0, num(1))), ((1.0, coin), (0.0, rest)),
                            ((0.0, num(2)), (1.0, grows), (2.0, num(1))))  # fmt: skip
        self._add(Statement("draw", "d", None, None, choices))
        self.numbers.append("d")

    def _coin(self) -> None:
        """A coin decides whether the truth is told; it may be read by two names, or last."""
        self.tags.add("coin")
        life = self.pick("step", "step", "once")
        law = bernoulli(self.pick(0.75, 0.9, 0.5))
        self.lines.append(f"draw c ~ {law.text}{' once' if life == 'once' else ''}")
        self.coins.append(Noise("c", law, life, ()))
        for own in ("b0", "b1")[: self.pick(1, 1, 2)]:
            x = compared(">=", self.entry(), num(1))
            truth, other = choice(x, num(1), num(0)), choice(x, num(0), num(1))
            guess = self.pick(other, num(1))
            self._add(Statement("statistic", own, choice(compared("==", coin("c"), num(1)), truth, guess)))
            self.numbers.append(own)
            self.quiet.add(own)

    def _gates(self, reports: list[str]) -> None:
        for r in reports:
            when = self.guarded(self.condition())
            if self.chance(0.12):
                self.tags.add("public event")
                m = [compared("<", memory("m"), num(1))] if self.memories else []
                when = self.rng.choice(
                    [compared("==", op("%", step(), num(2)), num(0)), compared(">=", step(), num(2)), *m]
                )
            elif self.memories and self.chance(0.2):
                self.tags.add("budget")
                when = op("and", compared("<", memory("m"), num(self.pick(1, 2))), bracket(self.atom()))
            self._add(Statement("event", r, None, when))
            self.events.append(r)
            if self.chance(0.45):
                self._value(r)
        if self.chance(0.2 if reports else 0.35):
            self._value(None)

    def _value(self, under: str | None) -> None:
        own = f"v{sum(s.kind == 'value' for s in self.statements)}"
        when = None
        if under is not None:
            when = fired(under) if self.chance(0.9) else negation(fired(under))
        elif self.chance(0.2):
            when = compared("==", op("%", step(), num(2)), num(0))
        shown = self._shown()
        self._add(Statement("value", own, shown, when))
        if when is None or (under is not None and when.text == under):
            self.values.append((own, under))
        self.tags.add("value under an event" if under else "value")

    def _shown(self) -> Expr:
        pick = self.rng.random()
        s = self.number()
        if pick < 0.45:
            return s
        if pick < 0.65:
            self.tags.add("gap")
            t = name(self.rng.choice(self.bars))
            return op("-", s, t) if self.chance(0.7) else op("-", t, s)
        if pick < 0.75 and len(self.numbers) > 1:
            self.tags.add("argmax")
            parts = [name(n) for n in self.numbers[:3]]
            return argmax(parts, self.chance(0.3))
        if pick < 0.85:
            return choice(self.atom(), num(1), num(0))
        return self.pick(clip(s, 0, 2), absolute(s), larger(s, num(0)), op("+", s, num(1)))

    def _updates(self) -> None:
        if not self.memories:
            return
        m = memory("m")
        options: list[tuple[Expr, Expr | None]] = [(clip(op("+", m, num(1)), 0, 2), None)]
        for e in self.events:
            options += [(op("+", m, num(1)), fired(e)), (op("-", num(1), m), fired(e)), (op("+", m, num(2)), fired(e))]
            options += [(op("+", m, choice(fired(e), num(1), num(0))), None)]
        for v, under in self.values:
            when = None if under is None else fired(under)
            options += [(clip(name(v), -1, 1), when), (choice(compared(">=", name(v), num(1)), num(1), num(0)), when),
                        (clip(op("+", m, name(v)), -1, 2), when)] * 2  # fmt: skip
        value, when = self.rng.choice(options)
        self._add(Statement("update", "m", value, when))
        self.tags.add("memory of values" if any(n.startswith("v") for n in value.names) else "memory")

    def _stops(self) -> None:
        shows = self.events or self.values
        for j in range(
            self.pick(0, 0, 0, 1) if self.calm and shows else self.pick(0, 1, 2) if shows else self.pick(1, 2)
        ):
            label = f"r{j}"
            when = self.guarded(self.condition())
            if self.chance(0.1):
                self._add(Statement("stop", "", self._shown(), when))
                self.tags.add("returned value")
            else:
                self._add(Statement("stop", label, None, when))
        if self.events and self.chance(0.9 if self.calm else 0.75):
            counts = self.cells.number_of(fired(self.events[0]))
            if len(self.events) > 1 and self.chance(0.7):
                more = self.cells.number_of(fired(self.events[1]))
                if self.chance(0.3):
                    counts = op("*", num(self.pick(2, 3)), counts)
                counts = op("+", counts, op("*", num(2), more) if self.chance(0.4) else more)
                self.tags.add("weighted counts")
            if self.memories and self.chance(0.4):
                counts = memory("m") if self.chance(0.5) else op("+", counts, memory("m"))
                self.tags.add("stop by memory")
            self._add(Statement("stop", "", None, compared(">=", counts, num(self.pick(1, 1, 2, 3)))))
        if self.values or self.chance(0.75 if self.calm else 0.5):
            self.length = self.pick(2, 3) if self.values else self.length
            self._add(Statement("stop", "", None, compared(">=", step(), num(self.length))))

    def _more_events(self) -> None:
        """A statement below the last stop: nothing of it is seen in the step that ends the run."""
        if self.events and self.chance(0.06):
            self._add(Statement("event", "R9", None, self.condition()))
            self.tags.add("below the stop")

    # ---- noise

    def _noises(self) -> tuple[Noise, ...] | None:
        read = {n for s in self.statements for e in s.parts() for n in e.names}
        gates = {n for s in self.statements if s.kind in ("event", "value", "stop") for e in s.parts() for n in e.names}
        found: list[tuple[str, Any, str, list[tuple[str, int]]]] = []
        report = self.rng.choice(self.events) if self.events and self.chance(0.4) else None
        kept = report or "once"

        def spread(names: list[str], life: str, often: float) -> None:
            wanted = [n for n in names if self.chance(often)]
            while wanted:
                some = wanted if self.chance(0.3) else wanted[:1]
                wanted = wanted[len(some) :]
                factor = lambda: self.rng.choices((1, -1, 2), (6, 4, 1))[0]  # noqa: E731
                found.append(("noise", None, life, [(n, factor() if len(some) > 1 else 1) for n in some]))

        local = self.chance(0.12)
        if local:
            self.tags.add("local")
            if not self.adjacency.startswith(("every", "one")) and self.chance(0.6):
                found.append(("flip", self.pick(0.75, 0.6, 0.9), self.pick("step", "step", "once", kept), [("x", 1)]))
            else:
                found.append(("noise", None, "step", [("x", 1)]))
            if self.two and self.chance(0.7):
                found.append(("noise", None, "step", [("y", 1)]))
        bars = 0.0 if self.fresh else 0.9 if self.calm else 0.8
        spread([n for n in self.bars if n in gates], kept if self.chance(0.9) else "step", bars)
        often = 0.4 if local else 0.99 if self.calm else 0.92
        own = [n for n in self.numbers if n in gates and not (n in self.quiet and self.chance(0.8))]
        spread(own, "step" if self.chance(0.9) else self.pick("once", kept), often)
        spread([n for n in self.numbers if n in read - gates and n not in self.quiet], "step", 0.15)
        for statement in self.statements:
            if statement.kind == "value":
                noisy = any(n in statement.value.names for *_, places in found for n, _ in places)  # type: ignore[union-attr]
                whole = any(word in statement.value.text for word in ("arg", "if ", "min", "max", "clip", "abs"))  # type: ignore[union-attr]
                if self.chance(0.25 if noisy else 0.1 if whole else 0.9):
                    life = self.pick("step", "step", "step", "step", "once", kept, *self.events)
                    found.append(("noise", None, life, [(statement.name, 1)]))
        kinds = {s.name for s in self.statements if s.kind == "statistic" and s.name in ("b0", "b1", "t")}
        for n in sorted(kinds):
            if self.chance(0.3) and not any(n == place for *_, places in found for place, _ in places):
                self.tags.add("flipped statistic")
                found.append(("flip", self.pick(0.75, 0.6), self.pick("step", "step", "once", kept), [(n, 1)]))
        kept_axes = sum(life != "step" for _, _, life, _ in found)
        if len(found) > 5 or kept_axes > 2 or (len(found) > 3 and kept_axes > 1):
            return None
        return (*self.coins, *(self._noise(i, *one, len(found)) for i, one in enumerate(found)))

    def _noise(self, i: int, kind: str, truth: Any, life: str, places: list[tuple[str, int]], count: int) -> Noise:
        law = flip(truth) if kind == "flip" else self._law(count)
        written = {"once": " once", "step": ""}.get(life, f" each {life}")
        if len(places) == 1 and places[0][1] == 1:
            self.lines.append(f"attach {law.text} to {places[0][0]}{written}")
        else:
            self.tags.add("shared noise")
            self.lines.append(f"draw z{i} ~ {law.text}{written}")
            self.lines += [f"attach { {1: '', -1: '-', 2: '2 * '}[f] }z{i} to {n}" for n, f in places]
        self.tags.add(f"life {life if life in ('once', 'step') else 'each'}")
        return Noise(f"z{i}", law, life, tuple(places))

    def _law(self, count: int) -> Law:
        if self.chance(0.01 if self.calm else 0.06):
            self.tags.add("finite law")
            return conditioned(0.25, 2) if self.chance(0.5) else listed({0: 0.5, 1: 0.25, 2: 0.25})
        ratio, reach = (
            self.pick((1 / 8, 5), (1 / 16, 4), (1 / 8, 5)) if count > 2 else self.pick((1 / 8, 7), (1 / 4, 10))
        )
        return geometric(ratio, self.reach or reach)

    # ---- neighbours

    def _pairs(self) -> list[tuple[tuple[Any, ...], tuple[Any, ...]]]:
        n, rng = self.length, self.rng
        ys = [tuple(rng.randint(0, 1) for _ in range(n)) for _ in range(2)]
        wrap = (
            (lambda xs, y: tuple({"x": a, "y": b} for a, b in zip(xs, y, strict=True)))
            if self.two
            else (lambda xs, y: xs)
        )
        pairs: list[tuple[Any, Any]] = []
        if self.adjacency.startswith("replace"):
            most = 2 if self.adjacency == "replace 2" else 1
            entries = [{"x": a, "y": b} for a in (0, 1) for b in (0, 1)] if self.two else [0, 1]
            firsts = list(itertools.product(entries, repeat=n))
            for first in firsts:
                for places in itertools.combinations(range(n), most):
                    for new in itertools.product(entries, repeat=most):
                        second = list(first)
                        for k, e in zip(places, new, strict=True):
                            second[k] = e
                        if str(first) < str(tuple(second)):
                            pairs.append((first, tuple(second)))
            few = 24 if self.two else 60
            return rng.sample(pairs, few) if len(pairs) > few else pairs
        same = "same" in self.adjacency
        if self.every:
            bases = [tuple(rng.choice((0, 0, 1, -1)) for _ in range(n)) for _ in range(2)] + [(0,) * n]
            moves = [m for m in itertools.product((0, 1) if same else (-1, 0, 1), repeat=n) if any(m)]
            likely = [m for m in moves if all(m) and len(set(m[:-1])) == 1]
            chosen = likely + rng.sample(moves, min(len(moves), 5))
        else:
            bases = [tuple(rng.choice((0, 1, 2, -1)) for _ in range(n)) for _ in range(4)]
            chosen = [
                tuple(m if i == k else 0 for i in range(n)) for k in range(n) for m in ((1,) if same else (1, -1))
            ]
        for base in dict.fromkeys(bases):
            y = ys[0] if len(pairs) % 2 else ys[1]
            pairs += [
                (wrap(base, y), wrap(tuple(a + d for a, d in zip(base, move, strict=True)), y)) for move in chosen
            ]
        return pairs
