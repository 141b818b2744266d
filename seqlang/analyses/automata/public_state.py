"""What is known of memories and counts at the beginning of a step, whatever the data are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from seqlang.analyses.automata.inline import ZERO
from seqlang.kernel.core import (
    Choose,
    Expression,
    Let,
    Letters,
    Number,
    Op,
    Program,
    Read,
    Stop,
    Tick,
    Update,
)
from seqlang.kernel.levels import Level, Levels


def known_at_the_beginning(program: Program, levels: Levels) -> Iterator[Expression]:
    """What is known of public state at the beginning of a step, as no stop has happened."""
    lets: dict[int, Expression] = {}
    for index in sorted(_never_negative(program)):
        memory = Read("memory", index)
        if levels.is_shown(memory):
            yield Op(">=", (replace(memory, run=1), ZERO))
    for cell in program.cells:
        if cell.operator == "count" and levels.of(Read("cell", cell.index)) == Level.SHOWN:
            yield Op(">=", (Read("cell", cell.index, 1), ZERO))
    for place, statement in enumerate(program.body):
        if isinstance(statement, Let):
            lets[statement.index] = statement.value
        if isinstance(statement, Stop) and statement.when is not None and levels.of(statement.when) == Level.SHOWN:
            try:
                known = Op("not", (_as_state(statement.when, lets),))
            except KeyError:
                continue
            if not any(_changes(later, known) for later in program.body[place + 1 :]):
                yield known


def _changes(statement: object, e: Expression) -> bool:
    """Whether it changes what the expression reads."""
    match statement, e:
        case (Tick(index), Read("cell", read)) | (Update(index), Read("memory", read)):
            return index == read
        case _, Op(_, arguments):
            return any(_changes(statement, part) for part in arguments)
        case _, Choose(test, yes, no):
            return any(_changes(statement, part) for part in (test, yes, no))
    return False


def _never_negative(program: Program) -> set[int]:
    """The memories that plainly never fall below 0."""
    found = set(range(len(program.memories)))
    values = [(k, e) for k, e in enumerate(program.memories)]
    values += [(s.index, s.value) for s in program.body if isinstance(s, Update)]
    while True:
        bad = {k for k, e in values if k in found and not _is_positive(program, e, found)}
        if not bad:
            return found
        found -= bad


def _is_positive(program: Program, e: Expression, memories: set[int]) -> bool:
    match e:
        case Number(value):
            return value >= 0
        case Read("memory", index):
            return index in memories
        case Read("input", index):
            domain = program.inputs[index].domain
            least = min(domain.values) if isinstance(domain, Letters) else domain.low
            return least is not None and least >= 0
        case Op("+" | "*" | "max" | "min", parts):
            return all(_is_positive(program, part, memories) for part in parts)
        case Choose(_, yes, no):
            return _is_positive(program, yes, memories) and _is_positive(program, no, memories)
    return False


def _as_state(e: Expression, lets: dict[int, Expression]) -> Expression:
    """With what is read as it is between two steps. Raises KeyError for what is not there then."""
    match e:
        case Op(name, arguments):
            return Op(name, tuple(_as_state(a, lets) for a in arguments))
        case Choose(test, yes, no):
            return Choose(_as_state(test, lets), _as_state(yes, lets), _as_state(no, lets))
        case Read("let", index):
            return _as_state(lets[index], lets)
        case Read("cell" | "memory" as kind, index):
            return Read(kind, index, 1)
        case Read():
            raise KeyError(e)
    return e
