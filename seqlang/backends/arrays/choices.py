"""Comparisons, `and`, `or` and `if`: what is not needed in a run may be without a value there."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from seqlang.backends.arrays import laws
from seqlang.backends.arrays.frame import Frame, Run
from seqlang.backends.arrays.values import CannotVectorise, Ragged, Value
from seqlang.source import Span

Pair = Callable[[Value, Value], Value]


def compared(pair: Pair, left: Run, right: Run, span: Span) -> Run:
    """A comparison, whose sides must be numbers."""
    return lambda f: pair(sure(left(f), f, span), sure(right(f), f, span))


def sure(value: Value, f: Frame, span: Span) -> Value:
    """A side of a comparison, which must be a number: the comparison would be false without a word."""
    if isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype == np.float64):
        f.need(np.isnan(value), "a side of this comparison", span)
    return value


def both(pair: Pair, operator: str, left: Run, right: Run) -> Run:
    """`and` or `or`: the right side is needed where the left one does not decide."""

    def run(f: Frame) -> Value:
        first = left(f)
        second, doubts = f.perhaps(right)
        f.need_these(doubts, first if operator == "and" else np.logical_not(first))
        return pair(first, second)

    return run


def chosen(test: Run, yes: Run, no: Run) -> Run:
    """`if`."""

    def run(f: Frame) -> Value:
        which = test(f)
        if not isinstance(which, np.ndarray):
            return yes(f) if which else no(f)
        (first, doubts), (second, others) = f.perhaps(yes), f.perhaps(no)
        f.need_these(doubts, which)
        f.need_these(others, np.logical_not(which))
        if isinstance(first, laws.VectorLaw):
            return laws.Either(which, first, second)
        if isinstance(first, Ragged) or isinstance(second, Ragged):
            raise CannotVectorise("a choice between lists that grow")
        return np.where(which, first, second)

    return run
