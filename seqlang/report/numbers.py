"""Numbers and formulas for people."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from seqlang.arithmetic.formula import Formula, enclose

Value = Mapping[str, Fraction]


def upper(formula: Formula, values: Value) -> float:
    """A float that is certainly not below the formula's value, and equal to it where it is representable."""
    return enclose(formula, values).high


def nearest(formula: Formula, values: Value) -> float:
    """The middle of the enclosure: for display only."""
    box = enclose(formula, values)
    return box.low if box.low == box.high else (box.low + box.high) / 2


def shown(value: float, digits: int = 6) -> str:
    """A number for a report: `digits` significant digits, no trailing zeros, the infinity sign."""
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if value != 0 and not 1e-4 <= abs(value) < 1e6:
        return f"{value:.{digits}g}"
    text = f"{value:.{digits}g}"
    return text if "e" not in text else f"{value:.0f}"


_MOST = 12
"""Digits that a double carries with some left."""


def shown_chance(value: float, digits: int) -> str:
    """A probability with at least `digits` digits, and as many more as it takes that none but 1 is printed as 1."""
    if value >= 1 or shown(value, digits) != "1":
        return shown(value, digits)
    needed = math.ceil(-math.log10(1 - value))
    return shown(value, needed) if needed <= _MOST else f"> 0.{'9' * _MOST}"


def shown_up(value: float, digits: int = 6) -> str:
    """Like `shown`, rounded up: what is printed of an upper bound is itself an upper bound."""
    if not math.isfinite(value) or value == 0:
        return shown(value, digits)
    exact = Fraction(value)
    scale = Fraction(10) ** (digits - 1 - math.floor(math.log10(abs(value))))
    if abs(round(exact * scale) - exact * scale) < Fraction(1, 10**6):
        return shown(value, digits)  # the printed decimal is the value up to float noise
    return shown(float(Fraction(math.ceil(exact * scale)) / scale), digits + 1)


def shown_down(value: float, digits: int = 4) -> str:
    """Like `shown`, rounded down: for witnessed lower bounds."""
    if not math.isfinite(value) or value == 0:
        return shown(value, digits)
    return "-" + shown_up(-value, digits).lstrip("-") if value < 0 else _down(value, digits)


def _down(value: float, digits: int) -> str:
    scale = Fraction(10) ** (digits - 1 - math.floor(math.log10(value)))
    return shown(float(Fraction(math.floor(Fraction(value) * scale)) / scale), digits + 1)
