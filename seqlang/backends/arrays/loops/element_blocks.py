"""Folds over `for` ranges that differ from run to run (`for j in 1..length(times)`), many elements at once.

Element by element, numpy's fixed cost a call would be paid once for each element. Here a block of elements is the first
axis of the arrays: the variable is a column (k, 1), or a block (k, runs) of a list's elements, and the body has the
shape (k, runs). That is right only where every operator acts on each number for itself; anything else is left to the
plain loop (`elementwise` gives None, or a value of another shape raises `NotWide`).

Sums are added row by row in the order of the elements, so that a run's result does not depend on the other runs, nor on
the size of the block.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from seqlang.backends.arrays.choices import both, chosen, compared
from seqlang.backends.arrays.frame import Expressions, Frame, Run
from seqlang.backends.arrays.operators import OPERATORS, PAIRS
from seqlang.backends.arrays.values import Ragged, Rows, Value
from seqlang.backends.interpret.shapes import shape_of_expression
from seqlang.model import expression as ir
from seqlang.model.binding import reads
from seqlang.operators.catalogue import with_result
from seqlang.operators.groups import CONNECTIVES, EXTREMES, FOLDS, PLACES
from seqlang.source import Span

OPERATORS_OF_FOLDS = FOLDS - PLACES
BLOCK = 1 << 15
"""Numbers in one array of a block, about: it stays in the processor's cache."""
FEWEST_TO_SPLIT = 256
NUMBERWISE = with_result("pointwise", "truth")
_EQUAL: dict[str, Callable[[Value, Value], Value]] = {"==": np.equal, "!=": np.not_equal}

Elements = tuple[Value, Value]
"""A block: the variable, (k, 1) or (k, runs), and where it is an element, (k, runs) or True."""


class NotWide(Exception):
    """A value has a shape that does not fit a block."""


def elementwise(compiler: Expressions, e: ir.Expression, variable: ir.Variable) -> Run | None:
    """The expression for a block of values of `variable`, or None if it is not made number by number."""
    if not reads(e, variable):
        return _the_same_for_all(compiler, e)
    form = compiler.form(e)
    if form is not e:
        return elementwise(compiler, form, variable) if isinstance(form, ir.Expression) else None
    match e:
        case ir.Bound(ir.Variable(number)):
            return lambda f: f.bound[number]
        case ir.Apply(operator, arguments, span):
            parts = [elementwise(compiler, a, variable) for a in arguments]
            many = operator in EXTREMES and len(parts) > 1
            if not (operator in NUMBERWISE or many) or any(p is None for p in parts):
                return None
            return _applied(operator, [p for p in parts if p is not None], span)
        case ir.Choice(test, yes, no):
            branches = [elementwise(compiler, x, variable) for x in (test, yes, no)]
            return None if any(b is None for b in branches) else chosen(*[b for b in branches if b is not None])
        case ir.Index(base, at, _) if not reads(base, variable):
            whole, place = compiler.compile(base), elementwise(compiler, at, variable)
            return None if place is None else lambda f: _at(whole(f), place(f))
        case _:
            return None


def _the_same_for_all(compiler: Expressions, e: ir.Expression) -> Run | None:
    if shape_of_expression(compiler.exact, e) != () or any(isinstance(x, (ir.Noised, ir.Drawn)) for x in ir.walk(e)):
        return None
    run = compiler.compile(e)

    def value(f: Frame) -> Value:
        found = run(f)
        if (isinstance(found, np.ndarray) and found.ndim > 1) or not isinstance(found, (bool, int, float, np.ndarray)):
            raise NotWide
        return found

    return value


def _applied(operator: str, parts: list[Run], span: Span) -> Run:
    pair = _EQUAL.get(operator) or PAIRS.get(operator)
    if pair is not None and len(parts) == 2:
        left, right = parts
        if operator in ir.COMPARISONS:
            return compared(pair, left, right, span)
        return both(pair, operator, left, right) if operator in CONNECTIVES else lambda f: pair(left(f), right(f))
    function = OPERATORS[operator]
    return lambda f: function(*[p(f) for p in parts])


def _at(base: Value, at: Value) -> Value:
    """base[at] from 1, for lists of numbers; not a number outside."""
    if not isinstance(base, Ragged) or base.values.ndim != 2 or not isinstance(at, np.ndarray) or at.ndim != 2:
        raise NotWide
    longest = base.values.shape[0]
    if not longest:
        return np.full((at.shape[0], len(base.lengths)), math.nan)
    position = np.nan_to_num(at).astype(np.intp) - 1
    inside = (position >= 0) & (position < base.lengths) & (at == position + 1)
    clipped = np.clip(position, 0, longest - 1)
    if at.shape[-1] == 1:
        found = base.values[clipped[:, 0]]
    else:
        found = np.take_along_axis(base.values, np.broadcast_to(clipped, inside.shape), axis=0)
    return np.where(inside, found, math.nan)


def blocks(first: int, last: int, inside: Callable[[Value], Value], count: int) -> Iterator[Elements]:
    """The elements first..last as columns; `inside(column)` says in which runs they are elements."""
    size = max(1, BLOCK // max(1, count))
    for start in range(first, last + 1, size):
        column = np.arange(start, min(start + size, last + 1), dtype=np.float64)[:, None]
        yield column, inside(column)


def list_blocks(elements: Ragged, count: int) -> Iterator[Elements]:
    """The elements of a list of numbers."""
    if elements.values.ndim != 2:
        raise NotWide
    for column, inside in blocks(1, elements.longest(), lambda c: c <= elements.lengths, count):
        start = int(column[0, 0]) - 1
        yield elements.values[start : start + len(column)], inside


def fold(operator: str, parts: Iterator[Elements], variable: int, body: Run, where: Run | None, frame: Frame) -> Value:
    """OP over all blocks, as `fold_list` does it element by element."""
    total: Any = np.full(frame.count, {"max": -math.inf, "min": math.inf}.get(operator, 0.0))
    number: Any = np.zeros(frame.count)
    outer = frame.bound.get(variable)
    splits = frame.rows is None and frame.doubts is None and all(np.ndim(v) == 0 for v in frame.bound.values())
    try:
        for column, inside in parts:
            rows = _few_rows(inside, frame.count) if splits else None
            if rows is None:
                mask, value = _block(variable, body, where, frame, column, inside)
                number += np.add.reduce(mask, axis=0)
                total = _added(operator, total, value, mask)
            elif len(rows):
                part = column[:, rows] if column.shape[-1] > 1 else column
                some = frame.among(rows)
                mask, value = _block(variable, body, where, some, part, inside[:, rows])
                number[rows] += np.add.reduce(mask, axis=0)
                total[rows] = _added(operator, total[rows], value, mask)
    finally:
        frame.bound[variable] = outer
    if operator == "mean":
        return np.divide(total, number)
    return np.where(number == 0, math.nan, total) if operator in EXTREMES else total


def _few_rows(inside: Value, count: int) -> Rows | None:
    """The runs that have an element in this block, if these are so few that they are worth being taken out."""
    if np.shape(inside)[1:] != (count,) or count < FEWEST_TO_SPLIT:  # (k, 1): the same in all runs
        return None
    having = np.logical_or.reduce(inside, axis=0)
    return np.flatnonzero(having) if 3 * np.count_nonzero(having) < count else None


def _block(
    variable: int, body: Run, where: Run | None, frame: Frame, column: Value, inside: Value
) -> tuple[Value, Value]:
    """Where the block has elements, (k, runs), and the body's values."""
    frame.bound[variable] = column
    mask = inside
    if where is not None:
        holds, doubts = frame.perhaps(where)
        frame.need_these(doubts, inside)
        mask = np.logical_and(inside, holds)
    value, doubts = frame.perhaps(body)
    frame.need_these(doubts, mask)
    return np.broadcast_to(mask, (len(column), frame.count)), value


def _added(operator: str, total: Any, value: Value, mask: Any) -> Any:
    if operator == "count":
        return total + np.add.reduce(np.logical_and(mask, value), axis=0)
    if operator in EXTREMES:
        nothing = -math.inf if operator == "max" else math.inf
        choose = np.maximum if operator == "max" else np.minimum
        return choose(total, choose.reduce(np.where(mask, value, nothing), axis=0))
    for row in np.where(mask, value, 0.0):
        total = total + row
    return total
