"""Which operators and functions may have no value for some arguments that have one, and what keeps them from it."""

from __future__ import annotations

from seqlang.model.expression import Apply, Expression
from seqlang.operators.groups import SUMS
from seqlang.rules.sensitivity.facts.evaluate import evaluate_number
from seqlang.rules.sensitivity.facts.shape import element
from seqlang.rules.sensitivity.facts.shapes import shape_of
from seqlang.rules.sensitivity.facts.value import whole
from seqlang.rules.sensitivity.ranges.aggregates import may_be_empty
from seqlang.rules.sensitivity.ranges.lengths import COORDINATEWISE, adds_up, least_length, length_is_private, lists_fit
from seqlang.rules.sensitivity.ranges.ranges import range_in
from seqlang.rules.sensitivity.ranges.signs_under import not_negative, not_zero, positive
from seqlang.rules.sensitivity.totality.known_value import FINITE, INFINITE, Known, Place, lack


def of_operator(place: Place, e: Apply, infinite: list[bool]) -> Known:
    """What the operator itself does to arguments that have values; each may be infinite or not."""
    lists = e.arguments if e.operator in COORDINATEWISE or e.operator == "dot" else ()
    if not lists_fit(place.facts, lists, place.always) or not _adds_up(place, e):
        return lack(e.operator, "may meet lists of different lengths", "sum over the records")
    return _of_fitting(place, e, infinite)


def _of_fitting(place: Place, e: Apply, infinite: list[bool]) -> Known:
    facts, arguments, anywhere = place.facts, e.arguments, any(infinite)
    match e.operator:
        case ">=" | "<=" | "==" | "!=" | ">" | "<" | "not" | "length" | "count":
            return FINITE
        case "negate" | "abs" | "floor" | "ceil" | "exp":
            return Known(infinite=anywhere)
        case "+" | "-":
            if all(infinite):
                return lack(e.operator, "may meet two infinite numbers", "clip them")
            return Known(infinite=anywhere)
        case "*" | "dot" | "sum":
            if anywhere:
                return lack(e.operator, "may meet an infinite number", "clip it")
            return FINITE
        case "/":
            return _quotient(place, e, infinite)
        case "%":
            sure = not_zero(facts, place.assumed, arguments[1]) and not anywhere
            return FINITE if sure else lack("%", "may divide by 0", "keep the divisor away from 0")
        case "^":
            return _power(place, e, anywhere)
        case "log" | "log2":
            if positive(facts, place.assumed, arguments[0]):
                return Known(infinite=anywhere)
            sure = not_negative(facts, place.assumed, arguments[0])
            return INFINITE if sure else lack(e.operator, "may be of a number below 0", "clip it")
        case "log1p":
            low = range_in(facts, arguments[0]).low
            sure = low is not None and facts.sign(low + 1) == 1
            return Known(infinite=anywhere) if sure else lack("log1p", "may be of a number up to -1", "clip it")
        case "sqrt":
            sure = not_negative(facts, place.assumed, arguments[0])
            return Known(infinite=anywhere) if sure else lack("sqrt", "may be of a number below 0", "clip it")
        case "clip":
            return Known(infinite=infinite[1] or infinite[2])
        case "max" | "min" | "mean" | "argmax" | "argmin":
            if len(arguments) == 1 and _may_hold_nothing(place, arguments[0]):
                return lack(e.operator, "may be of no element", "add an element that is always there")
            if anywhere and len(arguments) == 1:
                return lack(e.operator, "may meet an infinite number", "clip it")
            return Known(infinite=anywhere)
        case "project" | "clip_norm" | "norm" | "sort":
            return lack(e.operator, "may meet an infinite number", "clip it") if anywhere else FINITE
        case "zeta":
            low = range_in(facts, arguments[0]).low
            sure = low is not None and facts.sign(low - 1) == 1
            return FINITE if sure else lack("zeta", "may have no finite value up to 1", "clip its argument")
        case ".." | "zeros":
            sure = all(range_in(facts, a).integer for a in arguments) and not anywhere
            return FINITE if sure else lack(e.operator, "needs whole numbers", "round with floor")
    return lack(e.operator, "is not known to have a value for all data", "leave it out")


def _adds_up(place: Place, e: Apply) -> bool:
    """Whether the elements of a list are added up that cannot be: lists of different lengths."""
    if e.operator not in SUMS:
        return True
    return adds_up(place.facts, element(shape_of(place.facts, e.arguments[0])), e.arguments, place.always)


def _quotient(place: Place, e: Apply, infinite: list[bool]) -> Known:
    facts, (over, under) = place.facts, e.arguments
    if infinite[1]:  # also what comes of an infinite number, as exp(log(0)) = 0
        return lack("/", "may divide by what comes of an infinite number", "clip that")
    if not_zero(facts, place.assumed, under):
        return Known(infinite=infinite[0])
    if not_zero(facts, place.assumed, over):
        return INFINITE
    return lack("/", "may be of 0 by 0", "keep the divisor away from 0, with `max` or `clip`")


def _power(place: Place, e: Apply, infinite: bool) -> Known:
    facts, (base, exponent) = place.facts, e.arguments
    if positive(facts, place.assumed, base):
        return Known(infinite=infinite)
    constant = evaluate_number(facts, exponent)
    if constant is not None and (whole(facts, constant) is not None or not_negative(facts, place.assumed, base)):
        return Known(infinite=infinite or facts.sign(constant) not in (0, 1))
    low = range_in(facts, exponent)
    if low.integer and low.low is not None and facts.sign(low.low) in (0, 1):
        return Known(infinite=infinite)
    return lack("^", "may be a root of a number below 0", "clip the base")


def _may_hold_nothing(place: Place, vector: Expression) -> bool:
    least = least_length(place.facts, vector)
    if least is not None and place.facts.sign(least) == 1:
        return False
    # a list that is empty by public values is empty on both sides
    return not place.always or may_be_empty(place.facts, vector) or length_is_private(place.facts, vector)
