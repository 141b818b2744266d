"""What a program computes without its noise, on many inputs at once: an evaluator of the generator's syntax.

A number is an array with one place for each input (or one float for all), a list a Python list of numbers. Written from
the language's description; it shares nothing with seqlang.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from random_programs.syntax import E, Function, Program, walk

Value = Any


class Undefined(Exception):
    """No value: an extreme of nothing, a place outside a list, a division by zero."""


def _divided(a: Value, b: Value) -> Value:
    if np.any(np.asarray(b) == 0):
        raise Undefined
    return np.divide(a, b)


def _power(a: Value, b: Value) -> Value:
    if np.any(np.asarray(b) < 0) or np.any(np.asarray(b) != np.floor(b)):
        raise Undefined
    return np.power(np.asarray(a, dtype=float), b)


PAIR: dict[str, Callable[[Value, Value], Value]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": _divided,
    "%": np.mod,
    "^": _power,
    ">=": np.greater_equal,
    "<=": np.less_equal,
    ">": np.greater,
    "<": np.less,
    "==": np.equal,
    "!=": np.not_equal,
    "and": np.logical_and,
    "or": np.logical_or,
}

ONE: dict[str, Callable[[Value], Value]] = {
    "-": np.negative,
    "not": np.logical_not,
    "abs": np.abs,
    "floor": np.floor,
    "ceil": np.ceil,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
}


@dataclass
class Cell:
    """A look-back for one combination of bound values: `items` are (step, value, taken) of the steps kept."""

    items: list[tuple[int, Value, Value]] = field(default_factory=list)
    last: Value = None


@dataclass
class State:
    """`scope`: global names; `bound`: bound variables, always plain numbers; `fired`: in which inputs a report was made
    in the step before this one."""

    program: Program
    scope: dict[str, Value]
    count: Any
    step: int = 0
    bound: dict[int, Value] = field(default_factory=dict)
    cells: dict[tuple[Any, ...], Cell] = field(default_factory=dict)
    fired: dict[str, Value] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)


def value(e: E, s: State) -> Value:
    """The value of an expression; look-backs tick."""
    match e.kind:
        case "num":
            return float(e.data[0])
        case "name":
            return s.scope[e.data[0]]
        case "var":
            return s.bound[e.data[0]]
        case "step":
            return float(s.step)
        case "op":
            return PAIR[e.data[0]](_number(value(e.parts[0], s)), _number(value(e.parts[1], s)))
        case "call":
            return _called(e.data[0], [value(p, s) for p in e.parts])
        case "apply":
            return _applied(e, s)
        case "if":
            test, then, other = (value(p, s) for p in e.parts)
            return _chosen(test, then, other)
        case "index":
            return _element(value(e.parts[0], s), value(e.parts[1], s))
        case "list":
            return [value(p, s) for p in e.parts]
        case "listfor":
            return [v for v, _, _ in _each(e, s)]
        case "fold":
            return _folded(e.data[0], _each(e, s))
        case "time":
            return _look_back(e, s)
        case "previous":
            return _previous(e, s)
        case "recall":
            return value(e.parts[0], s) if s.step == 1 else s.cells["recall", e.data[0]].last
    raise AssertionError(e.kind)


def statistic_value(n: str, e: E, s: State) -> Value:
    """The value of the statistic `n`, without noise; its own definition reads it a step later."""
    v = value(e, s)
    if any(p.kind == "recall" for p in walk(e)):
        s.cells["recall", n] = Cell(last=v)
    return v


def _number(v: Value) -> Value:
    if isinstance(v, list):
        raise Undefined
    return v


def _called(function: str, arguments: list[Value]) -> Value:
    if function in ONE:
        if isinstance(arguments[0], list):
            return [_called(function, [a]) for a in arguments[0]]
        return ONE[function](arguments[0])
    if function == "norm":
        return np.sqrt(_total([np.square(_number(v)) for v in arguments[0]]))
    if function == "clip_norm":
        size = np.sqrt(_total([np.square(_number(v)) for v in arguments[0]]))
        factor = np.where(size > arguments[1], arguments[1] / np.maximum(size, 1e-300), 1.0)
        return [v * factor for v in arguments[0]]
    if function == "sort":
        return list(
            np.sort([np.broadcast_to(_number(v), np.shape(_total(arguments[0]))) for v in arguments[0]], axis=0)
        )
    if function == "dot":
        return _total([np.multiply(a, b) for a, b in zip(*arguments, strict=True)])
    if function == "clip":
        return np.clip(_number(arguments[0]), arguments[1], arguments[2])
    if function in ("max", "min", "sum", "mean", "count", "argmax", "argmin"):
        items = arguments[0] if len(arguments) == 1 else arguments
        if not isinstance(items, list):
            raise Undefined
        return _folded(function, [(_number(v), True, float(i)) for i, v in enumerate(items, 1)])
    if function == "length":
        return float(len(arguments[0]))
    raise AssertionError(function)


def _applied(e: E, s: State) -> Value:
    f = s.functions[e.data[0]]
    given = [value(p, s) for p in e.parts]
    outer = s.bound
    s.bound = outer | dict(zip(f.parameters, given, strict=True))
    try:
        return value(f.body, s)
    finally:
        s.bound = outer


def _chosen(test: Value, then: Value, other: Value) -> Value:
    if isinstance(then, list):
        if not isinstance(other, list) or len(then) != len(other):
            raise Undefined
        return [_chosen(test, a, b) for a, b in zip(then, other, strict=True)]
    return np.where(np.asarray(test, dtype=bool), then, _number(other))


def _element(items: Value, place: Value) -> Value:
    if not isinstance(items, list):
        raise Undefined
    at = np.asarray(place)
    if np.any(at != np.floor(at)) or np.any(at < 1) or np.any(at > len(items)):
        raise Undefined
    if at.ndim == 0:
        return items[int(at) - 1]
    if isinstance(items[0], list):
        return [_element([item[i] for item in items], place) for i in range(len(items[0]))]
    return np.choose(at.astype(int) - 1, [np.broadcast_to(np.asarray(v, dtype=float), at.shape) for v in items])


def domain(e: E, s: State) -> list[tuple[float, Value]]:
    """The members of a binder's set, each with the inputs in which it is one."""
    match e.kind:
        case "set":
            return [(float(value(p, s)), True) for p in e.parts]
        case "records":
            return [(float(i), s.count >= i) for i in range(1, int(np.max(s.count)) + 1)]
        case "range":
            low, high = value(e.parts[0], s), value(e.parts[1], s)
            first, last = float(np.min(low)), float(np.max(high))
            whole = range(math.ceil(first), math.floor(last) + 1)
            return [(float(k), np.logical_and(k >= np.asarray(low), k <= np.asarray(high))) for k in whole]
    raise AssertionError(e.kind)


def _each(e: E, s: State) -> list[tuple[Value, Value, float]]:
    """A binder's bodies: (value, whether it counts, member)."""
    v = e.data[-1]
    outer = s.bound
    out = []
    members = domain(e.parts[1], s)
    if e.kind == "listfor" and any(not np.all(m) for _, m in members):
        raise Undefined
    for k, member in members:
        s.bound = outer | {v: k}
        counts = member
        if len(e.parts) > 2:
            counts = np.logical_and(member, value(e.parts[2], s))
            if e.kind == "listfor":
                raise Undefined
        out.append((value(e.parts[0], s), counts, k))
    s.bound = outer
    return out


def _folded(operator: str, items: list[tuple[Value, Value, float]]) -> Value:
    """`items`: (value, whether it counts, what argmax gives for it)."""
    if operator == "count":
        return _total([np.where(np.logical_and(v, c), 1.0, 0.0) for v, c, _ in items])
    if operator in ("sum", "mean") and any(isinstance(v, list) for v, _, _ in items):
        if operator == "mean":
            raise Undefined
        columns = zip(*(v for v, _, _ in items), strict=True)
        return [_total([np.where(c, v, 0.0) for v, (_, c, _) in zip(column, items, strict=True)]) for column in columns]
    if operator == "sum":
        return _total([np.where(c, _number(v), 0.0) for v, c, _ in items])
    number = _total([np.where(c, 1.0, 0.0) for _, c, _ in items])
    if np.any(np.asarray(number) == 0):
        raise Undefined
    if operator == "mean":
        return _total([np.where(c, _number(v), 0.0) for v, c, _ in items]) / number
    largest = operator in ("max", "argmax")
    best: Value = -math.inf if largest else math.inf
    where: Value = 0.0
    for v, c, k in items:
        better = np.logical_and(c, np.greater(_number(v), best) if largest else np.less(_number(v), best))
        best = np.where(better, v, best)
        where = np.where(better, k, where)
    return best if operator in ("max", "min") else where


def _total(items: list[Value]) -> Value:
    out: Value = 0.0
    for v in items:
        out = out + v
    return out


def _cell(e: E, s: State) -> Cell:
    return s.cells.setdefault((id(e), *sorted((v, _key(b)) for v, b in s.bound.items())), Cell())


def _key(bound: Value) -> float:
    if isinstance(bound, list) or np.ndim(bound):
        raise Undefined  # a look-back in a function's body is not generated
    return float(bound)


def _look_back(e: E, s: State) -> Value:
    operator, keep, more = e.data
    cell = _cell(e, s)
    if keep == "history":
        return _history(e, s, cell)
    if keep == "since" and s.step > 1:
        fired = np.asarray(s.fired.get(more, False))
        cell.items = [(n, v, np.logical_and(c, ~fired)) for n, v, c in cell.items]
    counts = value(e.parts[1], s) if len(e.parts) > 1 else True
    cell.items.append((s.step, value(e.parts[0], s), counts))
    if keep == "last":
        cell.items = cell.items[-int(more) :]
    return _folded(operator, [(v, c, float(n)) for n, v, c in cell.items])


def _history(e: E, s: State, cell: Cell) -> Value:
    """The sum or the number of the values that the body had at the earlier reports. `items`: that so far, and the value
    of the step before, which counts if the report was made then."""
    operator, _, report = e.data
    (_, total, _), (_, before, _) = cell.items or [(0, 0.0, True), (0, 0.0, False)]
    fired = s.fired.get(report, False) if s.step > 1 else False
    total = total + np.where(fired, before, 0.0)
    now = value(e.parts[0], s)
    cell.items = [(0, total, True), (0, 1.0 if operator == "count" else _number(now), False)]
    return total


def _previous(e: E, s: State) -> Value:
    cell = _cell(e, s)
    old = value(e.parts[1], s) if s.step == 1 else cell.last
    cell.last = value(e.parts[0], s)
    return old
