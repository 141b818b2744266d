"""How long a list certainly is, whether lists are of one length, and whether a position lies in one, for all data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from seqlang.arithmetic.formula import Formula, number
from seqlang.model import expression as m
from seqlang.model.expression import (
    Apply,
    Bound,
    CellValue,
    Choice,
    Drawn,
    Expression,
    Field,
    Law,
    MemoryValue,
    Noised,
    Quantified,
    Records,
    Reported,
)
from seqlang.model.program import AtReports
from seqlang.operators.catalogue import with_result
from seqlang.operators.groups import EQUALITIES, EXTREMES, PLACES
from seqlang.rules.sensitivity.facts.definitions import RECORD
from seqlang.rules.sensitivity.facts.evaluate import evaluate, evaluate_number
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.facts.numbers import ONE, UNIT
from seqlang.rules.sensitivity.facts.shape import Shape
from seqlang.rules.sensitivity.facts.shapes import fewest_records, is_number, shape_of
from seqlang.rules.sensitivity.facts.value import whole
from seqlang.rules.sensitivity.ranges.ranges import range_in

COORDINATEWISE = with_result("pointwise", "truth") | EXTREMES - EQUALITIES
"""Operators that meet several lists coordinate by coordinate, so that the result is as long as they are."""


def length_is_private(facts: Facts, e: Expression) -> bool:
    """Whether a list's length may differ between neighbours."""
    shape = shape_of(facts, e)
    if shape.kind in ("none", "number") or (shape.kind == "list" and shape.length is not None):
        return False
    match e:
        case Field(name):
            return facts.resized and name + RECORD in facts.inputs
        case Records():
            return facts.resized
        case MemoryValue() | Reported() | m.Sequence("list"):
            return False
        case Bound(variable):
            return variable.domain is None or facts.is_private(facts.expand(variable.domain))
        case Quantified("list", _, _, domain, where):
            chosen = where is not None and (facts.is_private(where) or facts.is_private(domain))
            return chosen or length_is_private(facts, domain) or facts.is_sample(domain)
        case Choice(test, yes, no):
            return facts.is_private(test) or length_is_private(facts, yes) or length_is_private(facts, no)
        case Noised(_, base, _) | Apply("sort", (base,)):
            return length_is_private(facts, base)
        case CellValue(name) if name in facts.cells and isinstance(facts.cells[name].keep, AtReports):
            where = facts.cells[name].where
            return where is not None and facts.is_private(where)
        case Apply(operator, arguments) if operator in COORDINATEWISE and len(arguments) > 1:
            return any(length_is_private(facts, a) for a in arguments)
    return facts.is_private(e)


def lists_fit(facts: Facts, arguments: Sequence[Expression], always: bool) -> bool:
    """Whether an operator that meets these lists coordinate by coordinate has a value, or fails for all data.

    `always`: it is evaluated on both sides of a pair of neighbours, so that lists of public lengths fail on both.
    """
    lists = [a for a in arguments if not is_number(facts, a)]
    if len(lists) < 2:
        return True
    shapes = [shape_of(facts, a) for a in lists]
    if all(_one_size(facts, shapes[0], shape) for shape in shapes):
        return True
    if not all(shape.is_vector for shape in shapes):
        return always and not any(facts.is_private(a) for a in lists)
    first, *others = (_as_long_as(facts, a) for a in lists)
    return all(first == other for other in others) or (
        always and not any(length_is_private(facts, a) for a in lists)
    )  # fmt: skip


def adds_up(facts: Facts, each: Shape, parts: Iterable[Expression | None], always: bool) -> bool:
    """The same for things of one shape that are added up; `parts` decide which ones they are."""
    public = always and not any(part is not None and facts.is_private(part) for part in parts)
    return _one_size(facts, each, each) or public


def _one_size(facts: Facts, a: Shape, b: Shape) -> bool:
    """Whether all values of two shapes are made up alike: two numbers, or lists of one known length."""
    if a.kind != "list" or b.kind != "list":
        return a.kind == b.kind != "unknown"
    if a.length is None or b.length is None or facts.compare(a.length, b.length) != "equal":
        return False
    return a.element is not None and b.element is not None and _one_size(facts, a.element, b.element)


def _as_long_as(facts: Facts, e: Expression) -> Expression:
    """A list or set that certainly is as long: equal ones mean equal lengths."""
    match e:
        case Field(name) if name + RECORD in facts.inputs:
            return Records()
        case Quantified("list", _, _, domain, None):
            return _as_long_as(facts, domain)
        case Noised(_, base, _) | Apply("sort", (base,)):
            return _as_long_as(facts, base)
        case Apply(operator, arguments) if operator in COORDINATEWISE and len(arguments) > 1:
            return next((_as_long_as(facts, a) for a in arguments if not is_number(facts, a)), e)
    return e


def is_position(facts: Facts, base: Expression, at: Expression) -> bool:
    """Whether `at` is certainly a position of the list."""
    if isinstance(at, Bound) and at.variable.domain is not None:
        domain = facts.inlined(at.variable.domain)
        if domain == Apply("..", (UNIT, Apply("length", (base,)))) or (
            isinstance(base, Field) and base.name + RECORD in facts.inputs and _of_records(facts, domain)
        ):
            return True
    if isinstance(at, Apply) and at.operator in PLACES and at.arguments == (base,):
        return True
    return _is_share(facts, base, at) or _is_between(facts, at, least_length(facts, base))


def _is_share(facts: Facts, base: Expression, at: Expression) -> bool:
    """The place ceil(q * length) of a quantile, for 0 < q <= 1, in a list that is not empty: 1 <= ceil(q n) <= n, and
    rounding keeps the order."""
    match at:
        case Apply("ceil", (Apply("*", (share, Apply("length", (other,)))),)):
            pass
        case Apply("ceil", (Apply("*", (Apply("length", (other,)), share)),)):
            pass
        case Apply("ceil", (Apply("/", (Apply("length", (other,)), divisor)),)):
            share = Apply("/", (UNIT, divisor))
        case _:
            return False
    part, least = evaluate_number(facts, share), least_length(facts, base)
    if part is None or least is None or facts.sign(least) != 1 or facts.sign(part) != 1:
        return False
    return facts.at_most(part, ONE) and _as_long_as(facts, other) == _as_long_as(facts, base)


def is_element(facts: Facts, domain: Expression, at: Expression) -> bool:
    """Whether `at` is certainly an element of the constant set."""
    if isinstance(at, Bound) and at.variable.domain is not None and facts.expand(at.variable.domain) == domain:
        return True
    listed = evaluate(facts, domain)
    if not isinstance(listed, tuple) or [whole(facts, v) for v in listed] != list(range(1, len(listed) + 1)):
        return False
    return _is_between(facts, at, number(len(listed)))


def _is_between(facts: Facts, at: Expression, last: Formula | None) -> bool:
    """Whether `at` is certainly one of the whole numbers 1 to `last`."""
    r = range_in(facts, at)
    if last is None or not r.integer or r.low is None or r.high is None:
        return False
    return facts.at_most(ONE, r.low) and facts.at_most(r.high, last)


def _of_records(facts: Facts, domain: Expression) -> bool:
    """The elements are numbers of records."""
    match domain:
        case Records():
            return True
        case Quantified("list" | "set", Bound(variable), own, inner):
            return variable == own and _of_records(facts, inner)
        case Drawn(name):
            law = facts.noises[name].law if name in facts.noises else None
            return isinstance(law, Law) and law.family == "sample" and _of_records(facts, law.arguments[0])
    return False


def least_length(facts: Facts, e: Expression) -> Formula | None:
    """How many elements a list has at least, if that is known."""
    match e:
        case Field(name) if name + RECORD in facts.inputs:
            return fewest_records(facts)
        case m.Sequence("list", items):
            return number(len(items))
        case Choice(_, yes, no):
            sizes = [least_length(facts, branch) for branch in (yes, no)]
            if None in sizes:
                return None
            a, b = (s for s in sizes if s is not None)
            return a if facts.at_most(a, b) else b if facts.at_most(b, a) else None
        case Noised(_, base, _) | Apply("sort", (base,)):
            return least_length(facts, base)
    if length_is_private(facts, e):
        return None
    return shape_of(facts, e).length
