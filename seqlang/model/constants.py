"""The value of a constant expression.

`exactly` knows it where it is computed from rational numbers alone: engines take that value, rounded once, so that runs
compute the program that is proved. `evaluate` puts the nearest float in place of what is not rational, for
parameters, for the checks of domains and law arguments, and for messages. Never for a proof: proofs compute their own
bounds with directed rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

from seqlang.model import expression as m
from seqlang.model.program import Program
from seqlang.operators.catalogue import OPERATORS, in_group
from seqlang.operators.operator import NoValue, Rounded
from seqlang.record import record

LARGEST = Fraction(10) ** 300
LARGEST_DIMENSION = 1_000_000
"""Entries of a vector, numbers of a range: each is held or gone through."""
_LONGEST = 20_000
_FOLDS = in_group("fold")

CHANGING = frozenset({
    m.StepNumber, m.Field, m.Local, m.CellValue, m.MemoryValue, m.Reported, m.Drawn, m.Noised,
})  # fmt: skip
"""What differs from step to step, or from run to run."""


def is_constant(expression: m.Expression) -> bool:
    """Reads parameters and numbers only (`records` counts as a constant)."""
    return not any(type(node) in CHANGING for node in m.walk(expression))


@record
class Undefined:
    """The expression has no value: `reason` completes "it has no value: ..."."""

    reason: str


class _NotConstant(Exception):
    pass


Value = Fraction | bool | str | tuple["Value", ...]


class Members(tuple[Value, ...]):
    """The members of a set or a range, each once. Engines have their own form of these."""

    __slots__ = ()


class Values(dict[str, Fraction]):
    """Values of params that also remember what was computed from them: lets are written out, and so shared, in what
    reads them. An expression is kept beside its value, as only then its identity is its own."""

    def __init__(self, exact: bool = False) -> None:
        super().__init__()
        self.known: dict[int, tuple[m.Expression, Value]] = {}
        self.work = 0
        self.exact = exact


def values_of(program: Program, exact: bool = False) -> Values:
    """The values of its parameters. `exact`: as `exactly` takes them."""
    values = Values(exact)
    values.update({parameter.name: parameter.value for parameter in program.parameters})
    return values


def evaluate(expression: m.Expression, parameters: Values) -> Value | Undefined | None:
    """Its value under the parameters; `Undefined` with the reason; None where it is no constant (or not known here, or
    takes more than a moment)."""
    parameters.work = 0
    try:
        found = _value(expression, parameters, {})
        return Fraction(found) if isinstance(found, Rounded) else found
    except NoValue as problem:
        return Undefined(problem.reason)
    except OverflowError:
        return Undefined("a number grows beyond 1e300")
    except (_NotConstant, RecursionError):
        return None


def exactly(expression: m.Expression, parameters: Values) -> Value | None:
    """Its exact value, if it is a constant and every number on the way is rational; None otherwise, and where it has no
    value. `parameters` are those of `values_of(program, exact=True)`."""
    found = evaluate(expression, parameters)
    return None if isinstance(found, Undefined) else found


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
        case m.Sequence(kind=kind, items=items):
            return _collected(kind, [of(i) for i in items])
        case m.Index(base=base, at=at):
            return _element(of(base), of(at))
        case m.Apply(operator="and" | "or" as operator, arguments=(left, right)):
            first = of(left)
            return of(right) if first is (operator == "and") else first
        case m.Apply(operator=operator, arguments=arguments):
            return _allowed(_limited(_apply(operator, [of(a) for a in arguments], parameters.exact)), parameters)
        case m.Quantified():
            return _quantified(e, parameters, bound)
        case m.Density(method="pmf" | "cdf", law=m.Law(family="bernoulli", arguments=(p,)), at=at):
            return _bernoulli(e.method, of(p), of(at))
        case _:
            raise _NotConstant


def _allowed(value: Value, parameters: Values) -> Value:
    if parameters.exact and any(isinstance(v, Rounded) for v in (value if isinstance(value, tuple) else (value,))):
        raise _NotConstant
    return value


def _limited(value: Value) -> Value:
    if isinstance(value, Fraction) and (value > LARGEST or value < -LARGEST):
        raise NoValue("a number grows beyond 1e300")
    if isinstance(value, Fraction) and value.denominator.bit_length() > 4000:
        return Rounded(float(value))
    return value


def _element(base: Value, at: Value) -> Value:
    if not isinstance(base, tuple) or not isinstance(at, Fraction):
        raise _NotConstant
    if at.denominator != 1 or not 1 <= at <= len(base):
        raise NoValue(f"there is no element {at} of {len(base)}")
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
        return _collected(e.operator, [v for _, v in values])
    if e.operator in ("argmax", "argmin"):
        sign = 1 if e.operator == "argmax" else -1
        best = max(range(len(values)), key=lambda i: (sign * _fraction(values[i][1]), -i), default=None)
        if best is None:
            raise NoValue(f"{e.operator} of nothing")
        return values[best][0]
    return _allowed(_limited(_fold(e.operator, [v for _, v in values])), parameters)


def _collected(kind: str, values: list[Value]) -> Value:
    """A list, or a set, which has each value once."""
    return tuple(values) if kind == "list" else Members(dict.fromkeys(values))


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
        raise NoValue(f"{operator} of nothing")
    if operator == "mean":
        return sum(numbers, Fraction(0)) / len(numbers)
    if operator in ("argmax", "argmin"):
        return Fraction(1 + numbers.index(max(numbers) if operator == "argmax" else min(numbers)))
    return max(numbers) if operator == "max" else min(numbers)


def _apply(operator: str, values: list[Value], exact: bool) -> Value:
    match operator, values:
        case "dot", [tuple() as one, tuple() as other] if exact and len(one) == len(other):
            return sum((_fraction(a) * _fraction(b) for a, b in zip(one, other, strict=True)), Fraction(0))
        case (("project" | "clip_norm"), [tuple() as elements, Fraction() as radius]) if exact:
            return _projected([_fraction(v) for v in elements], radius)
        case "not", [value]:
            return value is not True
        case (("==" | "!="), [a, b]):
            return (a == b) is (operator == "==")
        case "..", [low, high]:
            return _range(_fraction(low), _fraction(high))
        case "length", [tuple() as elements]:
            return Fraction(len(elements))
        case "sort", [tuple() as elements]:
            return tuple(sorted(_fraction(v) for v in elements))
        case "norm", [tuple() as elements]:
            return _norm([_fraction(v) for v in elements])
        case (("max" | "min"), [_, _, *_]):
            return _fold(operator, values)
        case _, [tuple() as elements] if operator in _FOLDS:
            return _fold(operator, list(elements))
    entry = OPERATORS.get(operator)
    if entry is None or entry.numeric is None:
        raise _NotConstant
    return _coordinates(entry.numeric.exact, values)


def _coordinates(function: Callable[..., Value], values: list[Value]) -> Value:
    """Of vectors coordinate by coordinate; a number meets every coordinate."""
    lengths = {len(v) for v in values if isinstance(v, tuple)}
    if not lengths:
        return function(*(_fraction(v) for v in values))
    if len(lengths) > 1:
        raise _NotConstant
    columns = zip(*(v if isinstance(v, tuple) else (v,) * max(lengths) for v in values), strict=True)
    return tuple(_coordinates(function, list(column)) for column in columns)


def _norm(numbers: list[Fraction]) -> Value:
    exact = OPERATORS["sqrt"].numeric
    assert exact is not None
    return _fraction(exact.exact(sum((x * x for x in numbers), Fraction(0))))


def _projected(vector: list[Fraction], radius: Fraction) -> Value:
    """On the ball around 0: shortened to the radius, if it is longer."""
    size = _norm(vector)
    if isinstance(size, Rounded):
        raise _NotConstant
    size = _fraction(size)
    return tuple(v if size <= radius or size == 0 else v * radius / size for v in vector)


def _range(low: Fraction, high: Fraction) -> Value:
    if high - low > _LONGEST:
        raise _NotConstant
    return Members(_steps(low, high))


def _steps(low: Fraction, high: Fraction) -> Iterator[Fraction]:
    while low <= high:
        yield low
        low += 1
