"""What a proof says moves: named statistics, and every value that a report, a stop or a choice compares or shows."""

from __future__ import annotations

from collections.abc import Iterator

from seqlang.model.expression import Expression, Local, MemoryValue
from seqlang.model.gate_source import report_of, stop_of
from seqlang.model.margins import margins
from seqlang.model.program import (
    ChooseGate,
    CompareGate,
    Define,
    FlipLaw,
    Gate,
    Margin,
    NoisyMaxLaw,
    Program,
    PublicGate,
    ReleaseGate,
    Report,
    Stop,
    expressions_read,
)
from seqlang.record import record


@record
class Quantity:
    """An expression over the plain data. It is read at `place`, a report or stop, in the steps in which the public
    `guard` holds (None: always); without a place it is read when the step is over."""

    name: str
    expression: Expression
    place: Report | Stop | None = None
    guard: Expression | None = None


@record
class Compared:
    """A margin of a comparison and the quantity that is its value."""

    margin: Margin
    quantity: Quantity


def quantities_of(program: Program) -> tuple[Quantity, ...]:
    """Each once, statistics first."""
    found = [*_statistics(program), *(c.quantity for c in comparisons_of(program))]
    for gate in program.gates:
        for what, expression in _shown(gate):
            guard = None if isinstance(gate, PublicGate) else gate.guard
            found.append(Quantity(what, expression, place_of(program, gate), guard))
    kept: dict[tuple[Expression, Report | Stop | None], Quantity] = {}
    named = {q.expression for q in found if isinstance(q.expression, Local)}
    for quantity in found:
        again = quantity.place is not None and quantity.expression in named
        if not again and (quantity.place is not None or not _changes_later(program, quantity.expression)):
            kept.setdefault((quantity.expression, quantity.place), quantity)
    return tuple(kept.values())


def comparisons_of(program: Program) -> tuple[Compared, ...]:
    """All that is compared with noise, in file order."""
    return tuple(
        Compared(margin, Quantity(f"what {gate.name} compares", margin.value, place_of(program, gate), gate.guard))
        for gate in program.gates
        if isinstance(gate, CompareGate)
        for margin in margins(gate.test)
    )


def _statistics(program: Program) -> Iterator[Quantity]:
    for statement in program.body:
        if isinstance(statement, Define) and statement.kind == "statistic":
            yield Quantity(f"statistic {statement.name}", Local(statement.name))


def _shown(gate: Gate) -> Iterator[tuple[str, Expression]]:
    match gate:
        case ReleaseGate(value=value):
            yield f"what {gate.name} shows", value
        case ChooseGate(law=FlipLaw(of=of)):
            yield f"what {gate.name} flips", of
        case ChooseGate(law=NoisyMaxLaw(of=of)):
            yield f"what {gate.name} chooses from", of
        case _:
            pass


def place_of(program: Program, gate: Gate) -> Report | Stop | None:
    """The report or stop that the gate stands for; None for what is hidden."""
    stop, report = stop_of(gate.source), report_of(gate.source)
    for statement in program.body:
        match statement:
            case Stop(index=index) if index == stop:
                return statement
            case Report(name=name) if name == report:
                return statement
            case _:
                pass
    return None


def _changes_later(program: Program, expression: Expression) -> bool:
    """True if memory is read, which an update further down changes before the step is over."""
    direct = expression if not isinstance(expression, Local) else None
    return direct is not None and any(isinstance(node, MemoryValue) for node in expressions_read(program, (direct,)))
