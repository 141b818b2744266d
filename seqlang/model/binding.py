"""Which variables are free in an expression, what it is with others in their place, and when two expressions are one.

These are the only functions of the project that put one expression into another. They know scopes: a variable that is
bound inside is never taken for one of the same number outside, and nothing that is put in is captured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count

from seqlang.model.expression import Bound, Expression, Quantified, Variable, WeightsOf, children, rebuild
from seqlang.model.program import Cell, LastSteps, Previous
from seqlang.record import replace

NO_VARIABLES: frozenset[Variable] = frozenset()
Assigned = Mapping[Variable, Expression]
_FRESH = count(1_000_000_000)
"""Numbers for binders that step aside; a program's own binders are numbered from 1. They depend on what the process
did before, so nothing may show or order them: expressions are printed with letters, and what is cached is compared
by equality within the process. No binder of a program or a certificate has one."""


def free_variables(expression: Expression) -> frozenset[Variable]:
    """The variables that the expression reads and does not bind."""
    match expression:
        case Bound(variable):
            return frozenset({variable})
        case Quantified() | WeightsOf():
            inside = NO_VARIABLES.union(*(free_variables(part) for part in _scope(expression)))
            return (inside - {expression.variable}) | free_variables(expression.domain)
    return NO_VARIABLES.union(*(free_variables(child) for child in children(expression)))


def _scope(expression: Quantified | WeightsOf) -> Iterator[Expression]:
    """The parts in which the binder's variable has its meaning: all but the domain."""
    yield from (expression.body,) if isinstance(expression, Quantified) else (expression.value, expression.weight)
    if expression.where is not None:
        yield expression.where


def reads(expression: Expression, variable: Variable) -> bool:
    """True if the value of the expression may depend on the variable."""
    return variable in free_variables(expression)


def substitute(expression: Expression, given: Assigned) -> Expression:
    """The expression with each variable of `given` replaced, where it is free; whatever is put in keeps its meaning."""
    match expression:
        case Bound(variable):
            return given.get(variable, expression)
        case Quantified() | WeightsOf():
            return _under_binder(expression, given)
    if not any(True for _ in children(expression)):
        return expression
    return rebuild(expression, lambda child: substitute(child, given))


def _under_binder(expression: Quantified | WeightsOf, given: Assigned) -> Expression:
    """The variable keeps the domain that it was made with, also where the binder's own domain is changed here. That is
    sound for those who read `Variable.domain`: `rules/sensitivity/facts/finite` evaluates it with nothing assigned, so
    that it has no value there if it reads a variable (and nothing is known of the variable then), and if it reads none,
    nothing was put in and it is the binder's own; `model/validate` compares it with the binder's in a program, where
    nothing has been put in yet. Printing and the engines read the binder's own domain."""
    wanted = free_variables(expression)
    relevant = {v: e for v, e in given.items() if v in wanted}
    if not relevant:
        return expression
    own = expression.variable
    domain = substitute(expression.domain, relevant)
    inner = {v: e for v, e in relevant.items() if v != own}
    if any(own in free_variables(e) for e in inner.values()):  # it would be captured: the binder steps aside
        other = replace(own, number=next(_FRESH))
        inner[own], own = Bound(other), other
    if isinstance(expression, Quantified):
        changed: Expression = replace(expression, body=substitute(expression.body, inner))
    else:
        value, weight = substitute(expression.value, inner), substitute(expression.weight, inner)
        changed = replace(expression, value=value, weight=weight)
    where = None if expression.where is None else substitute(expression.where, inner)
    return replace(changed, variable=own, domain=domain, where=where)


def replaced(expression: Expression, part: Expression, by: Expression) -> Expression:
    """The expression with `by` wherever `part` occurs with its meaning: not under a binder of one of its variables."""
    return _replaced(expression, part, by, free_variables(part))


def _replaced(expression: Expression, part: Expression, by: Expression, free: frozenset[Variable]) -> Expression:
    if expression == part:
        return by
    if isinstance(expression, Quantified | WeightsOf) and expression.variable in free | free_variables(by):
        return replace(expression, domain=_replaced(expression.domain, part, by, free))
    if not any(True for _ in children(expression)):
        return expression
    return rebuild(expression, lambda child: _replaced(child, part, by, free))


def rewritten(cell: Cell, change: Callable[[Expression], Expression]) -> Cell:
    """The cell with `change` applied to each of the expressions that decide its value; its binders stay."""
    keep = cell.keep
    if isinstance(keep, LastSteps):
        keep = LastSteps(change(keep.count))
    elif isinstance(keep, Previous):
        keep = Previous(change(keep.initial))
    return replace(cell, body=change(cell.body), where=None if cell.where is None else change(cell.where), keep=keep)


def element_of_cell(cell: Cell, at: tuple[Expression, ...]) -> Cell:
    """One element of a cell with binders, as a cell without them."""
    given = {variable: position for (variable, _), position in zip(cell.binders, at, strict=True)}
    return replace(rewritten(cell, lambda e: substitute(e, given)), binders=())


def renamed(expression: Expression, variable: Variable) -> Expression:
    """A quantified expression or law with another variable in the place of its own, which must not be free in it."""
    assert isinstance(expression, Quantified | WeightsOf)
    if expression.variable == variable:
        return expression
    given = {expression.variable: Bound(variable)}
    where = None if expression.where is None else substitute(expression.where, given)
    if isinstance(expression, Quantified):
        return replace(expression, body=substitute(expression.body, given), variable=variable, where=where)
    value, weight = substitute(expression.value, given), substitute(expression.weight, given)
    return replace(expression, value=value, weight=weight, variable=variable, where=where)


def canonical(expression: Expression, depth: int = 0) -> Expression:
    """The expression with its binders numbered -1, -2, .. from the outermost inwards.

    Two expressions have the same canonical form if and only if they are the same up to the names of what they bind.
    No binder of a program has a negative number, so nothing free is captured.
    """
    if isinstance(expression, Quantified | WeightsOf):
        expression = renamed(expression, replace(expression.variable, number=-1 - depth))
        depth += 1
    if not any(True for _ in children(expression)):
        return expression
    return rebuild(expression, lambda child: canonical(child, depth))


def settled(expression: Expression, known: dict[Expression, Variable]) -> Expression:
    """The expression with one variable for all binders that stand for the same thing up to letters, and another one for
    every other binder. `known` holds the binders met so far by their canonical form; it grows."""
    if isinstance(expression, Quantified | WeightsOf):
        expression = renamed(expression, known.setdefault(canonical(expression), expression.variable))
    if not any(True for _ in children(expression)):
        return expression
    return rebuild(expression, lambda child: settled(child, known))
