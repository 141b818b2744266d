"""Operators on arrays, and folds over lists of them. The meaning is the interpreter's; invalid is NaN."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from seqlang.backends.arrays.lists import stack
from seqlang.backends.arrays.values import CannotVectorise, Ragged, Value, rows_stand_together, shape_of
from seqlang.operators.catalogue import in_group, numerics
from seqlang.operators.groups import EXTREMES, PLACES, SUMS

LOWEST = -math.inf


def _equal(a: Value, b: Value) -> Value:
    same = np.equal(a, b)
    return np.logical_and.reduce(same, axis=0) if same.ndim > 1 else same


def _norm(v: Value) -> Value:
    return np.sqrt(np.add.reduce(np.square(v), axis=0)) if shape_of(v) else np.abs(v)


def _dot(a: Value, b: Value) -> Value:
    if rows_stand_together(a) and rows_stand_together(b):
        return np.einsum("ij,ij->j", a, b)  # without a table of the products
    product = a * b
    return np.add.reduce(product, axis=0) if shape_of(product) else product


def _project(v: Value, radius: Value) -> Value:
    size = _norm(v)
    return v * np.where(size <= radius, 1.0, radius / np.maximum(size, 1e-300))


def _all_of(operator: str, *arguments: Value) -> Value:
    """A fold over the elements of one vector or list, or over several numbers."""
    if len(arguments) == 1:
        v = arguments[0]
        if isinstance(v, Ragged):
            elements = list(range(1, v.longest() + 1))
            masks: list[Value] = [v.lengths >= j for j in elements]
            return fold_list(operator, elements, [v.values[j - 1] for j in elements], masks, len(v.lengths))
        if not shape_of(v):
            return v
        if operator in EXTREMES:
            return (np.maximum if operator == "max" else np.minimum).reduce(v, axis=0)
        if operator in PLACES and v.ndim == 2:
            place = (np.argmax if operator == "argmax" else np.argmin)(v, axis=0)
            found = np.take_along_axis(v, place[None], axis=0)[0]
            return np.where(np.isnan(found), math.nan, place + 1.0)  # the first that is not a number, if there is one
        elements = list(range(1, v.shape[0] + 1))
        return fold_list(operator, elements, list(v), [True] * len(elements), v.shape[-1])
    result = arguments[0]
    for other in arguments[1:]:
        result = np.maximum(result, other) if operator == "max" else np.minimum(result, other)
    return result


def _length(v: Value) -> Value:
    return v.lengths.astype(np.float64) if isinstance(v, Ragged) else v.shape[0]


def _sort(v: Value) -> Value:
    if isinstance(v, Ragged):
        raise CannotVectorise("a sorted list of different lengths in different runs")
    found = np.sort(v, axis=0)
    return np.where(np.isnan(found[-1:]), math.nan, found)  # what is not a number goes last


OPERATORS: dict[str, Callable[..., Value]] = {
    **{name: numeric.array(np) for count in (1, 3) for name, numeric in numerics(count).items()},
    "not": np.logical_not,
    "==": _equal,
    "!=": lambda a, b: np.logical_not(_equal(a, b)),
    "norm": _norm,
    "dot": _dot,
    "project": _project,
    "clip_norm": _project,
    "sort": _sort,
    "length": _length,
    **{name: (lambda *a, name=name: _all_of(name, *a)) for name in in_group("fold")},
    "and": lambda *a: np.logical_and.reduce(np.broadcast_arrays(*a)),
    "or": lambda *a: np.logical_or.reduce(np.broadcast_arrays(*a)),
}
PAIRS: dict[str, Callable[[Value, Value], Value]] = {
    **{name: numeric.array(np) for name, numeric in numerics(2).items() if name not in OPERATORS},
    "and": np.logical_and,
    "or": np.logical_or,
}
"""The same for exactly two arguments."""


def fold_list(operator: str, elements: list[Value], values: list[Value], masks: list[Value], count: int) -> Value:
    """OP over `values`, each where its mask holds (True: in all runs). Folded one by one, in order: the result of a
    run never depends on the other runs."""
    if operator == "list":
        if any(m is not True for m in masks):
            raise CannotVectorise("a list with different elements in different runs")
        return stack(values)
    if operator == "set":
        raise CannotVectorise("a set as a value")
    if operator in PLACES:
        return _best(operator, elements, values, masks, count)
    total: Value = {"max": -math.inf, "min": math.inf}.get(operator, 0.0)
    number: Value = 0
    for value, mask in zip(values, masks, strict=True):
        if operator == "count":
            total = total + np.logical_and(mask, value)
        elif operator in SUMS:
            total = total + (value if mask is True else np.where(mask, value, 0.0))
            number = number + (1 if mask is True else np.asarray(mask) * 1)
        else:
            choose = np.maximum if operator == "max" else np.minimum
            total = choose(total, value if mask is True else np.where(mask, value, total))
    if operator == "mean":
        return np.divide(total, number)
    if operator in EXTREMES:
        empty = np.logical_not(np.logical_or.reduce(np.broadcast_arrays(False, *masks)))
        return np.where(empty, math.nan, total) if np.any(empty) else total
    return total


def _best(operator: str, elements: list[Value], values: list[Value], masks: list[Value], count: int) -> Value:
    sign = 1.0 if operator == "argmax" else -1.0
    best: Any = np.full(count, -math.inf)
    chosen: Any = np.full(count, math.nan)
    bad: Any = False
    for element, value, mask in zip(elements, values, masks, strict=True):
        score = np.asarray(value, dtype=np.float64) * sign
        better = np.logical_and(mask, (score > best) | np.isnan(chosen))
        bad = np.logical_or(bad, np.logical_and(mask, np.isnan(score)))
        best = np.where(better, score, best)
        if shape_of(element):
            raise CannotVectorise("an argmax over vectors")
        chosen = np.where(better, element, chosen)
    return np.where(bad, math.nan, chosen) if np.any(bad) else chosen
