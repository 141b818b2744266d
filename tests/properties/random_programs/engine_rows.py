"""What a program asks of an engine: one row of the table for each operator, fold, look-back and kind of value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args, get_type_hints

from seqlang.model import expression as ir
from seqlang.model.life import Once
from seqlang.model.program import AllSteps, AtReports, Cell, LastSteps, Previous, Program, SinceReport, Update
from seqlang.operators.operator import Fold
from seqlang.record import field_names

OVER_ELEMENTS = ("sum", "mean", "count", "max", "min", "argmax", "argmin")
QUANTIFIED = ("list", "set", *get_args(Fold))
OVER_TIME = get_args(Fold)
SPANS = {AllSteps: "over steps", LastSteps: "over last m", SinceReport: "since r"}
DENSITIES = get_args(get_type_hints(ir.Density)["method"])
MEMORY = ("memory above its update", "memory below its update")
OTHERS = (
    "a window whose length changes", "if", "v[i]", "[a, b]", "{a, b}", "records", "a record's field", "a report read",
    "a draw once", "a draw each step", "a set of weights", "a cell in a `for`", "a cell in two `for`",
    "where, over time", "where, in a `for`", "one letter twice, nested", "one letter twice, side by side", *MEMORY,
)  # fmt: skip


def catalogue() -> tuple[str, ...]:
    """All rows, from the model's own lists of operators."""
    elements = [f"{op}(v)" for op in OVER_ELEMENTS]
    written = sorted(ir.OPERATORS - set(OVER_ELEMENTS))
    return (
        *written, "max(a, b)", "min(a, b)", *elements,
        *(f"{op} for" for op in QUANTIFIED),
        *(f"{op} {span}" for span in SPANS.values() for op in OVER_TIME),
        "previous", "history",
        *(f".{method}" for method in DENSITIES),
        *OTHERS,
    )  # fmt: skip


def rows_of(text: str, program: Program) -> frozenset[str]:
    """The rows of a program; `text` still has the letters as the user chose them."""
    found: set[str] = set(_letters(text))
    updated: set[str] = set()
    for statement in program.body:
        if isinstance(statement, Cell):
            found |= set(_of_cell(program, statement))
        for name in field_names(type(statement)):
            value = getattr(statement, name)
            if isinstance(value, get_args(ir.Expression)):
                for node in ir.walk(value):
                    found |= set(_of_node(program, node, updated))
        if isinstance(statement, Update):
            updated.add(statement.memory)
    return frozenset(found)


def _of_cell(program: Program, cell: Cell) -> Iterator[str]:
    match cell.keep:
        case Previous():
            yield "previous"
        case AtReports():
            yield "history"
        case keep:
            yield f"{cell.operator} {SPANS[type(keep)]}"
    if cell.binders:
        yield "a cell in a `for`"
    if len(cell.binders) > 1:
        yield "a cell in two `for`"
    if cell.where is not None:
        yield "where, over time"
    if isinstance(cell.keep, LastSteps):
        changing = (ir.StepNumber, ir.MemoryValue, ir.Field, ir.Local, ir.CellValue)
        if any(isinstance(node, changing) for node in ir.walk(cell.keep.count)):
            yield "a window whose length changes"
        for node in ir.walk(cell.keep.count):
            yield from _of_node(program, node, set())


def _of_node(program: Program, node: ir.Expression, updated: set[str]) -> Iterator[str]:
    match node:
        case ir.Apply(operator, arguments) if operator in OVER_ELEMENTS:
            yield f"{operator}(v)" if len(arguments) == 1 else f"{operator}(a, b)"
        case ir.Apply(operator):
            yield operator
        case ir.Quantified(operator=operator, where=where):
            yield f"{operator} for"
            if where is not None:
                yield "where, in a `for`"
        case ir.Choice():
            yield "if"
        case ir.Index(base=ir.Field()):
            yield "a record's field"
        case ir.Index():
            yield "v[i]"
        case ir.Sequence(kind=kind):
            yield "[a, b]" if kind == "list" else "{a, b}"
        case ir.Records():
            yield "records"
        case ir.Reported():
            yield "a report read"
        case ir.Drawn(name):
            yield "a draw once" if isinstance(program.noise(name).life, Once) else "a draw each step"
        case ir.Density(method=method):
            yield f".{method}"
        case ir.Weights() | ir.WeightsOf():
            yield "a set of weights"
        case ir.MemoryValue(name):
            yield MEMORY[name in updated]
        case _:
            return


def _letters(text: str) -> Iterator[str]:
    """Whether one letter is bound twice: within its own scope (elaboration renames the inner one), or beside it."""
    from seqlang.source import Source
    from seqlang.syntax import parse, tree

    parsed, _ = parse(Source("<letters>", text))
    assert parsed is not None
    for statement in parsed.statements:
        seen: list[str] = []
        for binder, outer in _binders(statement, ()):
            assert isinstance(binder, tree.ForIn)
            letter = binder.variable.name
            if letter in outer:
                yield "one letter twice, nested"
            elif letter in seen:
                yield "one letter twice, side by side"
            seen.append(letter)


def _binders(node: object, outer: tuple[str, ...]) -> Iterator[tuple[object, tuple[str, ...]]]:
    """All binders, with the letters that are bound around each."""
    from seqlang.syntax import tree

    if isinstance(node, tuple):
        for item in node:
            yield from _binders(item, outer)
        return
    if not hasattr(type(node), "_record_fields"):
        return
    parts = [getattr(node, name) for name in field_names(type(node))]
    here = [part for part in parts if isinstance(part, tree.ForIn)]
    yield from ((binder, outer) for binder in here)
    inside = (*outer, *(binder.variable.name for binder in here))
    for part in parts:
        yield from _binders(part, outer if isinstance(part, tree.ForIn) else inside)
