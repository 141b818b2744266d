"""One call of each operator as a number of x, y, z, and its value by mpmath. An operator without a row fails a test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath

POINTS = ((0.25, 1.5, 3.0), (3.0, 0.5, 1.0), (2.0, 2.0, 4.0), (7.5, 3.25, 0.125))


@dataclass(frozen=True)
class Call:
    """`text` in the language, and the same of three mpmath numbers."""

    text: str
    value: Callable[..., Any]
    points: tuple[tuple[float, float, float], ...] = POINTS


def _truth(text: str, holds: Callable[..., bool]) -> Call:
    return Call(f"if {text} then 1 else 0", lambda *xyz: 1 if holds(*xyz) else 0)


def _of_x(name: str, value: Callable[[Any], Any], *further: float) -> Call:
    return Call(f"{name}(x)", lambda x, y, z: value(x), (*POINTS, *((x, 1.0, 2.0) for x in further)))


def _shortened(x: Any, y: Any, radius: Any) -> Any:
    """The coordinates' sum of (x, y) held within a radius."""
    return (x + y) * min(mpmath.mpf(1), radius / mpmath.hypot(x, y))


CALLS = {
    "+": Call("x + y", lambda x, y, z: x + y),
    "-": Call("x - y", lambda x, y, z: x - y),
    "*": Call("x * y", lambda x, y, z: x * y),
    "/": Call("x / y", lambda x, y, z: x / y),
    "%": Call("x % y + (0 - x) % y", lambda x, y, z: x % y + (-x) % y),
    "^": Call("x ^ y", lambda x, y, z: mpmath.power(x, y)),
    "negate": Call("-x", lambda x, y, z: -x),
    ">=": _truth("x >= y", lambda x, y, z: x >= y),
    "<=": _truth("x <= y", lambda x, y, z: x <= y),
    ">": _truth("x > y", lambda x, y, z: x > y),
    "<": _truth("x < y", lambda x, y, z: x < y),
    "==": _truth("x == y", lambda x, y, z: x == y),
    "!=": _truth("x != y", lambda x, y, z: x != y),
    "and": _truth("x > y and x > z", lambda x, y, z: x > y and x > z),
    "or": _truth("x > y or x > z", lambda x, y, z: x > y or x > z),
    "not": _truth("not (x > y)", lambda x, y, z: not x > y),
    "..": Call("sum(k for k in 1..5 where k >= x)", lambda x, y, z: sum(k for k in range(1, 6) if k >= x)),
    "log": _of_x("log", mpmath.log, 1e-300, 1.0, 1e300),
    "log1p": _of_x("log1p", mpmath.log1p, -0.75, -1e-18, 0.0, 1e-18, 1e300),
    "log2": _of_x("log2", lambda x: mpmath.log(x, 2), 1e-300, 1.0, 8.0),
    "exp": _of_x("exp", mpmath.exp, -700.0, 0.0, 500.0),
    "sqrt": _of_x("sqrt", mpmath.sqrt, 0.0, 1e-300, 1e300),
    "abs": _of_x("abs", abs, -2.5, 0.0),
    "floor": _of_x("floor", mpmath.floor, -2.5, -3.0, 0.0),
    "ceil": _of_x("ceil", mpmath.ceil, -2.5, -3.0, 0.0),
    "round": _of_x("round", lambda x: mpmath.floor(x + 0.5), -2.5, -3.0, 0.5),
    "zeta": Call("zeta(1 + x)", lambda x, y, z: mpmath.zeta(1 + x), (*POINTS, (0.0625, 1.0, 1.0), (90.0, 1.0, 1.0))),
    "clip": Call("clip(x, 1, 1 + y)", lambda x, y, z: min(max(x, 1), 1 + y)),
    "norm": Call("norm([x, y, z])", lambda x, y, z: mpmath.sqrt(x * x + y * y + z * z)),
    "dot": Call("dot([x, y], [z, x])", lambda x, y, z: x * z + y * x),
    "zeros": Call("x + sum(zeros(2))", lambda x, y, z: x),
    "project": Call("sum(project([x, y], ball(2, 2)))", lambda x, y, z: _shortened(x, y, mpmath.mpf(2))),
    "clip_norm": Call("sum(clip_norm([x, y], z))", _shortened),
    "sort": Call("2 * sort([x, y, z])[1] - sort([x, y, z])[3]", lambda x, y, z: 2 * min(x, y, z) - max(x, y, z)),
    "length": Call("x * length([x, y, z])", lambda x, y, z: 3 * x),
    "sum": Call("sum([x, y, z])", lambda x, y, z: x + y + z),
    "mean": Call("mean([x, y, z])", lambda x, y, z: (x + y + z) / 3),
    "max": Call("max([x, y, z]) + max(x, y)", lambda x, y, z: max(x, y, z) + max(x, y)),
    "min": Call("min([x, y, z]) + min(x, y)", lambda x, y, z: min(x, y, z) + min(x, y)),
    "count": Call("count(u > y for u in [x, y, z])", lambda x, y, z: sum(u > y for u in (x, y, z))),
    "argmax": Call("argmax([x, y, z])", lambda x, y, z: 1 + [x, y, z].index(max(x, y, z))),
    "argmin": Call("argmin([x, y, z])", lambda x, y, z: 1 + [x, y, z].index(min(x, y, z))),
}
