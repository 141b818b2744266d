"""What the stops of a program depend on: the rest of the body need not be followed, and is no part of a state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from seqlang.model import expression as ir
from seqlang.model.gate_source import GateSource, OfCondition, OfEvent, OfStop
from seqlang.model.life import EachReport, Life
from seqlang.model.program import (
    And,
    AtReports,
    Cell,
    CompareGate,
    Define,
    Draw,
    LastSteps,
    Margin,
    Not,
    Or,
    Previous,
    Program,
    PublicTest,
    Report,
    SinceReport,
    Stop,
    Test,
    Update,
)
from seqlang.record import record


@record
class Condition:
    """When a report or stop happens: where `guard` holds (None: always) and `test` does (None: no further test). Only
    the margins of the test hold noise that is compared; a guard is evaluated as it stands."""

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


def condition_of(program: Program, statement: Report | Stop) -> Condition:
    """The condition, with its comparisons as margins where the program's gate has them."""
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
    if condition.test is not None:
        yield from _test_parts(condition.test)


def _test_parts(test: Test) -> Iterator[ir.Expression]:
    match test:
        case Margin(value, terms, _):
            yield value
            for term in terms:
                yield term.factor
        case PublicTest(expression):
            yield expression
        case And(parts) | Or(parts):
            for part in parts:
                yield from _test_parts(part)
        case Not(part):
            yield from _test_parts(part)


def margins_of(condition: Condition) -> tuple[Margin, ...]:
    found: dict[Margin, None] = {}

    def visit(test: Test) -> None:
        match test:
            case Margin():
                found[test] = None
            case And(parts) | Or(parts):
                for part in parts:
                    visit(part)
            case Not(part):
                visit(part)
            case _:
                pass

    if condition.test is not None:
        visit(condition.test)
    return tuple(found)


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
        for index, s in self.body:
            if isinstance(s, Draw) and s.name == name and index not in self.statements:
                self.statements.add(index)
                self.life(s.life)
                self.read(index, s.law)

    def define(self, name: str) -> None:
        for index, s in self.body:
            if isinstance(s, Define) and s.name == name and index not in self.statements:
                self.statements.add(index)
                self.names.add(name)
                self.read(index, s.expression)

    def cell(self, name: str) -> None:
        for index, s in self.body:
            if isinstance(s, Cell) and s.name == name and index not in self.statements:
                self.statements.add(index)
                self.names.add(name)
                self.read(index, s.body)
                if s.where is not None:
                    self.read(index, s.where)
                match s.keep:
                    case SinceReport(report) | AtReports(report):
                        self.report(report)
                    case Previous(initial):
                        self.read(index, initial)
                    case LastSteps(count):
                        self.read(index, count)
                    case _:
                        pass

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
                self.read(index, s.value)
                if s.when is not None:
                    self.read(index, s.when)

    def report(self, name: str) -> None:
        for index, s in self.body:
            if isinstance(s, Report) and s.name == name and index not in self.statements:
                self.statements.add(index)
                self.condition(index, s)

    def value(self, name: str) -> None:
        for index, s in self.body:
            if isinstance(s, Report) and s.name == name and s.value is not None and name not in self.values:
                self.values.add(name)
                self.read(index, s.value)

    def condition(self, index: int, statement: Report | Stop) -> None:
        condition = condition_of(self.program, statement)
        for part in condition_parts(condition):
            self.read(index, part)
        for margin in margins_of(condition):
            for term in margin.terms:
                self.noise(term.noise)


def needed_of(program: Program, watch: Iterable[ir.Expression] = ()) -> Needed:
    """What the stops, their results and the watched expressions depend on."""
    search = _Search(program)
    for index, statement in search.body:
        if isinstance(statement, Stop):
            search.statements.add(index)
            search.condition(index, statement)
            if statement.result is not None:
                search.read(index, statement.result)
    for expression in watch:
        search.read(len(program.body), expression)
    return Needed(
        frozenset(search.statements), frozenset(search.names), frozenset(search.values), frozenset(search.noises),
        tuple(search.readings),
    )  # fmt: skip
