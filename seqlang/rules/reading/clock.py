"""The part of a program that runs like a clock: what the step, constants and public memory fed by these alone decide.

`schedule_of` says in which steps a condition can hold. It runs the public statements step by step with exact numbers,
where everything that reads data, noise or public inputs is unknown, and so is every number that doubles might round:
a value that is known is the one that runs compute. What is unknown may hold or not (`and` of an unknown and a false
condition is false), and a stop that may or may not be taken is not taken, so that no step is left out that a run can
reach.

It ends where a stop certainly ends every run, or where the state comes back: the memory that the condition depends on,
and the step modulo what it is divided by. Past the largest constant that the step is compared with these decide all
that follows, as long as the condition reads the step in no other way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import ceil, floor, lcm

from seqlang.model.expression import (
    COMPARISONS,
    Apply,
    CellValue,
    Choice,
    Expression,
    Local,
    MemoryValue,
    Number,
    ParameterValue,
    Reported,
    StepNumber,
    Truth,
    walk,
)
from seqlang.model.junctions import disjuncts
from seqlang.model.program import (
    AllSteps,
    Cell,
    Define,
    Previous,
    Program,
    Report,
    SinceReport,
    Statement,
    Stop,
    Update,
    expressions_in,
)
from seqlang.operators.groups import TOTALS
from seqlang.rules.reading.schedule import ALWAYS, Schedule
from seqlang.rules.sensitivity.facts.remembered import remembered_of_program

MOST_STEPS = 4096
"""So many steps are run; what comes later counts as unknown."""
Known = Fraction | bool | None
"""A number, a truth value, or None: not known."""


@remembered_of_program
def schedule_of(program: Program, condition: Expression | None, place: int | None) -> Schedule:
    """The steps of a run in which the condition, read at this place of the body, can hold; None: at any place."""
    if condition is None or (place is None and not reads_only_the_clock(condition)):
        condition = Truth(True)
    place = place or 0
    ends = frozenset(
        at for at, s in enumerate(program.body) if isinstance(s, Stop) and _may_be_certain(program, s.when)
    )
    if ends:
        ended = _Clock(program, condition, place, _needed(program, condition, ends), bounded=True).schedule()
        if ended is not None:
            return ended
    alone = _needed(program, condition, frozenset())
    return _Clock(program, condition, place, alone, bounded=False).schedule() or ALWAYS


def _may_be_certain(program: Program, when: Expression | None) -> bool:
    """False where nothing but data, noise and public inputs can let the stop be taken: it need not be run."""
    return when is None or any(_is_clockwork(program, way) for way in disjuncts(when))


@remembered_of_program
def _is_clockwork(program: Program, condition: Expression) -> bool:
    """It depends on the step, constants and what these decide."""
    parts = [condition, *(program.body[at] for at in _needed(program, condition, frozenset()))]
    return all(isinstance(node, CLOCKWORK) for part in parts for e in expressions_in(part) for node in walk(e))


CLOCKWORK = (Apply, CellValue, Choice, Local, MemoryValue, Number, ParameterValue, Reported, StepNumber, Truth)


def reads_only_the_clock(condition: Expression) -> bool:
    """It names steps and constants only."""
    return all(isinstance(e, Apply | StepNumber | ParameterValue | Number) for e in walk(condition))


def _needed(program: Program, condition: Expression, ends: frozenset[int]) -> frozenset[int]:
    """The places of the statements that decide the condition and these stops."""
    found = set(ends)
    waiting: list[object] = [condition, *(program.body[at] for at in sorted(ends))]
    while waiting:
        names = {name for e in expressions_in(waiting.pop()) for node in walk(e) if (name := _name(node)) is not None}
        for at, statement in enumerate(program.body):
            if at not in found and _defined(statement) in names:
                found.add(at)
                waiting.append(statement)
                if isinstance(statement, Cell) and isinstance(statement.keep, SinceReport):
                    waiting.append(Reported(statement.keep.report))
    return frozenset(found)


def _name(node: Expression) -> tuple[type, str] | None:
    match node:
        case Local(name) | CellValue(name) | MemoryValue(name) | Reported(name):
            return type(node), name
    return None


def _defined(statement: Statement) -> tuple[type, str] | None:
    """The expressions that read what the statement gives a value."""
    match statement:
        case Define(name):
            return Local, name
        case Cell(name):
            return CellValue, name
        case Update(memory):
            return MemoryValue, memory
        case Report(name):
            return Reported, name
    return None


class _Clock:
    """Runs the needed statements. `bounded`: until a stop ends the run, with the step as it is; else until the state
    comes back, with the step only where it is divided by a constant or compared with one."""

    def __init__(
        self, program: Program, condition: Expression, place: int, needed: frozenset[int], bounded: bool
    ) -> None:
        self.program, self.condition, self.place, self.bounded = program, condition, place, bounded
        self.statements = [(at, s) for at, s in enumerate(program.body) if at in needed or at == place]
        self.parameters: Mapping[str, Fraction] = {p.name: p.value for p in program.parameters}
        names = {s.memory for _, s in self.statements if isinstance(s, Update)}
        self.step, self.period, self.settled = 0, 1, 0
        self.locals: dict[str, Known] = {}
        self.made: dict[str, bool | None] = {}
        self.reports: dict[str, Known] = {}
        self.cells: dict[str, Known] = {
            s.name: Fraction(0) for _, s in self.statements if isinstance(s, Cell) and not isinstance(s.keep, Previous)
        }
        self.initial = {m.name: self.value(m.initial) for m in program.memories}
        self.before: dict[str, Known] = {name: self.initial[name] for name in names}
        self.memory = dict(self.before)
        for _, s in self.statements:
            if isinstance(s, Cell) and isinstance(s.keep, Previous):
                self.cells[s.name] = self.value(s.keep.initial)

    def schedule(self) -> Schedule | None:
        """None where the run did not end (`bounded`), or the state did not come back."""
        listed: list[int] = []
        seen: dict[object, int] = {}
        while self.step < MOST_STEPS:
            self.step += 1
            may_hold, ended = self._run_step()
            if may_hold:
                listed.append(self.step)
            if ended:
                return Schedule(tuple(listed), self.step, 1, ())
            if self.bounded or self.step < self.settled:
                continue
            if self.period > MOST_STEPS:
                return None
            state = self._state()
            if state in seen:
                start = seen[state]
                again = tuple(n - start - 1 for n in listed if n > start)
                return Schedule(tuple(n for n in listed if n <= start), start, self.step - start, again)
            seen[state] = self.step
        return None

    def _state(self) -> object:
        """All that decides the steps to come."""
        return (
            self.step % self.period, tuple(self.memory.items()), tuple(self.cells.items()), tuple(self.made.items())
        )  # fmt: skip

    def _run_step(self) -> tuple[bool, bool]:
        """Whether the condition may hold in this step, and whether the run certainly ends in it."""
        self.before = dict(self.memory)
        for _, s in self.statements:
            if isinstance(s, Cell) and isinstance(s.keep, SinceReport):
                self._begin(s.name, s.keep.report)
        self.made, self.reports = {}, {}
        later: list[tuple[str, Known]] = []
        may_hold = False
        for at, statement in self.statements:
            if at == self.place:
                may_hold = self.value(self.condition) is not False
            match statement:
                case Define(name, expression):
                    self.locals[name] = self.value(expression)
                case Cell(name, _, body, where, Previous()):
                    later.append((name, self.value(body) if where is None else None))
                case Cell():
                    self._tick(statement)
                case Report(name, when, value):
                    self.made[name] = True if when is None else self._truth(when)
                    self.reports[name] = self.made[name] if value is None else None
                case Update(memory, value, when):
                    self._update(memory, value, when)
                case Stop(_, when):
                    if when is None or self._truth(when) is True:
                        return may_hold, True
                case _:
                    pass
        self.cells.update(later)
        return may_hold, False

    def _begin(self, cell: str, report: str) -> None:
        """It starts anew in the step after the report."""
        fired = self.made.get(report) if self.step > 1 else False
        if fired is not False:
            self.cells[cell] = Fraction(0) if fired else None

    def _tick(self, cell: Cell) -> None:
        if cell.binders or not isinstance(cell.keep, AllSteps | SinceReport) or cell.operator not in TOTALS:
            self.cells[cell.name] = None
            return
        taken = True if cell.where is None else self._truth(cell.where)
        body = self.value(cell.body)
        if cell.operator == "count":
            body = Fraction(int(body)) if isinstance(body, bool) else None
        old = self.cells[cell.name]
        if taken is False or body == 0:
            return
        if taken is True and isinstance(old, Fraction) and isinstance(body, Fraction):
            self.cells[cell.name] = _kept(old + body)
        else:
            self.cells[cell.name] = None

    def _update(self, memory: str, value: Expression, when: Expression | None) -> None:
        taken = True if when is None else self._truth(when)
        new = self.value(value)
        if taken is True:
            self.memory[memory] = new
        elif taken is None and new != self.memory[memory]:
            self.memory[memory] = None

    def _truth(self, expression: Expression) -> bool | None:
        value = self.value(expression)
        return value if isinstance(value, bool) else None

    def value(self, expression: Expression) -> Known:
        """What runs compute for it in this step, at this place; None: not known."""
        match expression:
            case Number(value):
                return _kept(value)
            case Truth(value):
                return value
            case ParameterValue(name):
                return _kept(self.parameters[name]) if name in self.parameters else None
            case StepNumber():
                return Fraction(self.step) if self.bounded else None
            case Local(name):
                return self.locals.get(name)
            case CellValue(name, ()):
                return self.cells.get(name)
            case MemoryValue(name, updated):
                now = self.memory if updated else self.before
                return now[name] if name in now else self.initial.get(name)
            case Reported(name):
                return self.reports.get(name)
            case Choice(test, yes, no):
                holds, a, b = self._truth(test), self.value(yes), self.value(no)
                return (a if a == b and type(a) is type(b) else None) if holds is None else a if holds else b
            case Apply(operator, arguments):
                values = [self._argument(operator, arguments, i) for i in range(len(arguments))]
                return _applied(operator, values)
        return None

    def _argument(self, operator: str, arguments: tuple[Expression, ...], at: int) -> Known:
        """An operand; also the step, times and plus constants, next to a constant that divides it or is compared."""
        own = arguments[at]
        if self.bounded or len(arguments) != 2 or (operator != "%" and operator not in COMPARISONS):
            return self.value(own)
        line, other = self._line(own), self._line(arguments[1 - at])
        if line is None or line[0] == 0 or other is None or other[0] != 0:
            return self.value(own)
        slope, start = line
        if operator != "%":
            self.settled = max(self.settled, ceil(abs((other[1] - start) / slope)) + 1)
            return _kept(slope * self.step + start)
        if at != 0 or other[1] <= 0 or any(x.denominator != 1 for x in (slope, start, other[1])):
            return None
        self.period = lcm(self.period, int(other[1]))
        return _kept(slope * self.step + start)

    def _line(self, expression: Expression) -> tuple[Fraction, Fraction] | None:
        """(a, b) of a step + b."""
        match expression:
            case StepNumber():
                return Fraction(1), Fraction(0)
            case Number() | ParameterValue():
                constant = self.value(expression)
                return None if not isinstance(constant, Fraction) else (Fraction(0), constant)
            case Apply("+" | "-" as operator, (left, right)):
                a, b = self._line(left), self._line(right)
                sign = 1 if operator == "+" else -1
                return None if a is None or b is None else (a[0] + sign * b[0], a[1] + sign * b[1])
            case Apply("*", (left, right)):
                a, b = self._line(left), self._line(right)
                if a is None or b is None or (a[0] != 0 and b[0] != 0):
                    return None
                return a[0] * b[1] + a[1] * b[0], a[1] * b[1]
        return None


def _kept(value: Fraction) -> Fraction | None:
    """The number, if a double holds it."""
    return value if abs(value) < 1 << 53 and Fraction(float(value)) == value else None


def _applied(operator: str, values: list[Known]) -> Known:
    """Each result is a double or a truth value, so that doubles, which round to the nearest, compute just that."""
    match operator:
        case "and" | "or":
            absorbing = operator == "or"
            if any(v is absorbing for v in values):
                return absorbing
            return (not absorbing) if all(v is (not absorbing) for v in values) else None
        case "not":
            return not values[0] if isinstance(values[0], bool) else None
        case "==" | "!=" if all(isinstance(v, bool) for v in values):
            return (values[0] is values[1]) == (operator == "==")
    numbers = [v for v in values if isinstance(v, Fraction)]
    if len(numbers) < len(values) or not numbers:
        return None
    result = _arithmetic(operator, numbers)
    return _kept(result) if isinstance(result, Fraction) else result


def _arithmetic(operator: str, numbers: Iterable[Fraction]) -> Known:
    match operator, tuple(numbers):
        case "negate", (a,):
            return -a
        case "abs", (a,):
            return abs(a)
        case "floor", (a,):
            return Fraction(floor(a))
        case "ceil", (a,):
            return Fraction(ceil(a))
        case "+", (a, b):
            return a + b
        case "-", (a, b):
            return a - b
        case "*", (a, b):
            return a * b
        case "/", (a, b) if b != 0:
            return a / b
        case "%", (a, b) if b != 0:
            return a % b
        case "max", (_, _, *_) as several:
            return max(several)
        case "min", (_, _, *_) as several:
            return min(several)
        case ">=", (a, b):
            return a >= b
        case ">", (a, b):
            return a > b
        case "<=", (a, b):
            return a <= b
        case "<", (a, b):
            return a < b
        case "==", (a, b):
            return a == b
        case "!=", (a, b):
            return a != b
    return None
