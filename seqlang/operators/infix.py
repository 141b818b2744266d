"""Arithmetic, comparisons and logic: what is written between its arguments, or before them."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal

from seqlang.operators.operator import Arguments, NoValue, Numeric, Operator, Rounded
from seqlang.process.late import np

NUMBERS: Arguments = (("a", "number"), ("b", "number"))
TRUTHS: Arguments = (("a", "truth"), ("b", "truth"))
EXACT_BITS = 1024
"""Bits of a whole power that stays exact; a larger one is rounded to a float, as nobody waits for 9^9^9."""
EXACT_CONSTANT_BITS = 4000
"""The same for the constants of a file, which are worked out once."""


def _exact_quotient(a: Fraction, b: Fraction) -> Fraction:
    if b == 0:
        raise NoValue("division by zero")
    return a / b


def _exact_remainder(a: Fraction, b: Fraction) -> Fraction:
    if b == 0:
        raise NoValue("remainder by zero")
    return a % b


def _exact_power(a: Fraction, b: Fraction) -> Fraction:
    if a == 0 and b < 0:
        raise NoValue("zero to a negative power")
    if b.denominator == 1 and abs(b) * max(a.numerator.bit_length(), a.denominator.bit_length()) <= EXACT_CONSTANT_BITS:
        return a ** int(b)
    if a < 0 and b.denominator != 1:
        raise NoValue("a negative number to a power that is not whole")
    return Rounded(float(a) ** float(b))


def _quotient(a: Any, b: Any) -> float:
    try:
        return float(a / b)
    except ZeroDivisionError:
        return math.nan if a == 0 or a != a else math.copysign(math.inf, a)
    except OverflowError:
        return math.inf if (a > 0) == (b > 0) else -math.inf


def _remainder(a: Any, b: Any) -> Any:
    """The remainder with the sign of the divisor, so that `step % m` counts 0..m-1."""
    return a % b if b != 0 and abs(a) != math.inf else math.nan


def _power(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int) and b >= 0 and a.bit_length() * b <= EXACT_BITS:
        return a**b
    try:
        return math.pow(a, b)
    except OverflowError:
        odd = b == int(b) and int(b) % 2 == 1
        return -math.inf if a < 0 and odd else math.inf
    except ValueError:
        return math.inf if a == 0 else math.nan  # 0 to a negative power, or a root of a negative number


def _counted(a: Any) -> Any:
    """An array of truth values as 0 and 1."""
    kind = getattr(a, "dtype", None)
    return a * 1 if kind is not None and kind.char == "?" else a


def _unsigned(a: Any) -> Any:
    """The same without a sign of zero, which no number of the language has: 1 / (0 * -1) is 1 / 0."""
    return a + 0.0


def _power_slopes(g: Any, value: Any, base: Any, exponent: Any) -> list[Any]:
    return [np.where(exponent == 0, 0.0, g * exponent * np.power(base, exponent - 1)), None]


def _comparison(name: str, about: str, compare: Callable[[Any, Any], Any]) -> Operator:
    directions: dict[str, tuple[Literal[1, -1], ...]] = {">": (1, -1), "<": (-1, 1)}
    return Operator(
        name, "comparison", "truth", about, NUMBERS,
        rational=True, jumps=True, partial=(), multiples="whole", directions=directions.get(name[0], ()),
        numeric=Numeric(compare, compare, lambda np: compare, f"({{}} {name} {{}})"),
    )  # fmt: skip


INFIX = (
    Operator(
        "+", "arithmetic", "pointwise", "The sum.", NUMBERS,
        rational=True, jumps=False, partial=(), multiples="common", directions=(1, 1),
        numeric=Numeric(
            lambda a, b: a + b, lambda a, b: a + b, lambda np: lambda a, b: _counted(a) + b, "({} + {})",
            stays_finite=True, slopes=lambda g, y, a, b: [g, g],
        ),
    ),
    Operator(
        "-", "arithmetic", "pointwise", "The difference.", NUMBERS,
        rational=True, jumps=False, partial=(), multiples="common", directions=(1, -1),
        numeric=Numeric(
            lambda a, b: a - b, lambda a, b: a - b, lambda np: lambda a, b: _counted(a) - _counted(b), "({} - {})",
            stays_finite=True, slopes=lambda g, y, a, b: [g, -g],
        ),
    ),
    Operator(
        "*", "arithmetic", "pointwise", "The product.", NUMBERS,
        rational=True, jumps=False, partial=(), multiples="product", directions=(),
        numeric=Numeric(
            lambda a, b: a * b, lambda a, b: a * b, lambda np: lambda a, b: a * b, "({} * {})",
            stays_finite=True, slopes=lambda g, y, a, b: [g * b, g * a],
        ),
    ),
    Operator(
        "/", "arithmetic", "pointwise", "The quotient.", NUMBERS,
        rational=True, jumps=False, partial=(1,), multiples="by a constant", directions=(),
        numeric=Numeric(
            _exact_quotient, _quotient, lambda np: lambda a, b: np.divide(a, _unsigned(b)), "({} / ({} + 0.0))",
            slopes=lambda g, y, a, b: [g / b, -g * y / b],
        ),
    ),
    Operator(
        "%", "arithmetic", "pointwise", "The remainder of a / b, with the sign of b.", NUMBERS,
        rational=True, jumps=True, partial=(1,), multiples="common", directions=(),
        numeric=Numeric(_exact_remainder, _remainder, lambda np: np.mod, "remainder({}, {})"),
    ),
    Operator(
        "^", "arithmetic", "pointwise", "a to the power b; 0 ^ 0 is 1.", NUMBERS,
        rational=False, jumps=False, partial=(0, 1), multiples="power", directions=(),
        numeric=Numeric(
            _exact_power, _power, lambda np: lambda a, b: np.power(_unsigned(np.asarray(a, dtype=np.float64)), b),
            "power({} + 0.0, {})", costly=True, slopes=_power_slopes,
        ),
    ),
    Operator(
        "negate", "arithmetic", "pointwise", "-a.", (("a", "number"),),
        rational=True, jumps=False, partial=(), multiples="chosen", directions=(-1,),
        numeric=Numeric(
            lambda a: -a, lambda a: -a, lambda np: lambda a: -(a * 1), "(-{})",
            stays_finite=True, slopes=lambda g, y, a: [-g],
        ),
    ),
    _comparison(">=", "Is a at least b?", lambda a, b: a >= b),
    _comparison("<=", "Is a at most b?", lambda a, b: a <= b),
    _comparison(">", "Is a more than b?", lambda a, b: a > b),
    _comparison("<", "Is a less than b?", lambda a, b: a < b),
    _comparison("==", "Are a and b equal?", lambda a, b: a == b),
    _comparison("!=", "Do a and b differ?", lambda a, b: a != b),
    Operator("and", "logic", "truth", "Do both hold? The second is read only if the first does.", TRUTHS,
             rational=True, jumps=False, partial=(), multiples="whole", directions=(1, 1)),
    Operator("or", "logic", "truth", "Does one hold? The second is read only if the first does not.", TRUTHS,
             rational=True, jumps=False, partial=(), multiples="whole", directions=(1, 1)),
    Operator("not", "logic", "truth", "Does it not hold?", (("a", "truth"),),
             rational=True, jumps=False, partial=(), multiples="whole", directions=(-1,)),
    Operator("..", "range", "set", "The whole numbers a, a + 1, .. up to b.", NUMBERS,
             rational=True, jumps=True, partial=(), multiples="common", directions=()),
)  # fmt: skip
