"""The value of a constant expression.

`exactly` computes with fractions, and with formulas where a number is not known to be rational (a logarithm, a root).
What jumps (a comparison, a whole part, a remainder, a position) is decided by exact arithmetic or by enclosures, never
by floats; where these do not decide it, the value is `Open`. Engines take what is rational, rounded once, so that runs
compute the program that is proved. `evaluate` puts a float in place of a formula, for parameters, for the checks of
domains and law arguments, and for messages. Never for a proof: proofs compute their own bounds with directed rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from fractions import Fraction
from functools import cmp_to_key, partial
from math import comb

from seqlang.arithmetic.formula import Formula, as_formula
from seqlang.model import exact_numbers as numbers
from seqlang.model import expression as m
from seqlang.model.exact_numbers import Exact, Undecided
from seqlang.model.program import Program
from seqlang.operators.catalogue import OPERATORS, in_group
from seqlang.operators.groups import CONNECTIVES, PLACES, SIGNS
from seqlang.operators.operator import NoValue, Rounded
from seqlang.record import record

LARGEST = Fraction(10) ** 300
LARGEST_DIMENSION = 1_000_000
"""Entries of a vector, numbers of a range: each is held or gone through."""
TOO_LARGE = "a number grows beyond 1e300"
_LONGEST = 20_000
_FOLDS = in_group("fold")
_JUMPS = frozenset(name for name, entry in OPERATORS.items() if entry.jumps)

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


@record
class Open:
    """The value hangs on a decision that exact arithmetic does not make: `reason` says between which numbers."""

    reason: str


class _NotConstant(Exception):
    pass


Value = Fraction | Formula | bool | str | tuple["Value", ...]
"""A formula is a number that is not known to be rational; only `exactly` has them."""


class Members(tuple[Value, ...]):
    """The members of a set or a range, each once. Engines have their own form of these."""

    __slots__ = ()


class Values(dict[str, Fraction]):
    """Values of params that also remember what was computed from them: lets are written out, and so shared, in what
    reads them. An expression is kept beside its value, as only then its identity is its own."""

    def __init__(self) -> None:
        super().__init__()
        self.known: dict[bool, MutableMapping[int, tuple[m.Expression, Value]]] = {True: {}, False: {}}
        """What was computed exactly, and with floats in place of formulas."""
        self.symbols: dict[str, Formula] = {}
        """What stands for numbers that are not known, where one asks whether they cancel."""


def values_of(program: Program) -> Values:
    """The values of its parameters."""
    values = Values()
    values.update({parameter.name: parameter.value for parameter in program.parameters})
    return values


def evaluate(expression: m.Expression, parameters: Values) -> Value | Undefined | None:
    """Its value under the parameters; `Undefined` with the reason; None where it is no constant (or not known here, or
    takes more than a moment)."""
    found = _found(expression, parameters, False)
    return Fraction(found) if isinstance(found, Rounded) else None if isinstance(found, Open) else found


def exactly(expression: m.Expression, parameters: Values) -> Value | Undefined | Open | None:
    """The same with formulas for numbers that are not known to be rational."""
    return _found(expression, parameters, True)


def rational(expression: m.Expression, parameters: Values) -> Value | None:
    """Its exact value, if it is a constant and every number in it is rational; None otherwise, and where it has no
    value."""
    found = exactly(expression, parameters)
    return None if found is None or isinstance(found, Undefined | Open) or not _is_rational(found) else found


def _is_rational(value: Value) -> bool:
    return all(map(_is_rational, value)) if isinstance(value, tuple) else not isinstance(value, Formula)


def _found(expression: m.Expression, parameters: Values, exact: bool) -> Value | Undefined | Open | None:
    try:
        return _Evaluation(parameters, exact).value(expression, {})
    except NoValue as problem:
        return Undefined(problem.reason)
    except Undecided as problem:
        return Open(problem.reason)
    except OverflowError:
        return Undefined(TOO_LARGE)
    except (_NotConstant, RecursionError):
        return None


def number(expression: m.Expression, parameters: Values) -> Fraction | None:
    """Its value if that is a number, else None."""
    value = evaluate(expression, parameters)
    return value if isinstance(value, Fraction) else None


Bindings = Mapping[m.Variable, Value]


class _Evaluation:
    """One evaluation, with formulas where numbers are not rational (`exact`), or with floats."""

    def __init__(self, parameters: Values, exact: bool) -> None:
        self.parameters = parameters
        self.exact = exact
        self.known = parameters.known[exact]
        self.work = 0

    def value(self, e: m.Expression, bound: Bindings) -> Value:
        if bound:
            return self._compute(e, bound)
        if id(e) not in self.known:
            self.known[id(e)] = (e, self._compute(e, bound))
        return self.known[id(e)][1]

    def _compute(self, e: m.Expression, bound: Bindings) -> Value:
        self.work += 1
        if self.work > _LONGEST:
            raise _NotConstant
        match e:
            case m.Number(value=value):
                return value
            case m.Truth(value=truth):
                return truth
            case m.Label(name=name):
                return name
            case m.ParameterValue(name=name):
                if name in self.parameters.symbols:
                    return self.parameters.symbols[name]
                if name not in self.parameters:
                    raise _NotConstant
                return self.parameters[name]
            case m.Bound(variable=variable):
                if variable not in bound:
                    raise _NotConstant
                return bound[variable]
            case m.Choice(test=test, yes=yes, no=no):
                return self.value(yes if _truth(self.value(test, bound)) else no, bound)
            case m.Sequence(kind=kind, items=items):
                return _collected(kind, [self.value(i, bound) for i in items])
            case m.Index(base=base, at=at):
                return _element(self.value(base, bound), self._exactly(at, bound))
            case m.Apply(operator="and" | "or" as operator, arguments=(left, right)):
                first = _truth(self.value(left, bound))
                return self.value(right, bound) if first is (operator == "and") else first
            case m.Apply(operator=operator) if not self.exact and operator in _JUMPS:
                return _with_floats(self._exactly(e, bound))
            case m.Apply(operator=operator, arguments=arguments):
                values = [self.value(a, bound) for a in arguments]
                return self._limited((_apply_exactly if self.exact else _apply)(operator, values))
            case m.Quantified():
                return self._quantified(e, bound)
            case m.Density(method="pmf" | "cdf", law=law, at=at) if has_exact_density(law):
                return self._chance(e.method == "cdf", law, _number(self._exactly(at, bound)), bound)
            case _:
                raise _NotConstant

    def _chance(self, below: bool, law: m.Expression, at: Exact, bound: Bindings) -> Fraction:
        """P(X <= at), or P(X = at)."""
        match law:
            case m.Law("point", (value,)):
                return Fraction(_is_there(below, _number(self._exactly(value, bound)), at))
            case m.Law("uniform", (values,)):
                listed = self.value(values, bound)
                if not isinstance(listed, tuple) or not listed:
                    raise _NotConstant
                return Fraction(sum(_is_there(below, _number(v), at) for v in listed), len(listed))
            case m.Law(family, arguments):
                return _CHANCES[family](below, *(_fraction(self.value(a, bound)) for a in arguments), at)
            case m.Weights() | m.WeightsOf():
                table = [
                    (_number(self._exactly(v, b)), _fraction(self.value(w, b))) for v, w, b in self._rows(law, bound)
                ]
                total = sum(weight for _, weight in table)
                if total <= 0 or any(weight < 0 for _, weight in table):
                    raise _NotConstant
                return sum((w for v, w in table if _is_there(below, v, at)), Fraction(0)) / total
        raise _NotConstant

    def _rows(
        self, law: m.Weights | m.WeightsOf, bound: Bindings
    ) -> Iterator[tuple[m.Expression, m.Expression, Bindings]]:
        """(value, weight, what is bound in them)."""
        if isinstance(law, m.Weights):
            yield from ((value, weight, bound) for value, weight in law.pairs)
            return
        yield from ((law.value, law.weight, inner) for inner in self._elements(law, bound))

    def _least_work(self, e: m.Quantified | m.WeightsOf) -> int:
        """For one element: a sum that takes too long is given up before it begins."""
        return _least_work(e.body) if self.exact and isinstance(e, m.Quantified) and e.where is None else 0

    def _elements(self, e: m.Quantified | m.WeightsOf, bound: Bindings) -> Iterator[Bindings]:
        """What is bound at each element of the set that counts."""
        domain = self.value(e.domain, bound)
        if not isinstance(domain, tuple) or self.work + len(domain) * self._least_work(e) > _LONGEST:
            raise _NotConstant
        for item in domain:
            inner = {**bound, e.variable: item}
            if e.where is None or _truth(self._exactly(e.where, inner)):
                yield inner

    def _exactly(self, e: m.Expression, bound: Bindings) -> Value:
        """The exact value of what decides something."""
        return self.value(e, bound) if self.exact else _Evaluation(self.parameters, True).value(e, bound)

    def _limited(self, value: Value) -> Value:
        if isinstance(value, Fraction) and (value > LARGEST or value < -LARGEST):
            raise NoValue(TOO_LARGE)
        if isinstance(value, Fraction) and value.denominator.bit_length() > 4000:
            if self.exact:
                raise _NotConstant
            return Rounded(float(value))
        return value

    def _quantified(self, e: m.Quantified, bound: Bindings) -> Value:
        read = self._exactly if e.operator in PLACES else self.value
        values = [(inner[e.variable], read(e.body, inner)) for inner in self._elements(e, bound)]
        if e.operator in ("list", "set"):
            return _collected(e.operator, [v for _, v in values])
        if e.operator in PLACES:
            if not values:
                raise NoValue(f"{e.operator} of nothing")
            return values[numbers.best(e.operator == "argmax", [_number(v) for _, v in values])][0]
        return self._limited(_fold(e.operator, [v for _, v in values]))


def _truth(value: Value) -> bool:
    if not isinstance(value, bool):
        raise _NotConstant
    return value


def _least_work(e: m.Expression) -> int:
    """How many parts of an expression with bound variables are evaluated, at least."""
    match e:
        case m.Apply(operator=operator, arguments=arguments) if operator not in CONNECTIVES:
            return 1 + sum(map(_least_work, arguments))
        case m.Choice(test=test):
            return 1 + _least_work(test)
    return 1


def _with_floats(value: Value) -> Value:
    if isinstance(value, tuple):
        return tuple(map(_with_floats, value))
    return Rounded(numbers.nearest(value)) if isinstance(value, Formula) else value


def _element(base: Value, at: Value) -> Value:
    if not isinstance(base, tuple) or not isinstance(at, Fraction | Formula):
        raise _NotConstant
    place = numbers.whole(at)
    if place is None or not 1 <= place <= len(base):
        raise NoValue(f"there is no element {at} of {len(base)}")
    return base[place - 1]


def has_exact_density(law: m.Expression) -> bool:
    """Whether the chances of a law are computed exactly, from arguments that are rational."""
    return isinstance(law, m.Weights | m.WeightsOf) or (
        isinstance(law, m.Law)
        and (law.family in ("point", *_CHANCES) or (law.family == "uniform" and len(law.arguments) == 1))
    )


def _is_there(below: bool, value: Exact, at: Exact) -> bool:
    order = numbers.order(value, at)
    return order <= 0 if below else order == 0


def _binomial(below: bool, n: Fraction, p: Fraction, at: Exact) -> Fraction:
    """P(X <= at), or P(X = at), for the number X of successes in n trials."""
    if n.denominator != 1 or not 0 <= n <= _LONGEST or not 0 <= p <= 1:
        raise _NotConstant
    many, last = int(n), min(int(numbers.floor(at)), int(n))
    if last < 0:
        return Fraction(0)
    if not below:
        there = numbers.order(at, Fraction(last)) == 0
        return comb(many, last) * p**last * (1 - p) ** (many - last) if there else Fraction(0)
    if p == 1:
        return Fraction(last == many)
    # in whole numbers over one denominator, each from the one before
    success, failure = p.numerator, p.denominator - p.numerator
    term = failure**many
    total = term
    for k in range(last):
        term = term * (many - k) * success // ((k + 1) * failure)
        total += term
    return Fraction(total, p.denominator**many)


_CHANCES: Mapping[str, Callable[..., Fraction]] = {
    "bernoulli": lambda below, p, at: _binomial(below, Fraction(1), p, at),
    "binomial": _binomial,
}


def _collected(kind: str, values: list[Value]) -> Value:
    """A list, or a set, which has each value once."""
    if kind == "list":
        return tuple(values)
    if not any(isinstance(value, Formula) for value in values):
        return Members(dict.fromkeys(values))
    different: list[Value] = []
    for value in values:
        if not any(_same(value, other) for other in different):
            different.append(value)
    return Members(different)


def _number(value: Value) -> Exact:
    if not isinstance(value, Fraction | Formula):
        raise _NotConstant
    return value


def _fraction(value: Value) -> Fraction:
    if not isinstance(value, Fraction):
        raise _NotConstant
    return value


def _fold(operator: str, values: list[Value]) -> Value:
    if operator == "count":
        return Fraction(sum(v is True for v in values))
    folded = [_number(v) for v in values]
    if operator == "sum":
        return numbers.total(folded)
    if not folded:
        raise NoValue(f"{operator} of nothing")
    if operator == "mean":
        return numbers.quotient(numbers.total(folded), Fraction(len(folded)))
    if operator in PLACES:
        return Fraction(1 + numbers.best(operator == "argmax", folded))
    return numbers.extreme(operator == "max", folded)


def _apply(operator: str, values: list[Value]) -> Value:
    """With floats in place of numbers that are not rational."""
    match operator, values:
        case "not", [value]:
            return value is not True
        case "length", [tuple() as elements]:
            return Fraction(len(elements))
        case "..", [low, high]:
            return _range(_fraction(low), _fraction(high))
        case "sort", [tuple() as elements]:
            return tuple(sorted(_fraction(v) for v in elements))
        case "norm", [tuple() as elements]:
            exact = OPERATORS["sqrt"].numeric
            assert exact is not None
            return _number(exact.exact(sum((_fraction(x) ** 2 for x in elements), Fraction(0))))
        case (("max" | "min"), [_, _, *_]):
            return _fold(operator, values)
        case _, [tuple() as elements] if operator in _FOLDS:
            return _fold(operator, list(elements))
    entry = OPERATORS.get(operator)
    if entry is None or entry.numeric is None:
        raise _NotConstant
    numeric = entry.numeric
    return _coordinates(lambda *parts: numeric.exact(*map(_fraction, parts)), values)


def _apply_exactly(operator: str, values: list[Value]) -> Value:
    """With fractions and formulas."""
    match operator, values:
        case "dot", [tuple() as one, tuple() as other] if len(one) == len(other):
            products = (as_formula(_number(a)) * _number(b) for a, b in zip(one, other, strict=True))
            return numbers.total([numbers.plain(p) for p in products])
        case (("project" | "clip_norm"), [tuple() as elements, Fraction() | Formula() as radius]):
            return _projected([_number(v) for v in elements], radius)
        case (("==" | "!="), [a, b]):
            return _same(a, b) is (operator == "==")
        case "sort", [tuple() as elements]:
            return tuple(sorted(map(_number, elements), key=cmp_to_key(numbers.order)))
        case "norm", [tuple() as elements]:
            return numbers.length([_number(v) for v in elements])
    function = _EXACTLY.get(operator)
    entry = OPERATORS.get(operator)
    if function is None and (entry is None or entry.analytic is None):
        return _apply(operator, values)
    if function is None:
        function = partial(numbers.of_function, operator)
    known = function
    return _coordinates(lambda *parts: known(*map(_number, parts)), values)


_EXACTLY: Mapping[str, Callable[..., Value]] = {
    "+": lambda a, b: numbers.total((a, b)),
    "-": lambda a, b: numbers.total((a, -b)),
    "*": lambda a, b: (
        a * b if isinstance(a, Fraction) and isinstance(b, Fraction) else numbers.plain(as_formula(a) * b)
    ),
    "/": numbers.quotient,
    "%": numbers.remainder,
    "^": numbers.raised,
    "negate": lambda a: -a if isinstance(a, Fraction) else numbers.plain(-a),
    "abs": numbers.size,
    "floor": numbers.floor,
    "ceil": numbers.ceiling,
    **{name: lambda a, b, signs=signs: numbers.order(a, b) in signs for name, signs in SIGNS.items()},
    "clip": lambda x, low, high: numbers.extreme(False, (numbers.extreme(True, (x, low)), high)),
}


def _same(a: Value, b: Value) -> bool:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, Formula) or isinstance(b, Formula):
        return numbers.order(_number(a), _number(b)) == 0
    return a == b


def _coordinates(function: Callable[..., Value], values: list[Value]) -> Value:
    """Of vectors coordinate by coordinate; a number meets every coordinate."""
    lengths = {len(v) for v in values if isinstance(v, tuple)}
    if not lengths:
        return function(*values)
    if len(lengths) > 1:
        raise _NotConstant
    columns = zip(*(v if isinstance(v, tuple) else (v,) * max(lengths) for v in values), strict=True)
    return tuple(_coordinates(function, list(column)) for column in columns)


def _projected(vector: list[Exact], radius: Exact) -> Value:
    """On the ball around 0: shortened to the radius, if it is longer."""
    size = numbers.length(vector)
    if numbers.order(size, radius) <= 0:
        return tuple(vector)
    return tuple(numbers.quotient(numbers.plain(as_formula(v) * radius), size) for v in vector)


def _range(low: Fraction, high: Fraction) -> Value:
    if high - low > _LONGEST:
        raise _NotConstant
    return Members(_steps(low, high))


def _steps(low: Fraction, high: Fraction) -> Iterator[Fraction]:
    while low <= high:
        yield low
        low += 1
