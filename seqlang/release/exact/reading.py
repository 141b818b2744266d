"""What an expression of a released program depends on: private entries, noise, numbers that are not rational."""

from __future__ import annotations

from seqlang.model import expression as ir
from seqlang.model.program import Cell, Define, Program, Report, Statement, Update, expressions_in, expressions_read
from seqlang.operators.catalogue import OPERATORS
from seqlang.operators.groups import COUNTS, NOT_RATIONAL


def is_private(program: Program, expression: ir.Expression) -> bool:
    """Whether it reads entries or noise; what was shown is public."""
    inputs = {field.name for field in program.inputs if field.kind != "public"}
    return any(
        isinstance(part, ir.Noised | ir.Drawn) or (isinstance(part, ir.Field) and part.name in inputs)
        for part in expressions_read(program, [expression])
    )


def is_steady(program: Program, expression: ir.Expression) -> bool:
    """Whether its value changes only where a memory does, so that it need not be computed in each step."""
    if not program.memories or not isinstance(expression, ir.Apply | ir.Choice | ir.Density):
        return False
    parts = list(expressions_read(program, [expression]))
    return any(isinstance(p, ir.MemoryValue) for p in parts) and all(isinstance(p, _STEADY) for p in parts)


_STEADY = (
    ir.Number, ir.Truth, ir.Label, ir.ParameterValue, ir.MemoryValue, ir.Local, ir.Apply, ir.Choice, ir.Index,
    ir.Sequence, ir.Density, ir.Law, ir.Weights,
)  # fmt: skip
WHOLE = frozenset(name for name, entry in OPERATORS.items() if entry.multiples == "whole" or entry.result == "set")
"""Operators whose value is rational, or no number, whatever their arguments are."""


class Irrational:
    """Which expressions may have a value that is not rational. One that is computed from rational numbers by `+ - * /`,
    folds and choices is rational; a comparison of it with others is always decided."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._found: set[tuple[str, str]] = set()
        size = -1
        while size < len(self._found):  # definitions may read each other's values of earlier steps
            size = len(self._found)
            self._found.update(("memory", m.name) for m in program.memories if self.may_be(m.initial))
            for statement in program.body:
                self._look_at(statement)

    def _look_at(self, statement: Statement) -> None:
        match statement:
            case Update(memory, value) if self.may_be(value):
                self._found.add(("memory", memory))
            case Define(name, expression) if self.may_be(expression):
                self._found.add(("local", name))
            case Cell(name, operator) if operator not in WHOLE and any(map(self.may_be, expressions_in(statement))):
                self._found.add(("cell", name))
            case Report(name=name, value=value) if value is not None and self.may_be(value):
                self._found.add(("report", name))

    def is_somewhere(self) -> bool:
        """Whether enclosures may be needed at all."""
        outermost = (e for s in self._program.body for e in expressions_in(s))
        return any(self.may_be(part) for e in outermost for part in ir.walk(e))

    def decides(self, e: ir.Expression) -> bool:
        """Whether the expression jumps, and a number that may not be rational decides how."""
        entry = OPERATORS.get(e.operator) if isinstance(e, ir.Apply | ir.Quantified) else None
        return entry is not None and entry.jumps and any(map(self.may_be, ir.children(e)))

    def may_be(self, e: ir.Expression) -> bool:
        """Of the values that the expression has in any step."""
        match e:
            case ir.Apply(operator) | ir.Quantified(operator) if operator in WHOLE:
                return False
            case ir.Apply("^", (base, ir.Number(exponent))) if exponent.denominator == 1:
                return self.may_be(base)
            case ir.Apply(operator) if operator in NOT_RATIONAL:
                return True
            case ir.Density():
                return True
            case ir.Choice(_, yes, no):
                return self.may_be(yes) or self.may_be(no)
            case ir.MemoryValue(name):
                return ("memory", name) in self._found
            case ir.Reported(name):
                return ("report", name) in self._found
            case ir.Local(name):
                return ("local", name) in self._found
            case ir.CellValue(name):
                return ("cell", name) in self._found
        return any(map(self.may_be, ir.children(e)))


class Single:
    """Which expressions are surely one number, truth or label, and no list."""

    def __init__(self, program: Program) -> None:
        self._lists = {("field", name) for name in program.data_set}
        size = -1
        while size < len(self._lists):
            size = len(self._lists)
            self._lists.update(("memory", m.name) for m in program.memories if not self.is_one(m.initial))
            for statement in program.body:
                self._look_at(statement)

    def _look_at(self, statement: Statement) -> None:
        match statement:
            case Define(name, expression) if not self.is_one(expression):
                self._lists.add(("local", name))
            case Cell(name, operator, body) if operator == "list" or not (operator in COUNTS or self.is_one(body)):
                self._lists.add(("cell", name))

    def is_one(self, e: ir.Expression) -> bool:
        """Of its value in any step."""
        match e:
            case ir.Number() | ir.Truth() | ir.Label() | ir.ParameterValue() | ir.StepNumber() | ir.Drawn():
                return True
            case ir.Bound(ir.Variable(domain=ir.Sequence(_, items))):
                return all(map(self.is_one, items))
            case ir.Bound(ir.Variable(domain=domain)):
                return isinstance(domain, ir.Records) or (isinstance(domain, ir.Apply) and domain.operator == "..")
            case ir.Field(name):
                return ("field", name) not in self._lists
            case ir.Local(name):
                return ("local", name) not in self._lists
            case ir.CellValue(name):
                return ("cell", name) not in self._lists
            case ir.MemoryValue(name):
                return ("memory", name) not in self._lists
            case ir.Index(ir.Field(), _):
                return True
            case ir.Apply(operator, arguments):
                known = operator in FOLDS or operator in ir.COMPARISONS | ir.LOGIC
                return known or (operator != "zeros" and all(map(self.is_one, arguments)))
            case ir.Choice(_, yes, no):
                return self.is_one(yes) and self.is_one(no)
            case ir.Quantified(operator, body):
                return operator not in ("list", "set") and self.is_one(body)
            case ir.Noised(_, base):
                return self.is_one(base)
        return False


FOLDS = frozenset(
    name for name, entry in OPERATORS.items()
    if entry.group == "fold" or (entry.result == "number" and entry.group == "function")
)  # fmt: skip
"""Of a list, one value."""
