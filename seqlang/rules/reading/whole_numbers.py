"""Whether a quantity moves by whole numbers only, as noise on the integers needs it."""

from __future__ import annotations

from seqlang.model.expression import Apply, CellValue, Drawn, Expression, Field, Local, Number, Records
from seqlang.model.program import AddRemove, Level, Program, expressions_read
from seqlang.rules.sensitivity.ranges.ranges import range_of


def moves_by_whole_numbers(program: Program, value: Expression) -> bool:
    """A sum of public parts, which do not move, and parts whose values are whole numbers."""
    if not reads_private(program, value):
        return True
    match value:
        case Apply("+" | "-", parts):
            return all(moves_by_whole_numbers(program, part) for part in parts)
        case Apply("negate", (part,)):
            return moves_by_whole_numbers(program, part)
        case Apply("*", (Number(factor), part)) | Apply("*", (part, Number(factor))) if factor.denominator == 1:
            return moves_by_whole_numbers(program, part)
        case Local(name) if not range_of(program, value).integer:
            return moves_by_whole_numbers(program, program.define(name).expression)
        case _:
            return range_of(program, value).integer


def reads_private(program: Program, value: Expression) -> bool:
    """An input that is not public, or anything computed from one, is read (memory and reports are public)."""
    for expression in expressions_read(program, (value,)):
        match expression:
            case Field(name) if program.input(name).kind != "public":
                return True
            case CellValue(name) if program.cell(name).level == Level.PRIVATE:
                return True
            case Records() | Drawn() if isinstance(program.adjacency, AddRemove):
                return True  # how many records there are, or a sample of them
            case _:
                pass
    return False
