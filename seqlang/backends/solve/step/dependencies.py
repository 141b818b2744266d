"""The statements on which the stops of a program depend. Others need not be computed, and are no part of a state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from seqlang.model import expression as ir
from seqlang.model.gate_source import GateSource, OfCondition, OfEvent, OfStop
from seqlang.model.jumps import Jumps, jumps_of
from seqlang.model.life import EachReport, Life
from seqlang.model.margins import leaves, margins
from seqlang.model.program import (
    AtReports,
    Cell,
    CompareGate,
    Define,
    Draw,
    Margin,
    Program,
    PublicTest,
    Report,
    SinceReport,
    Stop,
    Test,
    Update,
    expressions_in,
)
from seqlang.record import field, record

S = TypeVar("S", Define, Cell, Draw, Report)


@record
class Condition:
    """A report or stop happens where `guard` holds (None: always) and `test` holds (None: no further test). Noise is
    compared in the margins of the test only; a guard has a plain value."""

    guard: ir.Expression | None
    test: Test | None


@record
class Needed:
    """The statements that matter, by their index in the body; reports of which the value matters; readings: every
    expression that is evaluated (tests by their parts), with the index of its statement."""

    statements: frozenset[int]
    names: frozenset[str]
    values: frozenset[str]
    noises: frozenset[str]
    readings: tuple[tuple[int, ir.Expression], ...]
    jumps: Jumps = field(compare=False)

    @property
    def fields(self) -> frozenset[str]:
        """The fields of an entry that are read."""
        return frozenset(x.name for _, e in self.readings for x in ir.walk(e) if isinstance(x, ir.Field))

    @property
    def reads_step(self) -> bool:
        """Whether anything that the stops depend on reads the number of the step, as it is computed."""
        parts = [e for _, part in self.readings for e in ir.walk(part)]
        return any(isinstance(e, ir.StepNumber) or self._adds_step(e) for e in parts)

    def _adds_step(self, e: ir.Expression) -> bool:
        return self.jumps.adds_step(e) and not (isinstance(e, ir.Apply) and e.operator in ir.COMPARISONS)


def condition_of(program: Program, statement: Report | Stop) -> Condition:
    """The condition of a report or stop; where the program has a gate for it, its comparisons are the gate's
    margins."""
    own: tuple[GateSource, ...] = (
        (OfStop(statement.index),)
        if isinstance(statement, Stop)
        else (OfEvent(statement.name), OfCondition(statement.name))
    )
    for gate in program.gates:
        if isinstance(gate, CompareGate) and gate.source in own:
            return Condition(gate.guard, gate.test)
    return Condition(statement.when, None)


def condition_parts(condition: Condition) -> Iterator[ir.Expression]:
    """The expressions that are evaluated: the guard, public tests, values and factors of margins."""
    if condition.guard is not None:
        yield condition.guard
    for leaf in leaves(condition.test) if condition.test is not None else ():
        match leaf:
            case Margin(value, terms, _):
                yield value
                yield from (term.factor for term in terms)
            case PublicTest(expression):
                yield expression


def margins_of(condition: Condition) -> tuple[Margin, ...]:
    """The comparisons with noise in the condition, each once."""
    return tuple(dict.fromkeys(margins(condition.test))) if condition.test is not None else ()


def walk_defined(program: Program, *starts: ir.Expression) -> Iterator[ir.Expression]:
    """The expressions and everything in them, with definitions in the place of their names (each once)."""
    seen: set[str] = set()
    waiting = list(starts)
    while waiting:
        for node in ir.walk(waiting.pop()):
            yield node
            if isinstance(node, ir.Local) and node.name not in seen:
                seen.add(node.name)
                waiting += [s.expression for s in program.body if isinstance(s, Define) and s.name == node.name]


class _Search:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.statements: set[int] = set()
        self.names: set[str] = set()
        self.values: set[str] = set()
        self.noises: set[str] = set()
        self.readings: list[tuple[int, ir.Expression]] = []
        self.body = list(enumerate(program.body))
        self.lives: dict[str, Life] = {n.name: n.life for n in program.noises}

    def found(self) -> Needed:
        return Needed(
            frozenset(self.statements), frozenset(self.names), frozenset(self.values), frozenset(self.noises),
            tuple(self.readings), jumps_of(self.program),
        )  # fmt: skip

    def read(self, index: int, expression: ir.Expression) -> None:
        self.readings.append((index, expression))
        for node in ir.walk(expression):
            match node:
                case ir.Local(name):
                    self.define(name)
                case ir.CellValue(name):
                    self.cell(name)
                case ir.MemoryValue(name):
                    self.memory(name)
                case ir.Reported(name):
                    self.report(name)
                    self.value(name)
                case ir.Drawn(name):
                    self.draw(name)
                case ir.Noised(_, _, terms):
                    for term in terms:
                        self.noise(term.noise)
                case _:
                    pass

    def noise(self, name: str) -> None:
        if name not in self.noises:
            self.noises.add(name)
            self.life(self.lives[name])

    def life(self, life: Life) -> None:
        if isinstance(life, EachReport):
            self.report(life.report)

    def draw(self, name: str) -> None:
        if name in self.lives:
            self.noise(name)
            return
        for index, s in self._new(Draw, name):
            self.life(s.life)
            self.read(index, s.law)

    def define(self, name: str) -> None:
        for index, s in self._new(Define, name):
            self.names.add(name)
            self.read(index, s.expression)

    def cell(self, name: str) -> None:
        for index, s in self._new(Cell, name):
            self.names.add(name)
            for part in expressions_in((s.body, s.where, s.keep)):
                self.read(index, part)
            if isinstance(s.keep, SinceReport | AtReports):
                self.report(s.keep.report)

    def memory(self, name: str) -> None:
        if name in self.names:
            return
        self.names.add(name)
        for m in self.program.memories:
            if m.name == name:
                self.read(-1, m.initial)
        for index, s in self.body:
            if isinstance(s, Update) and s.memory == name:
                self.statements.add(index)
                for part in expressions_in(s):
                    self.read(index, part)

    def report(self, name: str) -> None:
        for index, s in self._new(Report, name):
            self.condition(index, s)

    def value(self, name: str) -> None:
        for index, s in self.body:
            if isinstance(s, Report) and s.name == name and s.value is not None and name not in self.values:
                self.values.add(name)
                self.read(index, s.value)

    def _new(self, kind: type[S], name: str) -> Iterator[tuple[int, S]]:
        """The statement of that kind and name with its index, if it was not met before."""
        for index, s in self.body:
            if isinstance(s, kind) and s.name == name and index not in self.statements:
                self.statements.add(index)
                yield index, s

    def condition(self, index: int, statement: Report | Stop) -> None:
        condition = condition_of(self.program, statement)
        for part in condition_parts(condition):
            self.read(index, part)
        for margin in margins_of(condition):
            for term in margin.terms:
                self.noise(term.noise)


def needed_of(program: Program, watch: Iterable[ir.Expression] = (), memories: tuple[str, ...] = ()) -> Needed:
    """What the stops, their results and the watched expressions depend on; `memories`: those that the law of the
    entries depends on, which matter if the entries do."""
    search = _Search(program)
    for index, statement in search.body:
        if isinstance(statement, Stop):
            search.statements.add(index)
            search.condition(index, statement)
            if statement.result is not None:
                search.read(index, statement.result)
    for expression in watch:
        search.read(len(program.body), expression)
    if search.found().fields:
        for name in memories:
            search.memory(name)
    return search.found()
