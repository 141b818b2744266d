"""How a function of a vector v is curved: is it convex, how strongly, how steep can it be; for every value of all else.

The rules are those of disciplined convex programming (Grant, Boyd & Ye 2006) with constants: sums, multiples, maxima,
log-sum-exp, squares, norms, and functions of one linear margin that are quadratic in pieces (Huber losses).
"""

from __future__ import annotations

from collections.abc import Iterator

from seqlang.arithmetic.formula import Formula, number
from seqlang.model.binding import reads, replaced
from seqlang.model.expression import (
    Apply,
    Bound,
    CellValue,
    Choice,
    Expression,
    Index,
    Quantified,
    Records,
    Variable,
    walk,
)
from seqlang.record import record, replace
from seqlang.rules.sensitivity.facts.ends import greatest_known, least, plus_known, size_of, times_known
from seqlang.rules.sensitivity.facts.evaluate import evaluate, evaluate_number
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.facts.numbers import NOUGHT, ONE, TWO, UNIT, ZERO
from seqlang.rules.sensitivity.functions.piecewise_quadratic import convex, pieces_of
from seqlang.rules.sensitivity.functions.slopes import contains
from seqlang.rules.sensitivity.ranges.arithmetic import magnitude
from seqlang.rules.sensitivity.ranges.ranges import norm_bound, range_in

Directions = frozenset[Expression] | None
NOWHERE: Directions = frozenset()


@record
class Curve:
    """A convex function f of v (for `affine` ones -f is convex too), all else fixed at any values.

    f - strong/2 |v|^2 is convex. `lipschitz`: |f(u) - f(v)| <= lipschitz |u - v|. `smoothness`: the gradient exists
    everywhere and |grad f(u) - grad f(v)| <= smoothness |u - v|. None: no bound. `depends_on`: f depends on v only
    through the inner products with these vectors; `nonlinear_in`: the same of f less an affine function (None: through
    all of v).
    """

    affine: bool
    strong: Formula
    lipschitz: Formula | None
    smoothness: Formula | None
    depends_on: Directions
    nonlinear_in: Directions


STILL = Curve(True, ZERO, ZERO, ZERO, NOWHERE, NOWHERE)


def curve_of(facts: Facts, expression: Expression, v: Bound) -> Curve | None:
    """How the (expanded) number depends on the bound vector; None: not known to be convex."""
    if any(isinstance(e, CellValue) and contains(e, v) for e in walk(expression)):
        return None  # a cell holds one value for each element of a set; v ranges over none
    if not contains(expression, v):
        return STILL

    def of(inner: Expression) -> Curve | None:
        return curve_of(facts, inner, v)

    match expression:
        case Apply("+", (a, b)):
            return _sum(of(a), of(b))
        case Apply("-", (a, b)):
            return _sum(of(a), _times(facts, Apply("negate", (UNIT,)), of(b)))
        case Apply("negate", (a,)):
            return _times(facts, Apply("negate", (UNIT,)), of(a))
        case Apply("*", (a, b)) if not contains(a, v):
            return _times(facts, a, of(b))
        case Apply("*", (a, b)) if not contains(b, v):
            return _times(facts, b, of(a))
        case Apply("/", (a, b)) if not contains(b, v):
            return _times(facts, Apply("/", (UNIT, b)), of(a))
        case Apply("*", (a, b)) if a == b:
            return of(Apply("^", (a, TWO)))
        case Apply("dot", (a, b)) if a == b:
            return _square_of_norm(facts, a, v)
        case Apply("^", (Apply("norm", (a,)), exponent)) if _is_two(facts, exponent):
            return _square_of_norm(facts, a, v)
        case Apply("norm", (a,)) if (k := multiple(facts, a, v)) is not None:
            return Curve(False, ZERO, size_of(facts, k), None, None, None)
        case Apply("dot", (a, b)) if not contains(b, v):
            return _product(facts, a, b, v)
        case Apply("dot", (a, b)) if not contains(a, v):
            return _product(facts, b, a, v)
        case Index(a, at) if not contains(at, v) and (k := multiple(facts, a, v)) is not None:
            return Curve(True, ZERO, size_of(facts, k), ZERO, frozenset({expression}), NOWHERE)
        case Apply("max", arguments) if len(arguments) > 1:
            return _largest(facts, [of(argument) for argument in arguments])
        case Apply("log", (a,)):
            return _log_of_sum(facts, a, v)
        case Apply("log1p", (a,)):
            return _log_of_sum(facts, Apply("+", (UNIT, a)), v)
        case Apply("exp", (a,)):
            inner = of(a)
            return None if inner is None else Curve(False, ZERO, None, None, inner.depends_on, inner.depends_on)
        case Choice(test, yes, no) if not contains(test, v):
            return _either(facts, of(yes), of(no))
        case Quantified("sum" | "mean", body, _, domain, where) if not contains(domain, v):
            return _over_set(facts, expression, body, domain, where, v)
    return _of_margin(facts, expression, v)


def negated(expression: Expression) -> Expression:
    """-expression, the sign inside sums, so that what was concave is seen to be convex."""
    match expression:
        case Apply("negate", (a,)):
            return a
        case Apply("+", (a, b)):
            return Apply("+", (negated(a), negated(b)))
        case Apply("-", (a, b)):
            return Apply("+", (negated(a), b))
        case Quantified("sum" | "mean", body):
            return replace(expression, body=negated(body))
    return Apply("negate", (expression,))


def multiple(facts: Facts, vector: Expression, v: Bound) -> Formula | None:
    """k of k v + w, for a vector w that does not depend on v."""
    if vector == v:
        return ONE
    if not contains(vector, v):
        return ZERO
    match vector:
        case Apply("+" | "-" as operator, (a, b)):
            left, right = multiple(facts, a, v), multiple(facts, b, v)
            if left is None or right is None:
                return None
            return left + right if operator == "+" else left - right
        case Apply("negate", (a,)):
            inner = multiple(facts, a, v)
            return None if inner is None else -inner
        case Apply("*", (a, b)) if not contains(a, v):
            return times_known(evaluate_number(facts, a), multiple(facts, b, v))
        case Apply("*", (a, b)) if not contains(b, v):
            return times_known(evaluate_number(facts, b), multiple(facts, a, v))
        case Apply("/", (a, b)) if not contains(b, v):
            return times_known(evaluate_number(facts, Apply("/", (UNIT, b))), multiple(facts, a, v))
    return None


def _is_two(facts: Facts, exponent: Expression) -> bool:
    return evaluate_number(facts, exponent) == number(2)


def _square_of_norm(facts: Facts, vector: Expression, v: Bound) -> Curve | None:
    k = multiple(facts, vector, v)
    return None if k is None else Curve(False, 2 * k * k, None, 2 * k * k, None, None)


def _product(facts: Facts, moving: Expression, fixed: Expression, v: Bound) -> Curve | None:
    k = multiple(facts, moving, v)
    if k is None:
        return None
    length = norm_bound(facts, fixed)
    return Curve(True, ZERO, times_known(size_of(facts, k), length), ZERO, frozenset({fixed}), NOWHERE)


def _sum(a: Curve | None, b: Curve | None) -> Curve | None:
    if a is None or b is None:
        return None
    return Curve(
        a.affine and b.affine,
        a.strong + b.strong,
        plus_known(a.lipschitz, b.lipschitz),
        plus_known(a.smoothness, b.smoothness),
        _both(a.depends_on, b.depends_on),
        _both(a.nonlinear_in, b.nonlinear_in),
    )


def _both(a: Directions, b: Directions) -> Directions:
    return None if a is None or b is None else a | b


def _times(facts: Facts, factor: Expression, curve: Curve | None) -> Curve | None:
    """A factor that does not depend on v; below 0 it turns a convex function into a concave one."""
    if curve is None:
        return None
    bounds = range_in(facts, factor)
    positive = bounds.low is not None and facts.sign(bounds.low) in (0, 1)
    if not positive and not curve.affine:
        return None
    size = magnitude(facts, bounds)
    return replace(
        curve,
        strong=bounds.low * curve.strong if positive and bounds.low is not None else ZERO,
        lipschitz=times_known(size, curve.lipschitz),
        smoothness=ZERO if curve.affine else times_known(size, curve.smoothness),
    )


def _largest(facts: Facts, curves: list[Curve | None]) -> Curve | None:
    """A maximum is convex, as strongly as all of its parts; it has kinks."""
    known = [curve for curve in curves if curve is not None]
    if len(known) < len(curves):
        return None
    directions: Directions = NOWHERE
    for curve in known:
        directions = _both(directions, curve.depends_on)
    lipschitz = greatest_known(facts, [curve.lipschitz for curve in known])
    return Curve(False, least(facts, tuple(c.strong for c in known)), lipschitz, None, directions, directions)


def _either(facts: Facts, yes: Curve | None, no: Curve | None) -> Curve | None:
    """One or the other, whatever v is."""
    if yes is None or no is None:
        return None
    joined = _largest(facts, [yes, no])
    if joined is None:
        return None
    return replace(
        joined,
        affine=yes.affine and no.affine,
        smoothness=greatest_known(facts, [yes.smoothness, no.smoothness]),
        nonlinear_in=_both(yes.nonlinear_in, no.nonlinear_in),
    )


def _log_of_sum(facts: Facts, inner: Expression, v: Bound) -> Curve | None:
    """log(c + exp(u) + exp(w) + ..) with c >= 0 constant and u, w affine: the gradient is a mean of theirs and of 0.

    How fast a mean's weights shift is the variance of what is averaged: at most a quarter of its diameter squared.
    """
    exponents: list[Curve] = []
    constant = False
    for part in _summands(inner):
        if not contains(part, v):
            low = range_in(facts, part).low
            if low is None or facts.sign(low) not in (0, 1):
                return None
            constant = True
            continue
        exponent = curve_of(facts, part.arguments[0], v) if _is_exponential(part) else None  # type: ignore[union-attr]
        if exponent is None or not exponent.affine:
            return None
        exponents.append(exponent)
    joined = _largest(facts, list(exponents))
    if joined is None or joined.lipschitz is None:
        return joined
    alone = len(exponents) == 1
    if alone and not constant:
        return exponents[0]
    diameter = joined.lipschitz if alone else 2 * joined.lipschitz
    return replace(joined, smoothness=diameter * diameter / 4)


def _is_exponential(part: Expression) -> bool:
    return isinstance(part, Apply) and part.operator == "exp"


def _summands(expression: Expression) -> Iterator[Expression]:
    match expression:
        case Apply("+", (a, b)):
            yield from _summands(a)
            yield from _summands(b)
        case _:
            yield expression


def _over_set(
    facts: Facts, whole: Quantified, body: Expression, domain: Expression, where: Expression | None, v: Bound
) -> Curve | None:
    if where is not None:
        if contains(where, v) or whole.operator == "mean":
            return None
        body = Choice(where, body, NOUGHT)
    each = curve_of(facts, body, v)
    if each is None:
        return None
    own = reads(body, whole.variable)
    spread = each
    if own:
        spread = replace(each, depends_on=None, nonlinear_in=NOWHERE if each.nonlinear_in == NOWHERE else None)
    if whole.operator == "mean":
        return spread
    size = _size(facts, domain)
    if size is None:
        return replace(spread, strong=ZERO, lipschitz=None, smoothness=ZERO if each.affine else None)
    return replace(
        spread,
        strong=size * each.strong,
        lipschitz=times_known(size, each.lipschitz),
        smoothness=times_known(size, each.smoothness),
    )


def _size(facts: Facts, domain: Expression) -> Formula | None:
    if isinstance(domain, Records):
        known = facts.program.size is not None and not facts.resized
        return evaluate_number(facts, facts.program.size) if known and facts.program.size is not None else None
    listed = evaluate(facts, domain)
    return number(len(listed)) if isinstance(listed, tuple) else None


MARGIN = Bound(Variable(0, "the margin"))  # the binders of a program are numbered from 1


def _of_margin(facts: Facts, expression: Expression, v: Bound) -> Curve | None:
    """A function of one number that is affine in v, quadratic in pieces."""
    for t in _margins(facts, expression, v):
        inner = curve_of(facts, t, v)
        of_margin = replaced(expression, t, MARGIN)
        pieces = None if contains(of_margin, v) else pieces_of(facts, of_margin, MARGIN)
        steepness = None if pieces is None else convex(facts, pieces)
        if inner is None or steepness is None:
            continue
        squared = times_known(inner.lipschitz, inner.lipschitz)
        return Curve(
            False,
            ZERO,
            times_known(steepness.slope, inner.lipschitz),
            times_known(steepness.smoothness, squared),
            inner.depends_on,
            inner.depends_on,
        )
    return None


def _margins(facts: Facts, expression: Expression, v: Bound) -> Iterator[Expression]:
    """Parts that are affine in v, the largest first, each once."""
    seen: set[Expression] = set()
    for part in walk(expression):
        if part in seen or part in (v, expression) or not contains(part, v):
            continue
        seen.add(part)
        match part:
            case Apply("+" | "-" | "*" | "/" | "negate" | "dot") | Index():
                inner = curve_of(facts, part, v)
                if inner is not None and inner.affine:
                    yield part
