"""Numbers that a formula certainly lies between."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import inf

from seqlang.arithmetic import intervals
from seqlang.arithmetic.ends import FLOATS, RATIONALS, End, Ends
from seqlang.arithmetic.functions import PRIMITIVES, WHOLE
from seqlang.arithmetic.intervals import Interval
from seqlang.arithmetic.nodes import (
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
)
from seqlang.arithmetic.roots import power_is_small, rational_root
from seqlang.arithmetic.rounding import fraction_down, fraction_up
from seqlang.record import record

Value = Fraction | Interval  # exact, or between two ends


@record
class Enclosure:
    """low <= value <= high, wherever the formula is defined. Both are equal if the value is a float."""

    low: float
    high: float

    @property
    def is_finite(self) -> bool:
        """Whether both ends are finite: whether anything is known of the value from above and from below."""
        return -inf < self.low and self.high < inf


@record
class Bounds:
    """What is known of a name: it lies between `low` and `high` (None: no limit); an open end is not reached."""

    low: Fraction | None = None
    high: Fraction | None = None
    low_open: bool = False
    high_open: bool = False


def enclose(formula: Formula, values: Mapping[str, Fraction]) -> Enclosure:
    """Floats around the formula at these values, rounded outwards. Nothing is known of a name without value."""
    low, high = enclose_with(FLOATS, formula, values)
    return Enclosure(low, high)


def enclose_with(ends: Ends, formula: Formula, values: Mapping[str, Fraction]) -> Interval:
    """The same in another arithmetic."""

    def leaf(name: str) -> Value:
        value = values.get(name)
        return intervals.everything(ends) if value is None else value

    return as_interval(ends, evaluate(ends, formula, leaf))


def range_of(formula: Formula, bounds: Mapping[str, Bounds]) -> tuple[Fraction | float, Fraction | float]:
    """Ends (rational, or infinite floats) between which the formula stays for all values within the bounds."""

    def leaf(name: str) -> Value:
        known = bounds.get(name)
        if known is None:
            return -inf, inf
        return -inf if known.low is None else known.low, inf if known.high is None else known.high

    low, high = as_interval(RATIONALS, evaluate(RATIONALS, formula, leaf))
    return low, high


def exact_value(formula: Formula, values: Mapping[str, Fraction]) -> Fraction | None:
    """The value, if it is seen to be rational."""
    value = evaluate(FLOATS, formula, lambda name: values.get(name, (-inf, inf)))
    return value if isinstance(value, Fraction) else None


def as_interval(ends: Ends, value: Value) -> Interval:
    """The interval of a value: a rational becomes the narrowest interval that these ends can write."""
    return ends.exact(value) if isinstance(value, Fraction) else value


def evaluate(ends: Ends, formula: Formula, leaf: Callable[[str], Value]) -> Value:
    """Exact as long as everything is rational, then intervals."""
    match formula:
        case Number(value):
            return value
        case Symbol(name):
            return leaf(name)
        case Sum(terms):
            return _folded(ends, [evaluate(ends, term, leaf) for term in terms], False)
        case Product(factors):
            return _folded(ends, [evaluate(ends, factor, leaf) for factor in factors], True)
        case Power(base, exponent):
            return _power(ends, evaluate(ends, base, leaf), evaluate(ends, exponent, leaf))
        case Call(name, arguments):
            return _call(ends, name, [evaluate(ends, argument, leaf) for argument in arguments])
        case Named(_, arguments, upper):
            spans = [as_interval(ends, evaluate(ends, argument, leaf)) for argument in arguments]
            high = upper(*((_float(ends, low, False), _float(ends, high, True)) for low, high in spans))
            return ends.zero, ends.infinity if high == inf else ends.exact(Fraction(high))[1]
        case Infinite(positive):
            end = ends.infinity if positive else -ends.infinity
            return end, end
        case Undefined():
            return intervals.everything(ends)
        case _:
            raise AssertionError(formula)


def _float(ends: Ends, end: End, up: bool) -> float:
    """A float at the end of an interval or outside of it."""
    if intervals.is_infinite(ends, end):
        return inf if end == ends.infinity else -inf
    exact = ends.fraction(end)
    return fraction_up(exact) if up else fraction_down(exact)


def _folded(ends: Ends, values: list[Value], multiply: bool) -> Value:
    exact = Fraction(1 if multiply else 0)
    inexact: Interval | None = None
    for value in values:
        if isinstance(value, Fraction):
            exact = exact * value if multiply else exact + value
        elif inexact is None:
            inexact = value
        else:
            inexact = (intervals.multiply if multiply else intervals.add)(ends, inexact, value)
    if inexact is None or (multiply and exact == 0):
        return exact
    if exact == (1 if multiply else 0):
        return inexact
    return (intervals.multiply if multiply else intervals.add)(ends, inexact, ends.exact(exact))


def _power(ends: Ends, base: Value, exponent: Value) -> Value:
    if isinstance(exponent, Fraction):
        if exponent == 0:
            return Fraction(1)
        if isinstance(base, Fraction):
            exact = _exact_power(base, exponent)
            if exact is not None:
                return exact
            if base == 0 or (base < 0 and exponent.denominator != 1):
                return intervals.everything(ends)
        if exponent.denominator == 1:
            return intervals.whole_power(ends, as_interval(ends, base), exponent.numerator)
    elif as_interval(ends, base)[0] < 0:
        return intervals.everything(ends)  # (-2)^n has a value at whole n only
    return intervals.power(ends, as_interval(ends, base), as_interval(ends, exponent))


def _exact_power(base: Fraction, exponent: Fraction) -> Fraction | None:
    if base <= 0 and (exponent.denominator != 1 or (base == 0 and exponent < 0)):
        return Fraction(0) if base == 0 and exponent > 0 else None
    root = rational_root(base, exponent.denominator)
    return None if root is None or not power_is_small(root, exponent.numerator) else root**exponent.numerator


def _call(ends: Ends, name: str, values: list[Value]) -> Value:
    if name in ("max", "min"):
        return _extreme(ends, name, values)
    (value,), primitive = values, PRIMITIVES[name]
    exact = primitive.exact(value) if isinstance(value, Fraction) else None
    if exact is not None:
        return exact
    low, high = primitive.enclose(ends, as_interval(ends, value))
    certain = name in WHOLE and low == high and not intervals.is_infinite(ends, low)
    return ends.fraction(low) if certain else (low, high)


def _extreme(ends: Ends, name: str, values: list[Value]) -> Value:
    pick: Callable[[list[End]], End] = max if name == "max" else min
    exact = [value for value in values if isinstance(value, Fraction)]
    if len(exact) == len(values):
        return max(exact) if name == "max" else min(exact)
    spans = [as_interval(ends, value) for value in values]
    low, high = pick([span[0] for span in spans]), pick([span[1] for span in spans])
    if exact:
        # an exact argument that wins for certain stays exact
        best = max(exact) if name == "max" else min(exact)
        others = [span for value, span in zip(values, spans, strict=True) if not isinstance(value, Fraction)]
        if all(best >= span[1] if name == "max" else best <= span[0] for span in others):
            return best
    return low, high
