"""How dear one step of a program is to the interpreter, before it is run: so that a number of trials can be fixed."""

from __future__ import annotations

from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.values import EvaluationError, as_index
from seqlang.model.domain import Ball, Power
from seqlang.model.expression import (
    Apply,
    Bound,
    Expression,
    Quantified,
    RealVectors,
    Records,
    Sequence,
    children,
    walk,
)
from seqlang.model.program import Cell, LastSteps, Program, Statement, expressions_in
from seqlang.operators.groups import FOLDS, PLACES

UNKNOWN = 8
"""Nodes that an expression counts for whose size is only known in the run."""
STATEMENT = 4
"""Nodes that a statement costs beside its expressions."""


def work_of(program: Program) -> int:
    """Evaluations of a node on a number in one step, about; for a dataset those that load it are counted too."""
    compiler = Compiler(program)
    size = 0 if program.size is None else as_index(compiler.constant(program.size))
    vectors = [i.domain for i in program.inputs if isinstance(i.domain, Ball | Power)]
    wide = max((as_index(compiler.constant(domain.dimension)) for domain in vectors), default=1)
    return wide * (size + sum(_statement(compiler, s, size) for s in program.body))


def _statement(compiler: Compiler, statement: Statement, size: int) -> int:
    each_step = (statement.body, statement.where) if isinstance(statement, Cell) else statement
    work = STATEMENT + sum(_work(compiler, part, size) for part in expressions_in(each_step))
    if isinstance(statement, Cell):
        for _, domain in statement.binders:
            work *= _length(compiler, domain, size)
        if isinstance(statement.keep, LastSteps):
            work += UNKNOWN
    return work


def _work(compiler: Compiler, expression: Expression, size: int) -> int:
    inside = 1 + sum(_work(compiler, child, size) for child in children(expression))
    if isinstance(expression, Quantified):
        return inside * _length(compiler, expression.domain, size)
    if isinstance(expression, Apply) and expression.operator in FOLDS - PLACES:
        return inside + (size if len(expression.arguments) == 1 else 0)
    return inside


def _length(compiler: Compiler, domain: Expression, size: int) -> int:
    match domain:
        case Records():
            return max(size, 1)
        case Sequence(items=items):
            return max(len(items), 1)
        case RealVectors():
            return 1  # minimised by numpy, all records at once
    if any(isinstance(node, Bound) for node in walk(domain)):
        return UNKNOWN
    try:
        return max(len(compiler.constant(domain)), 1)
    except (EvaluationError, AttributeError, TypeError, KeyError):
        return UNKNOWN
