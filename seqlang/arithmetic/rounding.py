"""Float operations that err to a known side: `_up` is never below the true value, `_down` never above.

IEEE 754 rounds + - * / and sqrt correctly, so one step to the next float suffices, and none where the result is exact.
The functions of libm are not correctly rounded, but in the usual libraries those used here stay within two units in the
last place (Innocente & Zimmermann 2024, "Accuracy of mathematical functions"); LIBM steps are taken.
An operation without a value (inf - inf, 0 * inf, log of a negative number) gives the infinity on its own side, no NaN.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

INF = math.inf
LARGEST = math.nextafter(INF, 0.0)
LIBM = 4
"""Units in the last place by which a result of libm is moved outwards: twice the error that was measured."""


def up(x: float, ulps: int = 1) -> float:
    """The float `ulps` steps above x; NaN becomes +inf."""
    if x != x:
        return INF
    for _ in range(ulps):
        x = math.nextafter(x, INF)
    return x


def down(x: float, ulps: int = 1) -> float:
    """The float `ulps` steps below x; NaN becomes -inf."""
    return -up(-x, ulps)


def fraction_up(value: Fraction) -> float:
    """The smallest float >= value."""
    try:
        x = float(value)
    except OverflowError:
        return INF if value > 0 else -LARGEST
    if abs(x) == INF:
        return INF if x > 0 else -LARGEST
    top, bottom = x.as_integer_ratio()
    return x if top * value.denominator >= value.numerator * bottom else math.nextafter(x, INF)


def fraction_down(value: Fraction) -> float:
    """The largest float <= value."""
    return 0.0 - fraction_up(-value)  # 0.0, not -0.0, for 0


def add_up(x: float, y: float) -> float:
    """x + y, rounded up. An overflow gives +inf above, and the most negative float below."""
    s = x + y
    if math.isinf(s) or s != s:
        return _overflow_up(s, x, y)
    # Knuth's two-sum: the error of s, exactly
    part = s - x
    return s if (x - (s - part)) + (y - part) == 0.0 else math.nextafter(s, INF)


def add_down(x: float, y: float) -> float:
    """x + y, rounded down."""
    return -add_up(-x, -y)


def sum_up(values: Iterable[float]) -> float:
    """The sum, rounded once (math.fsum is correctly rounded)."""
    items = list(values)
    if any(math.isinf(x) or x != x for x in items):
        return INF if any(x != x or x == INF for x in items) else -INF
    try:
        s = math.fsum(items)
    except OverflowError:
        return INF
    return s if math.fsum([*items, -s]) == 0.0 else up(s)


def multiply_up(x: float, y: float) -> float:
    """x * y, rounded up; 0 times a finite number is 0, and 0 times an infinity is +inf."""
    if x == 0.0 or y == 0.0:
        return INF if math.isinf(x) or math.isinf(y) or x != x or y != y else 0.0
    p = x * y
    if math.isinf(p) or p != p:
        return _overflow_up(p, x, y)
    above = p if _is_small_integer(x) and _is_small_integer(y) else math.nextafter(p, INF)
    return min(above, 0.0) if (x < 0.0) != (y < 0.0) else above


def multiply_down(x: float, y: float) -> float:
    """x * y, rounded down."""
    return -multiply_up(-x, y)


def divide_up(x: float, y: float) -> float:
    """x / y, rounded up; a quotient without a value (y = 0, or two infinities) is +inf."""
    if y == 0.0 or x != x or y != y or (math.isinf(x) and math.isinf(y)):
        return INF
    q = x / y
    if math.isinf(q):
        return _overflow_up(q, x, 0.0)
    if x == 0.0 or math.isinf(y):
        return 0.0
    above = math.nextafter(q, INF)
    return min(above, 0.0) if (x < 0.0) != (y < 0.0) else above


def divide_down(x: float, y: float) -> float:
    """x / y, rounded down; a quotient without a value is -inf."""
    return -INF if y == 0.0 else -divide_up(-x, y)


def _is_small_integer(x: float) -> bool:
    return abs(x) < 6.7e7 and x.is_integer()  # products stay below 2^53


def _overflow_up(result: float, x: float, y: float) -> float:
    """An infinite or missing result: exact if an operand was infinite, an overflow otherwise."""
    if result != result or result > 0:
        return INF
    return -INF if math.isinf(x) or math.isinf(y) else -LARGEST


def exp_up(x: float) -> float:
    """exp(x), rounded up; +inf where it overflows."""
    if x == -INF:
        return 0.0
    try:
        return up(math.exp(x), LIBM) if x != 0.0 else 1.0
    except OverflowError:
        return INF


def exp_down(x: float) -> float:
    """exp(x), rounded down; the largest float where it overflows."""
    if x == INF:
        return INF
    try:
        return max(0.0, down(math.exp(x), LIBM)) if x != 0.0 else 1.0
    except OverflowError:
        return LARGEST


def expm1_up(x: float) -> float:
    """exp(x) - 1, also for small x."""
    if x == -INF or x == 0.0:
        return -1.0 if x else 0.0
    try:
        return up(math.expm1(x), LIBM)
    except OverflowError:
        return INF


def expm1_down(x: float) -> float:
    """exp(x) - 1, rounded down, also for small x; at least -1."""
    if x == INF or x == 0.0:
        return x
    try:
        return max(-1.0, down(math.expm1(x), LIBM))
    except OverflowError:
        return LARGEST


def log_up(x: float) -> float:
    """log(0) is -inf; of a negative number nothing is known."""
    if x == 0.0:
        return -INF
    if not x > 0.0:
        return INF
    return x if x == INF else up(math.log(x), LIBM) if x != 1.0 else 0.0


def log_down(x: float) -> float:
    """The logarithm of x, rounded down; -inf for 0 and for negative numbers."""
    if not x > 0.0:
        return -INF
    return x if x == INF else down(math.log(x), LIBM) if x != 1.0 else 0.0


def log1p_up(x: float) -> float:
    """log(1 + x), also for small x."""
    if x == -1.0 or x == 0.0:
        return -INF if x else 0.0
    if not x > -1.0:
        return INF
    return x if x == INF else up(math.log1p(x), LIBM)


def log1p_down(x: float) -> float:
    """log(1 + x), rounded down, also for small x; -inf where 1 + x is not positive."""
    if not x > -1.0:
        return -INF
    return x if x == INF or x == 0.0 else down(math.log1p(x), LIBM)


def sqrt_up(x: float) -> float:
    """The square root of x, rounded up; +inf for a negative number."""
    if x == 0.0 or x == INF:
        return x
    return math.nextafter(math.sqrt(x), INF) if x > 0.0 else INF


def sqrt_down(x: float) -> float:
    """The square root of x, rounded down; -inf for a negative number."""
    if x == 0.0 or x == INF:
        return x
    return math.nextafter(math.sqrt(x), 0.0) if x > 0.0 else -INF


def power_up(x: float, y: float) -> float:
    """x ^ y for x >= 0; 0 to a negative power is +inf."""
    if not x >= 0.0 or (x == 0.0 and y < 0.0):
        return INF
    try:
        p = math.pow(x, y)
    except OverflowError:
        return INF
    return p if _power_is_exact(x, y) else up(p, LIBM)


def power_down(x: float, y: float) -> float:
    """x ^ y for x >= 0, rounded down; the largest float for 0 to a negative power, -inf for a negative x."""
    if not x >= 0.0:
        return -INF
    if x == 0.0 and y < 0.0:
        return LARGEST
    try:
        p = math.pow(x, y)
    except OverflowError:
        return LARGEST
    return p if _power_is_exact(x, y) else max(0.0, down(p, LIBM))


def _power_is_exact(x: float, y: float) -> bool:
    return x == 0.0 or x == 1.0 or x == INF or y == 0.0 or y == 1.0 or math.isinf(y)
