"""One step of one of the two runs, for all draws at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from typing import Literal

from seqlang.kernel.core import (
    Choose,
    Expression,
    Kind,
    Let,
    Number,
    Op,
    Pick,
    Program,
    Read,
    Report,
    Step,
    Stop,
    Tick,
    Update,
)
from seqlang.kernel.laws import Weighed
from seqlang.kernel.proof import Outcome
from seqlang.kernel.refused import Refused
from seqlang.kernel.table import Table
from seqlang.kernel.terms import (
    FALSE,
    TRUE,
    Both,
    Either,
    Formula,
    Linear,
    Sign,
    above,
    denied,
    holds_all,
    holds_one,
    number,
)
from seqlang.kernel.values import Reader, Space, Value

Key = tuple[Kind, int]
"""("cell", 2), ("memory", 0), ("draw", 1), ("input", 0), ("let", 4)"""


@dataclass
class Run:
    """The state of a run within a step. `picks`: what is picked; `weighed`: the weights of the picks that were met.
    `later`: what cells of the value of the step before hold from the next step on. `happened`: what the outcome says of
    the draws, top to bottom. `shown`: the values that reports and the stop have shown, in order. `needed`: what
    totality asks, each after what happened above."""

    program: Program
    space: Space
    step: Linear
    values: dict[Key, Value]
    is_shown: Callable[[Expression], bool]
    table: Table | None
    number: Literal[1, 2]
    picks: Mapping[int, Linear] = field(default_factory=dict)
    weighed: dict[int, Weighed] = field(default_factory=dict)
    later: dict[int, Value] = field(default_factory=dict)
    happened: list[Formula] = field(default_factory=list)
    shown: list[tuple[Expression, Value]] = field(default_factory=list)
    needed: list[Formula] = field(default_factory=list)
    stopped: bool = False

    def reader(self) -> Reader:
        return Reader(self.space, self._read, self.is_shown, self.table, self.number)

    def _read(self, what: Read | Step) -> Value:
        if isinstance(what, Step):
            return self.step
        found = self.values.get((what.kind, what.index))
        if found is None and what.kind == "report":  # it was not made: whoever reads it fails
            self.space.needed.append(FALSE)
            return self.space.new(f"report {what.index}, not made")
        if found is None or what.run != 0:
            raise Refused(f"{what.kind} {what.index} is read where it has no value")
        return found


def play(run: Run, outcome: Outcome, other: Run | None) -> None:
    """Runs the body, where the step's outcome is in the class. `other`: the first run, whose shown values are taken for
    those of this one, which the caller has to prove."""
    for statement in run.program.body:
        if run.stopped or FALSE in run.happened:
            return
        before = len(run.space.needed)
        so_far = holds_all(run.happened)
        _one(run, statement, outcome, other)
        asked = run.space.needed[before:]
        del run.space.needed[before:]
        run.needed.extend(holds_one((denied(so_far), need)) for need in asked)
    if outcome.stop is not None and not run.stopped and FALSE not in run.happened:
        raise Refused("an outcome stops where there is no such stop")


def _one(run: Run, statement: object, outcome: Outcome, other: Run | None) -> None:
    reader = run.reader()
    match statement:
        case Let(index, value):
            run.values["let", index] = reader.value(value)
        case Tick():
            _tick(run, statement)
        case Pick(index, _, weights):
            total = reduce(lambda a, b: Op("+", (a, b)), weights)
            terms = tuple(reader.number(weight) for weight in weights)
            logs = tuple(reader.number(Op("log", (weight,))) for weight in weights)
            run.space.needed.extend(above(term, number(0)) for term in terms)
            run.weighed[index] = Weighed(terms, logs, reader.number(total), reader.number(Op("log", (total,))))
            run.values["pick", index] = run.picks[index]
        case Update(index, value, when):
            new = value if when is None else Choose(when, value, Read("memory", index))
            run.values["memory", index] = reader.value(new)
        case Report(index, when, value):
            _report(run, Report(index, when, value), outcome.reports[index], other)
        case Stop(index, when, result):
            test = TRUE if when is None else reader.truth(when)
            if outcome.stop != index:
                run.happened.append(denied(test))
                return
            run.happened.append(test)
            run.shown.extend((part, reader.value(part)) for part in parts_of(result))
            run.stopped = True


def parts_of(shown: Expression | None) -> tuple[Expression, ...]:
    """Each number that a report or a stop shows."""
    match shown:
        case None:
            return ()
        case Op("list", parts):
            return parts
    return (shown,)


def _report(run: Run, report: Report, made: bool | None, other: Run | None) -> None:
    reader = run.reader()
    test = TRUE if report.when is None else reader.truth(report.when)
    if made is None:
        if report.value is not None:
            raise Refused("an outcome leaves open whether a value is shown")
        run.shown.append((report.when or Step(), test))
        run.values["report", report.index] = test if other is None else other.values["report", report.index]
        return
    run.happened.append(test if made else denied(test))
    if report.value is None:
        run.values["report", report.index] = TRUE if made else FALSE
    elif made:
        values = [(part, reader.value(part)) for part in parts_of(report.value)]
        run.shown.extend(values)
        if len(values) == 1:  # nothing below reads a report of several numbers
            run.values["report", report.index] = values[0][1] if other is None else other.values["report", report.index]


def _tick(run: Run, tick: Tick) -> None:
    reader = run.reader()
    key: Key = ("cell", tick.index)
    if tick.operator == "last":
        if tick.where is not None:
            raise Refused("a value of the step before, of some steps only")
        run.later[tick.index] = reader.value(tick.value)
        return
    added = tick.value if tick.operator == "sum" else Choose(tick.value, Number(Fraction(1)), Number(Fraction(0)))
    if tick.where is not None:
        added = Choose(tick.where, added, Number(Fraction(0)))
    before = run.values[key]
    if not isinstance(before, Linear):
        raise Refused("a sum of what is no number")
    run.values[key] = before + reader.number(added)


def merged(space: Space, test: Formula, new: Value, old: Value) -> Value:
    """`new` where the test holds, else `old`."""
    if test in (TRUE, FALSE) or new == old:
        return new if test == TRUE or new == old else old
    match new, old:
        case Linear(), Linear():
            return space.chosen(test, new, old)
        case ((Sign() | Both() | Either()), (Sign() | Both() | Either())):
            return holds_one((holds_all((test, new)), holds_all((denied(test), old))))
    raise Refused("a memory or a cell whose values are of several kinds")


def ended(run: Run, outcome: Outcome, before: Mapping[Key, Value]) -> dict[Key, Value]:
    """What cells and memories hold when the next step begins: numbers where `before` has numbers, else truth values."""
    found: dict[Key, Value] = {}
    for cell in run.program.cells:
        value = run.later[cell.index] if cell.operator == "last" else run.values["cell", cell.index]
        if cell.since is not None:
            value = merged(run.space, _was_made(run, outcome, cell.since), number(0), value)
        found["cell", cell.index] = value
    for index in range(len(run.program.memories)):
        found["memory", index] = run.values["memory", index]
    for key, old in before.items():
        if isinstance(old, Linear) != isinstance(found[key], Linear) or isinstance(found[key], str):
            raise Refused(f"{key[0]} {key[1]} holds values of different kinds")
    return found


def _was_made(run: Run, outcome: Outcome, report: int) -> Formula:
    """Whether the report was made. What it shows plays no part: it may show a truth value."""
    made = outcome.reports[report]
    if made is not None:
        return TRUE if made else FALSE
    found = run.values["report", report]  # it shows no value, else the outcome would say whether it was made
    assert isinstance(found, Sign | Both | Either)
    return found
