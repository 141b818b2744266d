"""Real numbers that are not rational, by enclosures: with as many bits as a comparison or a rounding needs.

Each knows how to enclose itself in a ball of Arb's arithmetic (Johansson 2017), whose rounding is rigorous. So a
decision is the same on every machine. Only released values and constants are ever turned into such numbers.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from seqlang.diagnostics import SpecError

BITS = (64, 128, 256, 512, 1024, 2048, 4096)
"""Of the enclosures that are tried, one after the other."""
Exact = int | Fraction


class Undecided(SpecError):
    """Two numbers could not be told apart: they may be equal."""

    def __init__(self, what: str) -> None:
        from seqlang.diagnostics import Diagnostic

        message = f"{what} could not be decided with {BITS[-1]} bits: two numbers that are computed may be equal"
        super().__init__(
            (Diagnostic("E0672", message, help="round the released value, or move the threshold a little"),)
        )


class Real:
    """`ball(flint)` encloses the number, with the precision that the library is set to."""

    __slots__ = ("ball",)

    def __init__(self, ball: Callable[[Any], Any]) -> None:
        self.ball = ball

    def __add__(self, other: Any) -> Real:
        return _pair(operator.add, self, other)

    def __radd__(self, other: Any) -> Real:
        return _pair(operator.add, other, self)

    def __sub__(self, other: Any) -> Real:
        return _pair(operator.sub, self, other)

    def __rsub__(self, other: Any) -> Real:
        return _pair(operator.sub, other, self)

    def __mul__(self, other: Any) -> Real:
        return _pair(operator.mul, self, other)

    def __rmul__(self, other: Any) -> Real:
        return _pair(operator.mul, other, self)

    def __truediv__(self, other: Any) -> Real:
        return _pair(operator.truediv, self, other)

    def __rtruediv__(self, other: Any) -> Real:
        return _pair(operator.truediv, other, self)

    def __neg__(self) -> Real:
        return Real(lambda flint: -self.ball(flint))

    def __pow__(self, other: Any) -> Real:
        return _pair(operator.pow, self, other)

    def __rpow__(self, other: Any) -> Real:
        return _pair(operator.pow, other, self)

    def __abs__(self) -> Real:
        return Real(lambda flint: abs(self.ball(flint)))

    def __lt__(self, other: Any) -> bool:
        return sign(self - other) < 0

    def __gt__(self, other: Any) -> bool:
        return sign(self - other) > 0

    def __le__(self, other: Any) -> bool:
        return sign(self - other) <= 0

    def __ge__(self, other: Any) -> bool:
        return sign(self - other) >= 0

    def __eq__(self, other: object) -> bool:
        return sign(self - other) == 0

    def __ne__(self, other: object) -> bool:
        return sign(self - other) != 0

    __hash__ = None  # type: ignore[assignment] # whether two are equal may be undecided

    def __bool__(self) -> bool:
        raise TypeError("a real number is no truth value")


def settled(value: Any) -> Any:
    """The same number without the history of its computation: its enclosures, one for each number of bits. What is
    added up from look to look would otherwise be computed anew from the first look on, each time."""
    if isinstance(value, tuple):
        return tuple(map(settled, value))
    if not isinstance(value, Real):
        return value
    flint, balls = _flint(), {}
    for bits in BITS:
        with flint.ctx.workprec(bits):
            balls[bits] = value.ball(flint)
    return Real(lambda flint: balls[flint.ctx.prec])


def function(name: str, argument: Any) -> Real:
    """log, log1p, exp, sqrt, erfc or zeta of a number, by the name that the library has for it."""
    return Real(lambda flint: getattr(_ball(flint, argument), name)())


def power(base: Exact, exponent: Exact) -> Exact | Real:
    """base ^ exponent: exact for a whole exponent."""
    if Fraction(exponent).denominator == 1 and (base or exponent >= 0):
        return Fraction(base) ** int(exponent)
    return Real(lambda flint: _ball(flint, base) ** _ball(flint, exponent))


def sign(number: Exact | Real) -> int:
    """1 or -1, and 0 for the exact 0 only. Raises Undecided."""
    if not isinstance(number, Real):
        return (number > 0) - (number < 0)
    flint = _flint()
    for bits in BITS:
        with flint.ctx.workprec(bits):
            found = number.ball(flint)
            if found > 0 or found < 0:
                return 1 if found > 0 else -1
            if found.is_exact() and found == 0:
                return 0
    raise Undecided("a comparison")


def floor(number: Exact | Real) -> int:
    """The largest whole number that is at most it. Raises Undecided."""
    if not isinstance(number, Real):
        return number.__floor__()
    flint = _flint()
    for bits in BITS:
        with flint.ctx.workprec(bits):
            found = number.ball(flint).floor()
            if found.is_exact() and found.is_finite():
                return int(found.unique_fmpz())
    raise Undecided("a rounding")


def ceiling(number: Exact | Real) -> int:
    """The least whole number that is at least it. Raises Undecided."""
    return -floor(-number)


def _pair(combine: Callable[[Any, Any], Any], a: Any, b: Any) -> Real:
    return Real(lambda flint: combine(_ball(flint, a), _ball(flint, b)))


def _ball(flint: Any, value: Any) -> Any:
    if isinstance(value, Real):
        return value.ball(flint)
    exact = Fraction(value)
    return flint.arb(flint.fmpq(exact.numerator, exact.denominator))


def require_enclosures() -> None:
    """Raises SpecError E0605 where the library is not installed."""
    _flint()


def _flint() -> Any:
    try:
        import flint
    except ImportError:
        message = "this program compares logarithms or densities, which needs python-flint"
        raise SpecError.of("E0605", message, help="pip install 'seqlang[release]'") from None
    return flint
