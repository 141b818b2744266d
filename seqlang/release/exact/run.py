"""One exact run of a program, step by step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Protocol

from seqlang.model import expression as ir
from seqlang.model.domain import Finite
from seqlang.model.life import EachReport, EachStep, Life
from seqlang.model.program import AllSteps, Cell, Define, Draw, LastSteps, Program, Report, Stop, Update, expressions_in
from seqlang.record import record
from seqlang.release.exact import samplers
from seqlang.release.exact.cells import CellState
from seqlang.release.exact.code import Code, Compiler, shape_of
from seqlang.release.exact.functions import NoValue, Value, require_writable
from seqlang.release.exact.laws import ExactLaw, NotExact, normalised, require_short
from seqlang.release.exact.nodes import Tree
from seqlang.release.exact.noise import drawer_of
from seqlang.release.exact.real import settled
from seqlang.release.exact.samplers import SYSTEM, Below
from seqlang.release.exact.spares import Spares

LONG = 20_000
"""Elements of public sets: to run through more of them takes a time that can be seen."""
Outcome = tuple[bool, Value]
"""Whether a report or stop happens, and the value that it shows (None: none)."""


@record
class Look:
    """What one step showed: `reports` by name (True for an event), whether the run stopped, and what it returned."""

    step: int
    reports: tuple[tuple[str, Value], ...]
    stopped: bool
    result: Value
    by: int = 0
    """Which stop it was, from 1; 0 where the program computes what has no value, which ends it."""


class Decide(Protocol):
    """Called at every report and stop that is reached; `compute` evaluates it on the data, with the noise."""

    def __call__(self, step: int, statement: Report | Stop, compute: Callable[[], Outcome]) -> Outcome: ...


def computed(step: int, statement: Report | Stop, compute: Callable[[], Outcome]) -> Outcome:
    """What happens is what is computed."""
    return compute()


class ExactRun:
    """`step(entry)` makes a step: entries are exact numbers by field. `below` is where random bits come from, and
    `decide` may say what a report or stop shows instead of what is computed. So many draws of a noise as `ahead` says
    are made at once, before an entry is read. Raises NotExact for programs that are not evaluated exactly."""

    def __init__(
        self, program: Program, *, below: Below = SYSTEM, decide: Decide = computed,
        records: Mapping[str, Sequence[Value]] | None = None, ahead: int = 16,
    ) -> None:  # fmt: skip
        self.program, self.below, self.decide = program, below, decide
        compiler = Compiler(program)
        self.compiler = compiler
        self._drawers = {noise.name: drawer_of(noise, compiler) for noise in program.noises}
        self._noises = {noise.name: noise for noise in program.noises}
        self._draws = {s.name: s for s in program.body if isinstance(s, Draw)}
        self._draw_laws = {name: compiler.compile(draw.law) for name, draw in self._draws.items()}
        self._spares = {
            name: Spares(partial(drawer.draw, below), ahead)
            for name, drawer in self._drawers.items() if drawer.flips is None
        }  # fmt: skip
        self._letters: dict[str, tuple[Value, ...]] = {}
        for part in (part for s in program.body for e in expressions_in(s) for part in ir.walk(e)):
            for term in part.terms if isinstance(part, ir.Noised) else ():
                truth = self._drawers[term.noise].flips
                if truth is not None and isinstance(part, ir.Noised):
                    self._letters[part.name] = letters = self._alphabet(part)
                    draw = partial(samplers.listed, _places(truth, len(letters)), below)
                    self._spares[term.noise] = Spares(draw, ahead)
        self.cells = {s.name: CellState(s, compiler) for s in program.body if isinstance(s, Cell)}
        self._body = [self._statement(s) for s in program.body]
        self._given = {name: tuple(values) for name, values in (records or {}).items()}
        self._initial = {m.name: compiler.compile(m.initial) for m in program.memories}
        self._beginning = [cell for cell in self.cells.values() if not isinstance(cell.cell.keep, AllSteps | LastSteps)]
        self.changes = 0
        self.before_long: Callable[[ExactRun], None] | None = None
        self.begin()

    def begin(self) -> None:
        """As if no step had been made, and nothing drawn."""
        self.fields: dict[str, Value] = dict(self._given)
        size = len(next(iter(self.fields.values()))) if self.fields else 0
        self.records = range(1, size + 1)
        self.step = self.elements = self.decided = 0
        self.memory: dict[str, Value] = {}
        self.reported: dict[str, Value] = {}
        self.locals: dict[str, Value] = {}
        self.bound: dict[int, Value] = {}
        self.counts: dict[str, int] = {}
        self.stopped, self.result, self._by = False, None, 0
        self._lives: dict[str, tuple[int, Value]] = {}
        self._trees = {name: Tree() for name, drawer in self._drawers.items() if drawer.is_tree}
        self._shown: list[tuple[str, Value]] = []
        self.memory = {name: settled(initial(self)) for name, initial in self._initial.items()}
        self.changes += 1
        self._drawn = True
        for cell in self.cells.values():
            cell.start(self)

    def prepare(self, least: int = 0) -> None:
        """Draws what the next step is likely to need, so many of each noise at least: called before its entry is there,
        so that the time from the entry to what is shown of it tells nothing of the draws."""
        if self._drawn:
            self._drawn = False
            for spares in self._spares.values():
                spares.prepare(least)

    def give(self, records: Mapping[str, Sequence[Value]]) -> None:
        """The data set, by field, in the place of the one that the run was made with; no step was made yet."""
        self._given = {name: tuple(values) for name, values in records.items()}
        self.begin()

    def advance(self, entry: Mapping[str, Value]) -> Look:
        """Makes one step."""
        self.prepare()
        reported = self.reported
        for cell in self._beginning:
            cell.begin(cell.report in reported)
        if reported:
            for name in reported:
                self.counts[name] = self.counts.get(name, 0) + 1
            self.reported = {}
        self.step += 1
        self.elements = self.decided = 0
        self.fields.update(entry)
        self._shown = []
        for run in self._body:
            run()
            if self.stopped:
                break
        return Look(self.step, tuple(self._shown), self.stopped, self.result, self._by)

    @property
    def shown(self) -> tuple[tuple[str, Value], ...]:
        """The reports of this step so far, by name: after `decided` of its reports and stops."""
        return tuple(self._shown)

    def spend(self, elements: int) -> None:
        """Counts elements of public sets before they are run through: how many they are may depend on what this step
        and the steps before it showed. Where they are many, `before_long` is called first. Raises NoValue where they
        are too many."""
        self.elements += elements
        require_short(self.elements, "elements in one step")
        if elements and self.elements >= LONG and self.before_long is not None:
            self.before_long(self)

    def failed(self) -> Look:
        """What a step had shown when it could not be made to its end."""
        return Look(self.step, tuple(self._shown), True, None)

    # ---- statements

    def _statement(self, statement: object) -> Callable[[], None]:
        match statement:
            case Define(name, expression):
                return self._define(name, self.compiler.compile(expression))
            case Cell(name):
                return partial(self.cells[name].ticker(), self)
            case Draw():
                return lambda: self._draw(statement)
            case Update(memory, value, when):
                return self._update(memory, self.compiler.compile(value), self._test(when))
            case Report():
                return self._report(statement)
            case Stop():
                return self._stop(statement)
        raise NotExact(f"{type(statement).__name__} is not run exactly")

    def _test(self, when: ir.Expression | None) -> Code | None:
        return None if when is None else self.compiler.compile(when)

    def _define(self, name: str, code: Code) -> Callable[[], None]:
        def run() -> None:
            self.locals[name] = code(self)

        return run

    def _update(self, memory: str, value: Code, test: Code | None) -> Callable[[], None]:
        def run() -> None:
            if test is None or test(self):
                self.memory[memory] = settled(value(self))
                self.changes += 1

        return run

    def _outcome(self, when: ir.Expression | None, value: ir.Expression | None, plain: Value) -> Callable[[], Outcome]:
        """Of a report or stop; `plain` is what is shown without a value."""
        test, code = self._test(when), None if value is None else self.compiler.compile(value)

        def compute() -> Outcome:
            if test is not None and not test(self):
                return False, None
            return True, plain if code is None else code(self)

        return compute

    def _report(self, report: Report) -> Callable[[], None]:
        name, compute = report.name, self._outcome(report.when, report.value, True)

        def run() -> None:
            decide = self.decide
            fired, shown = compute() if decide is computed else decide(self.step, report, compute)
            if fired:
                require_writable(shown)
                self.reported[name] = shown
                self._shown.append((name, shown))
            self.decided += 1

        return run

    def _stop(self, stop: Stop) -> Callable[[], None]:
        compute = self._outcome(stop.when, stop.result, None)

        def run() -> None:
            decide = self.decide
            self.stopped, self.result = compute() if decide is computed else decide(self.step, stop, compute)
            if self.stopped:
                require_writable(self.result)
                self._by = stop.index
            self.decided += 1

        return run

    # ---- randomness

    def cell(self, name: str, key: tuple[Value, ...]) -> Value:
        """The value of a cell now."""
        return self.cells[name].read(key)

    def _life(self, life: Life) -> int:
        match life:
            case EachStep():
                return self.step
            case EachReport(report):
                return self.counts.get(report, 0)
        return 0

    def noise(self, name: str, shape: tuple[int, ...]) -> Value:
        """The noise's value in this life, drawn at its first reading."""
        life, known = self._life(self._noises[name].life), self._lives.get(name)
        if known is not None and known[0] == life:
            if shape_of(known[1]) != shape:
                raise NotExact(f"`{name}` would hide a value with another number of coordinates than before")
            return known[1]
        self._drawn = True
        draw = partial(self._filled, shape, self._spares[name].take)
        value = self._trees[name].noise(self.step, draw) if name in self._trees else draw()
        if name in self._trees and not self._trees[name].is_of(shape):
            raise NotExact(f"`{name}` would hide a value with another number of coordinates than before")
        self._lives[name] = life, value
        return value

    def keep(self, name: str, value: Value) -> None:
        """The noise or draw has this value in this life; a tree's, where it had known values in all steps before."""
        drawn = self._noises.get(name) or self._draws[name]
        self._lives[name] = self._life(drawn.life), value
        if name in self._trees:
            self._trees[name].keep(self.step, value)

    def _filled(self, shape: tuple[int, ...], draw: Callable[[], Value]) -> Value:
        if not shape:
            return draw()
        return tuple(self._filled(shape[1:], draw) for _ in range(shape[0]))

    def drawn(self, name: str) -> Value:
        """Of a named draw."""
        return self.noise(name, ()) if name in self._noises else self._lives[name][1]

    def _draw(self, draw: Draw) -> None:
        life, known = self._life(draw.life), self._lives.get(draw.name)
        if known is not None and known[0] == life:
            return
        law = self._draw_laws[draw.name](self)
        if not isinstance(law, ExactLaw) or law.family != "weights":
            raise NotExact(f"the law of `{draw.name}` is not drawn exactly: listed laws with rational weights are")
        self._lives[draw.name] = life, samplers.listed(normalised(law), self.below)

    def flipped(self, name: str, read: ir.Noised, value: Value) -> Value:
        """Randomised response: the value, or another letter."""
        letters = self._letters[read.name]
        by = self.noise(name, (len(value),) if isinstance(value, tuple) else ())
        if isinstance(value, tuple):
            return tuple(self._moved(letters, v, k) for v, k in zip(value, by, strict=True))
        return self._moved(letters, value, by)

    @staticmethod
    def _moved(letters: tuple[Value, ...], value: Value, by: int) -> Value:
        return letters[(letters.index(value) + by) % len(letters)]

    def _alphabet(self, read: ir.Noised) -> tuple[Value, ...]:
        base = read.base
        while isinstance(base, ir.Local | ir.Noised):
            base = self.program.define(base.name).expression if isinstance(base, ir.Local) else base.base
        domain = self.program.input(base.name).domain if isinstance(base, ir.Field) else None
        if not isinstance(domain, Finite):
            raise NotExact(f"randomised response of `{read.name}`, which is no entry with listed values")
        return tuple(self.compiler.constant(v) for v in domain.values)


def _places(truth: Fraction, letters: int) -> list[tuple[int, Fraction]]:
    """By how many letters a randomised response moves, with chances."""
    rest = (1 - truth) / max(1, letters - 1)
    return [(0, truth), *((k, rest) for k in range(1, letters))]


__all__ = ["ExactRun", "Look", "NoValue", "Outcome"]
