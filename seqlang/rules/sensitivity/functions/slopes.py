"""How an expression depends on one of its parts while all else is fixed: the direction, and the Lipschitz slopes.

A recursion whose slope in its own last value stays within [0, 1] keeps a difference's sign and never lets it grow.
"""

from __future__ import annotations

from seqlang.arithmetic.formula import Formula
from seqlang.model.expression import Apply, Choice, Expression, Noised, Quantified, children
from seqlang.rules.sensitivity.facts.ends import greatest, least
from seqlang.rules.sensitivity.facts.evaluate import evaluate_number
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.facts.linear import flips
from seqlang.rules.sensitivity.facts.numbers import ONE, UNIT, ZERO
from seqlang.rules.sensitivity.facts.real_functions import real_function
from seqlang.rules.sensitivity.ranges.function_ranges import directions, values_over
from seqlang.rules.sensitivity.ranges.range import Range
from seqlang.rules.sensitivity.ranges.ranges import range_in, ratio_polynomial

Slopes = tuple[Formula, Formula]
FLAT: Slopes = (ZERO, ZERO)


def contains(expression: Expression, part: Expression) -> bool:
    return expression == part or any(contains(child, part) for child in children(expression))


def slopes(facts: Facts, expression: Expression, part: Expression) -> Slopes | None:
    """(lowest, highest) difference quotient of the expression in the part, for every value of everything else.

    None: not continuous, or no bound is known.
    """
    if expression == part:
        return ONE, ONE
    if not contains(expression, part):
        return FLAT
    match expression:
        case Apply("+", (a, b)):
            return _added(slopes(facts, a, part), slopes(facts, b, part), 1)
        case Apply("-", (a, b)):
            return _added(slopes(facts, a, part), slopes(facts, b, part), -1)
        case Apply("negate", (a,)):
            return _added(FLAT, slopes(facts, a, part), -1)
        case Apply("*", (a, b)) if not contains(a, part):
            return _times(facts, a, slopes(facts, b, part))
        case Apply("*", (a, b)) if not contains(b, part):
            return _times(facts, b, slopes(facts, a, part))
        case Apply("/", (a, b)) if not contains(b, part):
            return _times(facts, Apply("/", (UNIT, b)), slopes(facts, a, part))
        case Apply("max" | "min", arguments) if len(arguments) > 1:
            return _hull(facts, [slopes(facts, argument, part) for argument in arguments])
        case Apply("clip", (a, low, high)) if not contains(low, part) and not contains(high, part):
            return _hull(facts, [slopes(facts, a, part), FLAT])
        case Apply(operator, (a,)) if (real := real_function(operator)) is not None and real.slope is not None:
            return _product(facts, values_over(facts, real.slope, range_in(facts, a)), slopes(facts, a, part))
        case Choice(test, yes, no) if not contains(test, part):
            return _hull(facts, [slopes(facts, yes, part), slopes(facts, no, part)])
        case Noised(_, base, _) if not flips(facts, expression):
            return slopes(facts, base, part)
    return None


def _added(a: Slopes | None, b: Slopes | None, sign: int) -> Slopes | None:
    if a is None or b is None:
        return None
    return (a[0] + b[0], a[1] + b[1]) if sign == 1 else (a[0] - b[1], a[1] - b[0])


def _times(facts: Facts, factor: Expression, inner: Slopes | None) -> Slopes | None:
    return _product(facts, range_in(facts, factor), inner)


def _product(facts: Facts, bounds: Range, inner: Slopes | None) -> Slopes | None:
    if inner is None or bounds.low is None or bounds.high is None:
        return None
    ends = tuple(x * y for x in (bounds.low, bounds.high) for y in inner)
    return least(facts, ends), greatest(facts, ends)


def _hull(facts: Facts, parts: list[Slopes | None]) -> Slopes | None:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return least(facts, tuple(low for low, _ in known)), greatest(facts, tuple(high for _, high in known))


def direction(facts: Facts, expression: Expression, part: Expression) -> int | None:
    """1 if the expression never falls when the part rises, -1 if it never rises, 0 if it does not depend on it.

    Everything else is fixed. None: not known.
    """
    if expression == part:
        return 1
    if not contains(expression, part):
        return 0

    def of(inner: Expression) -> int | None:
        return direction(facts, inner, part)

    polynomial = ratio_polynomial(facts, expression)
    if polynomial is not None:
        return of(polynomial)
    match expression:
        case Apply(operator, arguments) if signs := directions(operator, len(arguments)):
            return _common([of(a) if sign == 1 else _turned(of(a)) for a, sign in zip(arguments, signs, strict=True)])
        case Apply("*", (a, b)) if not contains(a, part):
            return _signed(facts, a, of(b))
        case Apply("*" | "/", (a, b)) if not contains(b, part):
            return _signed(facts, b, of(a))
        case Apply("abs", (a,)):
            return _signed(facts, a, of(a))
        case Apply("^", (a, b)) if not contains(b, part):
            exponent, base = evaluate_number(facts, b), range_in(facts, a)
            known = exponent is not None and base.low is not None and facts.sign(base.low) in (0, 1)
            return _signed(facts, b, of(a)) if known else None
        case Choice(test, yes, no) if not contains(test, part):
            return _common([of(yes), of(no)])
        case Choice(test, yes, no) if not contains(yes, part) and not contains(no, part):
            return _switched(facts, of(test), yes, no)
        case Noised(_, base, _) if not flips(facts, expression):
            return of(base)
        case Quantified("sum" | "mean" | "max" | "min", body, _, domain, None) if not contains(domain, part):
            return of(body)
    return None


def _common(directions: list[int | None]) -> int | None:
    moving = {d for d in directions if d != 0}
    return 0 if not moving else moving.pop() if len(moving) == 1 else None


def _turned(d: int | None) -> int | None:
    return None if d is None else -d


def _signed(facts: Facts, factor: Expression, d: int | None) -> int | None:
    bounds = range_in(facts, factor)
    if d is None:
        return None
    if bounds.low is not None and facts.sign(bounds.low) in (0, 1):
        return d
    if bounds.high is not None and facts.sign(bounds.high) in (0, -1):
        return -d
    return None


def _switched(facts: Facts, d: int | None, yes: Expression, no: Expression) -> int | None:
    up, down = evaluate_number(facts, yes), evaluate_number(facts, no)
    if d is None or up is None or down is None:
        return None
    relation = facts.compare(up, down)
    return {"greater": d, "equal": 0, "less": -d}[relation] if relation is not None else None
