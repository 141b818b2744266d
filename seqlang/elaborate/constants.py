"""The value of a constant expression: exact where it is rational, else the nearest float made a fraction.

Used for parameters, for the checks of domains and law arguments, and for messages. Never for a proof: proofs compute
their own bounds with directed rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

from seqlang.model import expression as m
from seqlang.record import record

LARGEST = Fraction(10) ** 300
LARGEST_DIMENSION = 1_000_000
"""Entries of a vector, numbers of a range: each is held or gone through."""
_LONGEST = 20_000


@record
class Undefined:
    """The expression has no value: `reason` completes "it has no value: ..."."""

    reason: str


class _NoValue(Exception):
    def __init__(self, reason: str) -> None:
        self.reason = reason


class _NotConstant(Exception):
    pass


Value = Fraction | bool | str | tuple["Value", ...]


class Values(dict[str, Fraction]):
    """Values of params that also remember what was computed from them: lets are written out, and so shared, in what
    reads them. An expression is kept beside its value, as only then its identity is its own."""

    def __init__(self) -> None:
        super().__init__()
        self.known: dict[int, tuple[m.Expression, Value]] = {}
        self.work = 0


def evaluate(expression: m.Expression, parameters: Values) -> Value | Undefined | None:
    """Its value under the parameters; `Undefined` with the reason; None where it is no constant (or not known here, or
    takes more than a moment)."""
    parameters.work = 0
    try:
        return _value(expression, parameters, {})
    except _NoValue as problem:
        return Undefined(problem.reason)
    except OverflowError:
        return Undefined("a number grows beyond 1e300")
    except (_NotConstant, RecursionError):
        return None


def number(expression: m.Expression, parameters: Values) -> Fraction | None:
    """Its value if that is a number, else None."""
    value = evaluate(expression, parameters)
    return value if isinstance(value, Fraction) else None


Bindings = Mapping[m.Variable, Value]


def _value(e: m.Expression, parameters: Values, bound: Bindings) -> Value:
    if bound:
        return _compute(e, parameters, bound)
    if id(e) not in parameters.known:
        parameters.known[id(e)] = (e, _compute(e, parameters, bound))
    return parameters.known[id(e)][1]


def _compute(e: m.Expression, parameters: Values, bound: Bindings) -> Value:
    parameters.work += 1
    if parameters.work > _LONGEST:
        raise _NotConstant

    def of(inner: m.Expression) -> Value:
        return _value(inner, parameters, bound)

    match e:
        case m.Number(value=value):
            return value
        case m.Truth(value=truth):
            return truth
        case m.Label(name=name):
            return name
        case m.ParameterValue(name=name):
            if name not in parameters:
                raise _NotConstant
            return parameters[name]
        case m.Bound(variable=variable):
            if variable not in bound:
                raise _NotConstant
            return bound[variable]
        case m.Choice(test=test, yes=yes, no=no):
            return of(yes if of(test) is True else no)
        case m.Sequence(items=items):
            return tuple(of(i) for i in items)
        case m.Index(base=base, at=at):
            return _element(of(base), of(at))
        case m.Apply(operator="and" | "or" as operator, arguments=(left, right)):
            first = of(left)
            return of(right) if first is (operator == "and") else first
        case m.Apply(operator=operator, arguments=arguments):
            return _limited(_apply(operator, [of(a) for a in arguments]))
        case m.Quantified():
            return _quantified(e, parameters, bound)
        case m.Density(method="pmf" | "cdf", law=m.Law(family="bernoulli", arguments=(p,)), at=at):
            return _bernoulli(e.method, of(p), of(at))
        case _:
            raise _NotConstant


def _limited(value: Value) -> Value:
    if isinstance(value, Fraction) and (value > LARGEST or value < -LARGEST):
        raise _NoValue("a number grows beyond 1e300")
    if isinstance(value, Fraction) and value.denominator.bit_length() > 4000:
        return Fraction(float(value))
    return value


def _element(base: Value, at: Value) -> Value:
    if not isinstance(base, tuple) or not isinstance(at, Fraction):
        raise _NotConstant
    if at.denominator != 1 or not 1 <= at <= len(base):
        raise _NoValue(f"there is no element {at} of {len(base)}")
    return base[int(at) - 1]


def _bernoulli(method: str, p: Value, at: Value) -> Value:
    if not isinstance(p, Fraction) or not isinstance(at, Fraction):
        raise _NotConstant
    if method == "cdf":
        return Fraction(0) if at < 0 else Fraction(1) if at >= 1 else 1 - p
    return p if at == 1 else 1 - p if at == 0 else Fraction(0)


def _quantified(e: m.Quantified, parameters: Values, bound: Bindings) -> Value:
    domain = _value(e.domain, parameters, bound)
    if not isinstance(domain, tuple):
        raise _NotConstant
    values: list[tuple[Value, Value]] = []
    for item in domain:
        inner = {**bound, e.variable: item}
        if e.where is None or _value(e.where, parameters, inner) is True:
            values.append((item, _value(e.body, parameters, inner)))
    if e.operator in ("list", "set"):
        return tuple(v for _, v in values)
    if e.operator in ("argmax", "argmin"):
        sign = 1 if e.operator == "argmax" else -1
        best = max(range(len(values)), key=lambda i: (sign * _fraction(values[i][1]), -i), default=None)
        if best is None:
            raise _NoValue(f"{e.operator} of nothing")
        return values[best][0]
    return _limited(_fold(e.operator, [v for _, v in values]))


def _fraction(value: Value) -> Fraction:
    if not isinstance(value, Fraction):
        raise _NotConstant
    return value


def _fold(operator: str, values: list[Value]) -> Value:
    if operator == "count":
        return Fraction(sum(v is True for v in values))
    numbers = [_fraction(v) for v in values]
    if operator == "sum":
        return sum(numbers, Fraction(0))
    if not numbers:
        raise _NoValue(f"{operator} of nothing")
    if operator == "mean":
        return sum(numbers, Fraction(0)) / len(numbers)
    if operator in ("argmax", "argmin"):
        return Fraction(1 + numbers.index(max(numbers) if operator == "argmax" else min(numbers)))
    return max(numbers) if operator == "max" else min(numbers)


def _apply(operator: str, values: list[Value]) -> Value:
    if operator == "not":
        return values[0] is not True
    if operator in ("==", "!="):
        return (values[0] == values[1]) is (operator == "==")
    if len(values) == 1 and isinstance(values[0], tuple):
        return Fraction(len(values[0])) if operator == "length" else _fold(operator, list(values[0]))
    if operator not in _OPERATIONS:
        raise _NotConstant
    return _OPERATIONS[operator](*(_fraction(v) for v in values))


def _divide(a: Fraction, b: Fraction) -> Fraction:
    if b == 0:
        raise _NoValue("division by zero")
    return a / b


def _remainder(a: Fraction, b: Fraction) -> Fraction:
    if b == 0:
        raise _NoValue("remainder by zero")
    return a % b


def _power(a: Fraction, b: Fraction) -> Fraction:
    if a == 0 and b < 0:
        raise _NoValue("zero to a negative power")
    if b.denominator == 1 and abs(b) * max(a.numerator.bit_length(), a.denominator.bit_length()) <= 4000:
        return a ** int(b)
    if a < 0 and b.denominator != 1:
        raise _NoValue("a negative number to a power that is not whole")
    return Fraction(float(a) ** float(b))


def _log(a: Fraction) -> Fraction:
    if a <= 0:
        raise _NoValue("the logarithm of a number that is not positive")
    return Fraction(math.log(a.numerator) - math.log(a.denominator)) if a != 1 else Fraction(0)


def _sqrt(a: Fraction) -> Fraction:
    if a < 0:
        raise _NoValue("the square root of a negative number")
    exact = Fraction(math.isqrt(a.numerator), math.isqrt(a.denominator))
    return exact if exact * exact == a else Fraction(math.sqrt(a))


def _log2(a: Fraction) -> Fraction:
    """Exact at powers of two: `floor(log2(n))` must not fall one short."""
    whole = a.numerator.bit_length() - a.denominator.bit_length()
    if a > 0 and a == Fraction(2) ** whole:
        return Fraction(whole)
    return _log(a) / _log(Fraction(2))


def _clip(x: Fraction, low: Fraction, high: Fraction) -> Fraction:
    if low > high:
        raise _NoValue("clip to an interval whose ends are in the wrong order")
    return min(max(x, low), high)


def _range(low: Fraction, high: Fraction) -> Value:
    if high - low > _LONGEST:
        raise _NotConstant
    return tuple(_steps(low, high))


def _steps(low: Fraction, high: Fraction) -> Iterator[Fraction]:
    while low <= high:
        yield low
        low += 1


def zeta(s: Fraction) -> Fraction:
    """The Riemann zeta function for s > 1, by Euler-Maclaurin from the 20th term (error below 1e-15)."""
    if s <= 1:
        raise _NoValue("zeta of a number that is not above 1")
    x, n = float(s), 20
    if x > 60:
        return Fraction(1)  # 2^-x is below half a unit of rounding
    head = math.fsum(k**-x for k in range(1, n))
    tail = n ** (1 - x) / (x - 1) + n**-x / 2
    term = x * n ** (-x - 1)
    for bernoulli, k in ((1 / 12, 0), (-1 / 720, 1), (1 / 30240, 2), (-1 / 1209600, 3)):
        tail += bernoulli * term
        term *= (x + 2 * k + 1) * (x + 2 * k + 2) / n**2
    return Fraction(head + tail)


_OPERATIONS: dict[str, Callable[..., Value]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _divide,
    "%": _remainder,
    "^": _power,
    "negate": lambda a: -a,
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
    "log": _log,
    "log2": _log2,
    "exp": lambda a: Fraction(math.exp(a)),
    "sqrt": _sqrt,
    "abs": abs,
    "norm": abs,
    "floor": lambda a: Fraction(math.floor(a)),
    "ceil": lambda a: Fraction(math.ceil(a)),
    "zeta": zeta,
    "clip": _clip,
    "max": max,
    "min": min,
    "..": _range,
}
