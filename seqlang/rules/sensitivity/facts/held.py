"""The shape of what each name of a program holds, in every step of every run.

Names read one another, and themselves one step ago. Their shapes are the least solution of the equations that the
program writes down: starting from no value at all, each name is given all shapes that its definitions have with what
the names have so far, until nothing changes. By induction over a run, every value has the shape of its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Literal

from seqlang.model.expression import Expression, Noised, walk
from seqlang.model.program import Cell, Define, Draw, LastSteps, Previous, Report, Stop, Update
from seqlang.record import field, record
from seqlang.rules.sensitivity.facts.expansion import Expansion
from seqlang.rules.sensitivity.facts.shape import NEVER, NUMBER, UNKNOWN, Shape, added_up, joined, largest, list_of

ROUNDS = 8
"""After so many rounds, what still changes (a memory that grows a list around itself) is not known."""


@record
class Held:
    """`draws` are all names that `Drawn` may have: draws and noises; `known`: the shapes of expressions that follow."""

    cells: Mapping[str, Shape]
    memories: Mapping[str, Shape]
    reports: Mapping[str, Shape]
    draws: Mapping[str, Shape]
    known: dict[Expression, Shape] = field(default_factory=dict, compare=False)


ShapeIn = Callable[[Expansion, Expression, Held], Shape]
Group = Literal["cell", "memory", "report", "draw"]
Name = tuple[Group, str]


def holding(facts: Expansion, shape_in: ShapeIn) -> Held:
    """The least solution; `shape_in` tells an expression's shape from those of the names."""
    shapes: dict[Name, Shape] = dict.fromkeys((name for name, _ in _definitions(facts)), NEVER)
    definitions = tuple(_definitions(facts))
    turn, changed = 0, True
    while changed:
        turn, held, changed = turn + 1, _held(shapes), False
        for name, of in definitions:
            found = joined(facts, (shapes[name], of(facts, held, shape_in)))
            if found != shapes[name]:
                shapes[name], changed = found if turn <= ROUNDS else UNKNOWN, True
    return _held(shapes)


def _held(shapes: Mapping[Name, Shape]) -> Held:
    def of(group: Group) -> dict[str, Shape]:
        return {name: shape for (kind, name), shape in shapes.items() if kind == group}

    return Held(of("cell"), of("memory"), of("report"), of("draw"))


Definition = Callable[[Expansion, Held, ShapeIn], Shape]


def _definitions(facts: Expansion) -> Iterator[tuple[Name, Definition]]:
    """Every place that gives a name its value."""
    program = facts.program
    for memory in program.memories:
        yield ("memory", memory.name), _value(facts, memory.initial)
    for noise in program.noises:
        if noise.target is None:
            yield ("draw", noise.name), _value(facts, noise.law)
    for statement in program.body:
        match statement:
            case Cell(name):
                yield ("cell", name), _cell(facts, statement)
            case Update(memory=name, value=value):
                yield ("memory", name), _value(facts, value)
            case Report(name=name, value=None):
                yield ("report", name), lambda _facts, _held, _shape: NUMBER
            case Report(name=name, value=value) if value is not None:
                yield ("report", name), _value(facts, value)
            case Draw(name=name, law=law):
                yield ("draw", name), _value(facts, law)
            case _:
                pass
    for expression in _written(facts):
        for node in walk(expression):
            if isinstance(node, Noised):
                for term in node.terms:  # as many numbers as the value that it is added to
                    yield ("draw", term.noise), _value(facts, node.base)


def _value(facts: Expansion, written: Expression) -> Definition:
    expression = facts.expand(written)
    return lambda facts, held, shape_in: shape_in(facts, expression, held)


def _cell(facts: Expansion, cell: Cell) -> Definition:
    body = facts.expand(cell.body)
    initial = facts.expand(cell.keep.initial) if isinstance(cell.keep, Previous) else None

    def of(facts: Expansion, held: Held, shape_in: ShapeIn) -> Shape:
        each = shape_in(facts, body, held)
        if initial is not None:
            return joined(facts, (shape_in(facts, initial, held), each))
        match cell.operator:
            case "count" | "argmax" | "argmin":
                return NUMBER
            case "list":
                return list_of(each, None)
            case "sum":
                return added_up(each)
            case "max" | "min":
                return largest(each)
            case "mean" | "last":
                return each

    return of


def _written(facts: Expansion) -> Iterator[Expression]:
    """The expressions of the body, with names replaced by their definitions."""
    for statement in facts.program.body:
        match statement:
            case Define(expression=expression):
                yield facts.expand(expression)
            case Cell(body=body, where=where, keep=keep):
                yield facts.expand(body)
                if where is not None:
                    yield facts.expand(where)
                if isinstance(keep, Previous):
                    yield facts.expand(keep.initial)
                elif isinstance(keep, LastSteps):
                    yield facts.expand(keep.count)
            case Draw(law=law):
                yield facts.expand(law)
            case Update(value=first, when=when) | Report(value=first, when=when) | Stop(result=first, when=when):
                yield from (facts.expand(e) for e in (first, when) if e is not None)
