"""Formulas as JSON: a number is a string ("1/2"), everything else a list with its operator first.

    "1/2"   ["symbol", "eps"]   ["+", a, b]   ["*", a, b]   ["^", a, b]   ["max", a, b]   ["infinity"]
    ["named", "gaussian_looks_rdp", a, b, c]

A formula is built again by the operators, so that whatever the text holds, what is compared is in their form. How deep
and how large it may be is limited, as large ones take long to compare; the largest of the library has 720 parts in 20
levels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from seqlang.accounting.curves import NAMED, named
from seqlang.arithmetic.formula import (
    BUILDERS,
    INFINITY,
    MINUS_INFINITY,
    UNDEFINED,
    Call,
    Formula,
    Infinite,
    Named,
    Number,
    Power,
    Product,
    Sum,
    Symbol,
    Undefined,
    function,
    power,
    product,
    symbol,
    total,
)
from seqlang.certificate.numbers import fraction_of, text_of
from seqlang.certificate.unreadable import Unreadable

MOST_PARTS = 5_000
"""Of a formula: its operators, names and numbers."""
MOST_LEVELS = 60

_CONSTANTS = {"infinity": INFINITY, "-infinity": MINUS_INFINITY, "undefined": UNDEFINED}
_ONE = BUILDERS.keys() - {"max", "min"}
_TWO_OR_MORE: dict[str, Callable[[list[Formula]], Formula]] = {
    "+": total,
    "*": product,
    "max": lambda parts: function("max", *parts),
    "min": lambda parts: function("min", *parts),
}


def formula_to_json(formula: Formula) -> Any:
    """Raises Unreadable where it could not be read again."""
    raw = _to_json(formula)
    _measure(raw)
    return raw


def formula_from_json(raw: Any) -> Formula:
    """Raises Unreadable."""
    _measure(raw)
    return _from_json(raw)


def _measure(raw: Any) -> None:
    """Level by level, so that no depth is too much for it."""
    level, levels, parts = [raw], 0, 0
    while level:
        levels, parts = levels + 1, parts + len(level)
        if levels > MOST_LEVELS:
            raise Unreadable(f"a formula has more than {MOST_LEVELS} levels")
        if parts > MOST_PARTS:
            raise Unreadable(f"a formula has more than {MOST_PARTS:,} parts")
        level = [part for item in level if isinstance(item, list) for part in item]


def _to_json(formula: Formula) -> Any:
    match formula:
        case Number(value):
            return text_of(value)
        case Symbol(name):
            return ["symbol", name]
        case Sum(terms):
            return ["+", *map(_to_json, terms)]
        case Product(factors):
            return ["*", *map(_to_json, factors)]
        case Power(base, exponent):
            return ["^", _to_json(base), _to_json(exponent)]
        case Call(name, arguments):
            return [name, *map(_to_json, arguments)]
        case Named(name, arguments):
            return ["named", name, *map(_to_json, arguments)]
        case Infinite(positive):
            return ["infinity" if positive else "-infinity"]
        case Undefined():
            return ["undefined"]
    raise AssertionError(formula)


def _from_json(raw: Any) -> Formula:
    if isinstance(raw, str):
        return Number(fraction_of(raw))
    if not isinstance(raw, list) or not raw or not isinstance(raw[0], str):
        raise Unreadable("a formula is a number or a list with its operator first")
    operator, *rest = raw
    if operator == "symbol" and len(rest) == 1 and isinstance(rest[0], str):
        return symbol(rest[0])
    if operator == "named" and rest and isinstance(rest[0], str) and rest[0] in NAMED:
        arguments = [_from_json(part) for part in rest[1:]]
        if len(arguments) == NAMED[rest[0]][0]:
            return named(rest[0], *arguments)
    parts = [_from_json(part) for part in rest] if operator not in ("symbol", "named") else []
    if operator in _CONSTANTS and not parts:
        return _CONSTANTS[operator]
    if operator in _TWO_OR_MORE and len(parts) >= 2:
        return _TWO_OR_MORE[operator](parts)
    if operator == "^" and len(parts) == 2:
        return power(*parts)
    if operator in _ONE and len(parts) == 1:
        return function(operator, *parts)
    raise Unreadable(f"no formula has the operator {operator!r:.40} with {len(rest)} parts")
