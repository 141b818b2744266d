"""Which of two formulas is larger at given values of the names. Only certain answers."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Literal

from seqlang.arithmetic.enclosure import enclose, enclose_with, exact_value
from seqlang.arithmetic.ends import decimals
from seqlang.arithmetic.intervals import Interval
from seqlang.arithmetic.nodes import INFINITY, MINUS_INFINITY, Formula, Undefined
from seqlang.arithmetic.ratios.normal import Normal
from seqlang.arithmetic.ratios.polynomial import TooLarge
from seqlang.arithmetic.ratios.ring import NoForm, Ratio
from seqlang.arithmetic.ratios.signs import DIGITS

Order = Literal["less", "equal", "greater"]


def compare(a: Formula, b: Formula, values: Mapping[str, Fraction]) -> Order | None:
    """None if undecided, or if one of them has no value.

    Equal formulas are equal where they have a value. Rational values are compared exactly; then float enclosures; then
    the normal form of the difference, where equal numbers cancel (log(4) - 2*log(2)); what is left is enclosed with
    more digits.
    """
    if isinstance(a, Undefined) or isinstance(b, Undefined):
        return None
    if a == b:
        return "equal" if a in (INFINITY, MINUS_INFINITY) or enclose(a, values).is_finite else None
    x, y = exact_value(a, values), exact_value(b, values)
    if x is not None and y is not None:
        return "less" if x < y else "greater" if x > y else "equal"
    first, second = enclose(a, values), enclose(b, values)
    if first.high < second.low:
        return "less"
    if first.low > second.high:
        return "greater"
    return None if a.is_infinite or b.is_infinite else _closely(a, b, values)


def at_most(a: Formula, b: Formula, values: Mapping[str, Fraction]) -> bool:
    """True only if a <= b is certain."""
    if isinstance(a, Undefined) or isinstance(b, Undefined):
        return False
    if b == INFINITY or a == MINUS_INFINITY:
        return True
    return compare(a, b, values) in ("less", "equal")


def _closely(a: Formula, b: Formula, values: Mapping[str, Fraction]) -> Order | None:
    normal = Normal({}, values)
    try:
        difference = normal.ring.add((normal.read(a), normal.ring.multiply((Ratio(-1, ()), normal.read(b)))))
        if not difference.coefficient:
            return "equal"
        for ranges in normal.signs.exact_ranges(difference):
            found = _order(ranges.of_ratio(difference))
            if found:
                return found
    except (NoForm, TooLarge):
        for digits in DIGITS:
            found = _order(enclose_with(decimals(digits), a - b, values))
            if found:
                return found
    return None


def _order(difference: Interval) -> Order | None:
    low, high = difference
    return "less" if high < 0 else "greater" if low > 0 else None
