"""The nodes of a formula and the operators that build them.

Operators keep a light form: constants folded, sums and products flattened, equal terms and equal bases collected. Terms
stay in the order in which they were written, as people want to read them; equality and hash ignore that order.
The classes are written out because generated ones cost a command line its start: each would take a millisecond.
A formula is a partial function of its names. Rewriting keeps its value wherever it is defined; what is never defined
(1/0, log(-1), infinity - infinity) is UNDEFINED, which swallows everything and about which nothing can be proved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from math import inf
from typing import Any, NoReturn

from seqlang.arithmetic.roots import power_is_small, rational_root

ZERO_VALUE = Fraction(0)
ONE_VALUE = Fraction(1)


def _operation(build: Callable[[Formula, Operand], Formula]) -> Callable[[Formula, Operand], Formula]:
    """A method that builds a formula of itself and an operand; of anything else Python asks the other side."""

    def method(self: Formula, other: Operand) -> Formula:
        return build(self, other) if isinstance(other, (Formula, int, Fraction)) else NotImplemented

    return method


class Formula:
    """An immutable expression over named public constants. Build it with the operators and the functions below."""

    __slots__ = ("_hash", "_text")
    __match_args__: tuple[str, ...] = ()
    _hash: int
    _text: tuple[str, int]  # kept by text.py once it was asked for

    @property
    def children(self) -> tuple[Formula, ...]:
        """The formulas that this one is built from, in order; none for numbers, names and infinities."""
        return ()

    @property
    def is_infinite(self) -> bool:
        """True if the formula is, or may be, without a finite value: an infinity or UNDEFINED occurs in it."""
        return any(child.is_infinite for child in self.children)

    def symbols(self) -> frozenset[str]:
        """The names that occur."""
        return frozenset(node.name for node in walk(self) if isinstance(node, Symbol))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Formula):
            return NotImplemented
        return self._hash == other._hash and type(self) is type(other) and self._same(other)

    def _same(self, other: Any) -> bool:
        return all(getattr(self, name) == getattr(other, name) for name in self.__match_args__)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a formula cannot be changed: {name}")

    def __repr__(self) -> str:
        return f"<{self}>"

    def __reduce__(self) -> tuple[Any, ...]:
        # the hash of a text differs between processes: rebuild instead of copying it
        return type(self), tuple(getattr(self, name) for name in self.__match_args__)

    def __str__(self) -> str:
        from seqlang.arithmetic.text import text

        return text(self)

    __add__ = _operation(lambda x, y: total((x, y)))
    __radd__ = _operation(lambda x, y: total((y, x)))
    __sub__ = _operation(lambda x, y: total((x, product((-1, y)))))
    __rsub__ = _operation(lambda x, y: total((y, product((-1, x)))))
    __mul__ = _operation(lambda x, y: product((x, y)))
    __rmul__ = _operation(lambda x, y: product((y, x)))
    __truediv__ = _operation(lambda x, y: product((x, power(y, -1))))
    __rtruediv__ = _operation(lambda x, y: product((y, power(x, -1))))
    __pow__ = _operation(lambda x, y: power(x, y))
    __rpow__ = _operation(lambda x, y: power(y, x))

    def __neg__(self) -> Formula:
        return product((-1, self))

    def __pos__(self) -> Formula:
        return self

    def __abs__(self) -> Formula:
        return absolute(self)


Operand = Formula | int | Fraction
_put = object.__setattr__


class Number(Formula):
    """An exact rational."""

    __slots__ = ("value",)
    __match_args__ = ("value",)
    value: Fraction

    def __init__(self, value: Fraction) -> None:
        _put(self, "value", value)
        _put(self, "_hash", hash(value))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Number):
            return self.value == other.value
        if isinstance(other, (int, Fraction)):
            return self.value == other
        return False if isinstance(other, Formula) else NotImplemented


class Symbol(Formula):
    __slots__ = ("name",)
    __match_args__ = ("name",)
    name: str

    def __init__(self, name: str) -> None:
        _put(self, "name", name)
        _put(self, "_hash", hash(("symbol", name)))


class Sum(Formula):
    """At least two terms, no two of which differ in their coefficient only."""

    __slots__ = ("terms",)
    __match_args__ = ("terms",)
    terms: tuple[Formula, ...]

    def __init__(self, terms: tuple[Formula, ...]) -> None:
        _put(self, "terms", terms)
        _put(self, "_hash", hash(("sum", frozenset(terms))))

    @property
    def children(self) -> tuple[Formula, ...]:
        return self.terms

    def _same(self, other: Any) -> bool:
        return self.terms == other.terms or frozenset(self.terms) == frozenset(other.terms)


class Product(Formula):
    """At least two factors with different bases; a number, if any, comes first."""

    __slots__ = ("factors",)
    __match_args__ = ("factors",)
    factors: tuple[Formula, ...]

    def __init__(self, factors: tuple[Formula, ...]) -> None:
        _put(self, "factors", factors)
        _put(self, "_hash", hash(("product", frozenset(factors))))

    @property
    def children(self) -> tuple[Formula, ...]:
        return self.factors

    def _same(self, other: Any) -> bool:
        return self.factors == other.factors or frozenset(self.factors) == frozenset(other.factors)


class Power(Formula):
    """base ^ exponent; for an exponent that is no whole number the base must be >= 0."""

    __slots__ = ("base", "exponent")
    __match_args__ = ("base", "exponent")
    base: Formula
    exponent: Formula

    def __init__(self, base: Formula, exponent: Formula) -> None:
        _put(self, "base", base)
        _put(self, "exponent", exponent)
        _put(self, "_hash", hash(("power", base, exponent)))

    @property
    def children(self) -> tuple[Formula, ...]:
        return (self.base, self.exponent)


class Call(Formula):
    """max or min (two or more arguments, in any order), or a function of one argument, see `functions.PRIMITIVES`."""

    __slots__ = ("arguments", "function")
    __match_args__ = ("function", "arguments")
    function: str
    arguments: tuple[Formula, ...]

    def __init__(self, function: str, arguments: tuple[Formula, ...]) -> None:
        _put(self, "function", function)
        _put(self, "arguments", arguments)
        _put(self, "_hash", hash((function, frozenset(arguments))))

    @property
    def children(self) -> tuple[Formula, ...]:
        return self.arguments

    def _same(self, other: Any) -> bool:
        return self.function == other.function and frozenset(self.arguments) == frozenset(other.arguments)


class Named(Formula):
    """A function that has a name and no short formula, such as the Renyi divergence of a subsampled release.

    Its value is never negative. `upper(*spans)` is an upper bound, rounded up, of its values wherever each argument
    lies in its span (low, high); the name stands for one function only. Arguments keep their order.
    """

    __slots__ = ("arguments", "name", "upper")
    __match_args__ = ("name", "arguments", "upper")
    name: str
    arguments: tuple[Formula, ...]
    upper: Callable[..., float]

    def __init__(self, name: str, arguments: tuple[Formula, ...], upper: Callable[..., float]) -> None:
        _put(self, "name", name)
        _put(self, "arguments", arguments)
        _put(self, "upper", upper)
        _put(self, "_hash", hash(("named", name, arguments)))

    @property
    def children(self) -> tuple[Formula, ...]:
        return self.arguments

    def _same(self, other: Any) -> bool:
        return bool(self.name == other.name and self.arguments == other.arguments)


class Infinite(Formula):
    """+infinity or -infinity: as a bound, "none is known"."""

    __slots__ = ("positive",)
    __match_args__ = ("positive",)
    positive: bool

    def __init__(self, positive: bool) -> None:
        _put(self, "positive", positive)
        _put(self, "_hash", hash(("infinite", positive)))

    @property
    def is_infinite(self) -> bool:
        return True


class Undefined(Formula):
    """No value at all."""

    __slots__ = ()

    def __init__(self) -> None:
        _put(self, "_hash", hash("undefined"))

    @property
    def is_infinite(self) -> bool:
        return True


ZERO = Number(ZERO_VALUE)
ONE = Number(ONE_VALUE)
INFINITY = Infinite(True)
MINUS_INFINITY = Infinite(False)
UNDEFINED = Undefined()


def walk(formula: Formula) -> Iterator[Formula]:
    """The formula and everything in it, outside first."""
    yield formula
    for child in formula.children:
        yield from walk(child)


def number(value: int | Fraction) -> Number:
    """The formula of a rational number."""
    return Number(Fraction(value))


def of_float(value: float) -> Formula:
    """The formula of the number that a float stands for; infinite where it is."""
    return number(Fraction(value)) if abs(value) < inf else INFINITY if value > 0 else MINUS_INFINITY


def symbol(name: str) -> Symbol:
    """The formula of a named constant."""
    return Symbol(name)


def as_formula(operand: Operand) -> Formula:
    """The operand itself if it is a formula, else the formula of the number."""
    return operand if isinstance(operand, Formula) else Number(Fraction(operand))


def split_coefficient(formula: Formula) -> tuple[Fraction, Formula]:
    """formula = number * rest, where rest has no numeric factor."""
    if isinstance(formula, Number):
        return formula.value, ONE
    if isinstance(formula, Product) and isinstance(formula.factors[0], Number):
        rest = formula.factors[1:]
        return formula.factors[0].value, rest[0] if len(rest) == 1 else Product(rest)
    return ONE_VALUE, formula


def split_exponent(formula: Formula) -> tuple[Formula, Fraction]:
    """formula = base ^ number."""
    if isinstance(formula, Power) and isinstance(formula.exponent, Number):
        return formula.base, formula.exponent.value
    return formula, ONE_VALUE


def scaled(coefficient: Fraction, rest: Formula) -> Formula:
    """coefficient * rest, for a rest without numeric factor. A sum takes a sign in, larger factors stay outside."""
    if coefficient == 1:
        return rest
    if coefficient == 0:
        return ZERO
    if rest == ONE:
        return Number(coefficient)
    if isinstance(rest, Sum) and coefficient == -1:
        return Sum(tuple(scaled(-c, r) for c, r in map(split_coefficient, rest.terms)))
    return Product((Number(coefficient), *(rest.factors if isinstance(rest, Product) else (rest,))))


def total(operands: Iterable[Operand]) -> Formula:
    """The sum."""
    collected: dict[Formula, Fraction] = {}
    infinity: Formula | None = None
    for operand in operands:
        formula = as_formula(operand)
        for term in formula.terms if isinstance(formula, Sum) else (formula,):
            if isinstance(term, Undefined) or (isinstance(term, Infinite) and infinity not in (None, term)):
                return UNDEFINED
            if isinstance(term, Infinite):
                infinity = term
                continue
            coefficient, rest = split_coefficient(term)
            collected[rest] = collected.get(rest, ZERO_VALUE) + coefficient
    terms = tuple(scaled(coefficient, rest) for rest, coefficient in collected.items() if coefficient)
    if infinity is not None:
        unclear = tuple(term for term in terms if term.is_infinite)
        return Sum((infinity, *unclear)) if unclear else infinity
    if len(terms) == 1:
        return terms[0]
    if any(isinstance(term, Sum) for term in terms):
        return total(terms)
    return Sum(terms) if terms else ZERO


def product(operands: Iterable[Operand]) -> Formula:
    """The product; 0 * infinity is 0, because an unbounded shift times the factor 0 is no shift."""
    coefficient = ONE_VALUE
    collected: dict[Formula, Fraction] = {}
    infinite = False
    for operand in operands:
        formula = as_formula(operand)
        for factor in formula.factors if isinstance(formula, Product) else (formula,):
            if isinstance(factor, Number):
                coefficient *= factor.value
            elif isinstance(factor, Undefined):
                return UNDEFINED
            elif isinstance(factor, Infinite):
                infinite = True
                coefficient = coefficient if factor.positive else -coefficient
            else:
                base, exponent = split_exponent(factor)
                collected[base] = collected.get(base, ZERO_VALUE) + exponent
    if coefficient == 0:
        return ZERO
    factors: list[Formula] = []
    for base, exponent in collected.items():
        raised = _raised(base, exponent)
        if isinstance(raised, Number):
            coefficient *= raised.value
        else:
            factors.append(raised)
    if infinite:
        sign = INFINITY if coefficient > 0 else MINUS_INFINITY
        return Product((sign, *factors)) if factors else sign
    if not factors:
        return Number(coefficient)
    return scaled(coefficient, factors[0] if len(factors) == 1 else Product(tuple(factors)))


def _raised(base: Formula, exponent: Fraction) -> Formula:
    """base ^ exponent for a base that is no number times something and no power."""
    if exponent == 0:
        return ONE
    if exponent == 1:
        return base
    if isinstance(base, Number) or (isinstance(base, Call) and base.function == "exp"):
        return power(base, exponent)
    return Power(base, Number(exponent))


def power(base_: Operand, exponent_: Operand) -> Formula:
    """base ^ exponent. 0^0 is 1."""
    base, exponent = as_formula(base_), as_formula(exponent_)
    if isinstance(base, Undefined) or isinstance(exponent, Undefined):
        return UNDEFINED
    if exponent == ZERO or base == ONE:
        return UNDEFINED if base.is_infinite or exponent.is_infinite else ONE
    if exponent == ONE:
        return base
    if isinstance(base, Call) and base.function == "exp":
        return exponential(product((base.arguments[0], exponent)))
    if not isinstance(exponent, Number):
        return Power(base, exponent)
    return _numeric_power(base, exponent.value)


def _numeric_power(base: Formula, exponent: Fraction) -> Formula:
    whole = exponent.denominator == 1
    match base:
        case Number(value):
            return _power_of_number(value, exponent)
        case Infinite(positive):
            if exponent < 0:
                return ZERO
            if positive or (whole and exponent.numerator % 2 == 0):
                return INFINITY
            return MINUS_INFINITY if whole else UNDEFINED
        case Power(inner, Number(first)) if whole or first.denominator != 1 or first.numerator % 2:
            # (x^a)^b = x^(a b), unless a is even and b is no whole number: then it is |x|^(a b)
            return power(inner, first * exponent)
        case Product(factors) if whole:
            return product(power(factor, exponent) for factor in factors)
        case Product((Number(value), *_)) if value > 0 and isinstance(_power_of_number(value, exponent), Number):
            return product((_power_of_number(value, exponent), power(split_coefficient(base)[1], exponent)))
        case _:
            return Power(base, Number(exponent))


def _power_of_number(value: Fraction, exponent: Fraction) -> Formula:
    if value == 0:
        return ZERO if exponent > 0 else UNDEFINED
    if value < 0 and exponent.denominator != 1:
        return UNDEFINED
    rooted = rational_root(value, exponent.denominator)
    if rooted is None or not power_is_small(rooted, exponent.numerator):
        return Power(Number(value), Number(exponent))
    return Number(rooted**exponent.numerator)


def absolute(operand: Operand) -> Formula:
    """|operand|; a numeric factor is taken out, and nothing is added where the operand cannot be negative."""
    formula = as_formula(operand)
    match formula:
        case Number(value):
            return Number(abs(value))
        case Infinite():
            return INFINITY
        case Undefined() | Call("abs" | "exp"):
            return formula
    coefficient, rest = split_coefficient(formula)
    if coefficient != 1:
        return product((abs(coefficient), absolute(rest)))
    return Call("abs", (formula,))


def exponential(operand: Operand) -> Formula:
    """e ^ operand; exp(0) is 1, exp of a logarithm is what the logarithm is of, and infinities have their limits."""
    formula = as_formula(operand)
    match formula:
        case Number(value) if value == 0:
            return ONE
        case Infinite(positive):
            return INFINITY if positive else ZERO
        case Undefined():
            return UNDEFINED
        case Call("log", (inner,)):
            return inner
    return Call("exp", (formula,))
