"""Operators on arrays, and folds over lists of them. The meaning is `backends/interpret/operators`; invalid is NaN."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from seqlang.backends.simulate.arrays import CannotVectorise, Ragged, Value, rows_stand_together, shape_of
from seqlang.backends.simulate.lists import stack

LOWEST = -math.inf


def _power(a: Value, b: Value) -> Value:
    return np.power(np.asarray(a, dtype=np.float64), b)


def _divide(a: Value, b: Value) -> Value:
    return np.divide(a, b)


PAIRS: dict[str, Callable[[Value, Value], Value]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: np.subtract(a, b) if _is_truth(a) or _is_truth(b) else a - b,
    "*": lambda a, b: a * b,
    "/": _divide,
    "%": np.mod,
    "^": _power,
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
    "and": np.logical_and,
    "or": np.logical_or,
}


def _is_truth(a: Value) -> bool:
    return isinstance(a, np.ndarray) and a.dtype == np.bool_


def _minus(a: Value, b: Value) -> Value:
    """a - b, where truth values count as 0 and 1."""
    return (a * 1 if _is_truth(a) else a) - (b * 1 if _is_truth(b) else b)


def _plus(a: Value, b: Value) -> Value:
    return (a * 1 if _is_truth(a) else a) + b


PAIRS["-"] = _minus
PAIRS["+"] = _plus


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
        if operator in ("max", "min"):
            return (np.maximum if operator == "max" else np.minimum).reduce(v, axis=0)
        if operator in ("argmax", "argmin") and v.ndim == 2:
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


def _clip(v: Value, low: Value, high: Value) -> Value:
    return np.minimum(np.maximum(v, low), high)


OPERATORS: dict[str, Callable[..., Value]] = {
    "negate": lambda a: -(a * 1),
    "not": np.logical_not,
    "==": _equal,
    "!=": lambda a, b: np.logical_not(_equal(a, b)),
    "log": np.log,
    "log2": np.log2,
    "exp": np.exp,
    "sqrt": np.sqrt,
    "abs": np.abs,
    "floor": np.floor,
    "ceil": np.ceil,
    "clip": _clip,
    "norm": _norm,
    "dot": _dot,
    "project": _project,
    "clip_norm": _project,
    "length": _length,
    **{name: (lambda *a, name=name: _all_of(name, *a)) for name in ("max", "min", "sum", "mean", "count")},
    **{name: (lambda *a, name=name: _all_of(name, *a)) for name in ("argmax", "argmin")},
    "and": lambda *a: np.logical_and.reduce(np.broadcast_arrays(*a)),
    "or": lambda *a: np.logical_or.reduce(np.broadcast_arrays(*a)),
}


def fold_list(operator: str, elements: list[Value], values: list[Value], masks: list[Value], count: int) -> Value:
    """OP over `values`, each where its mask holds (True: in all runs). Folded one by one, in order: the result of a
    run never depends on the other runs."""
    if operator == "list":
        if any(m is not True for m in masks):
            raise CannotVectorise("a list with different elements in different runs")
        return stack(values)
    if operator == "set":
        raise CannotVectorise("a set as a value")
    if operator in ("argmax", "argmin"):
        return _best(operator, elements, values, masks, count)
    total: Value = {"max": -math.inf, "min": math.inf}.get(operator, 0.0)
    number: Value = 0
    for value, mask in zip(values, masks, strict=True):
        if operator == "count":
            total = total + np.logical_and(mask, value)
        elif operator in ("sum", "mean"):
            total = total + (value if mask is True else np.where(mask, value, 0.0))
            number = number + (1 if mask is True else np.asarray(mask) * 1)
        else:
            choose = np.maximum if operator == "max" else np.minimum
            total = choose(total, value if mask is True else np.where(mask, value, total))
    if operator == "mean":
        return np.divide(total, number)
    if operator in ("max", "min"):
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
