"""Which expressions may have no value for some data: where one of two neighbours fails, an observer sees it.

An operation counts where it may fail on one side only: where it reads private data, or stands in a branch that private
data choose. What fails by public values alone fails on both sides. `infinite` says whether a value may be infinite,
which a comparison or `clip` takes, and a sum or product may not.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from seqlang.model import expression as m
from seqlang.model.expression import Apply, Expression, Index
from seqlang.record import record, replace
from seqlang.rules.sensitivity.aggregates import may_be_empty, set_may_be_empty
from seqlang.rules.sensitivity.evaluate import evaluate, evaluate_number, whole
from seqlang.rules.sensitivity.facts import Facts
from seqlang.rules.sensitivity.finite import assignments
from seqlang.rules.sensitivity.lengths import is_position, length_is_private
from seqlang.rules.sensitivity.linear import flips
from seqlang.rules.sensitivity.ranges import range_in, ratio_polynomial
from seqlang.rules.sensitivity.signs_under import Assumed, not_negative, not_zero, positive


@record
class Known:
    """`infinite`: the value may be infinite. `trouble`: which operation may have no value, and the remedy ("": none)."""

    infinite: bool = False
    trouble: str = ""


FINITE = Known()
INFINITE = Known(infinite=True)


@record
class Place:
    """Where an expression stands. `always`: it is evaluated for the same public values on both sides; else private data
    decide whether it is evaluated at all. `assumed` holds there. `infinite` are the cells and memories that may hold an
    infinite number, `shown` the noises of values that are released: what is done to those afterwards is public."""

    facts: Facts
    infinite: frozenset[str] = frozenset()
    shown: frozenset[str] = frozenset()
    always: bool = True
    assumed: Assumed = ()

    def below(self, test: Expression, holds: bool) -> Place:
        """Inside of a branch that is taken where the test comes out so."""
        return replace(
            self, always=self.always and not moves(self, test), assumed=(*self.assumed, (test, holds))
        )  # fmt: skip


def moves(place: Place, e: Expression) -> bool:
    """Whether the value may differ between neighbours that have shown the same so far."""
    if isinstance(e, m.Noised) and not flips(place.facts, e) and all(t.noise in place.shown for t in e.terms):
        return False
    if isinstance(e, Apply) and e.operator == "length":
        return length_is_private(place.facts, e.arguments[0])
    if isinstance(e, m.CellValue | m.Drawn | m.Field | m.Local | m.Records):
        return place.facts.is_private(e) or (isinstance(e, m.CellValue) and any(moves(place, at) for at in e.at))
    return any(moves(place, child) for child in m.children(e))


def known(place: Place, e: Expression) -> Known:
    """Whether an expanded expression certainly has a value, and whether that may be infinite."""
    found = _known(place, e)
    if not found.trouble:
        return found
    if place.always and not moves(place, e) and not isinstance(e, m.Noised):
        # public values fail on both sides; what is noised inside may be private all the same
        noised = (node for node in m.walk(e) if isinstance(node, m.Noised))
        return replace(found, trouble=joined(known(place, node) for node in noised).trouble)
    return FINITE if _all_found(place.facts, e) else found


def _all_found(facts: Facts, e: Expression) -> bool:
    """The leaves have finitely many values, and for all of them there is a finite value."""
    table = assignments(facts, e)
    return table is not None and all(evaluate(facts, e, given) is not None for given in table)


def joined(parts: Iterable[Known]) -> Known:
    listed = list(parts)
    return Known(any(k.infinite for k in listed), next((k.trouble for k in listed if k.trouble), ""))


def _known(place: Place, e: Expression) -> Known:
    def of(inner: Expression) -> Known:
        return known(place, inner)

    match e:
        case (
            m.Number() | m.Truth() | m.Label() | m.ParameterValue() | m.StepNumber() | m.Field() | m.Records()
            | m.Local() | m.Reported() | m.Drawn() | m.ReleasedValue() | m.Bound() | m.RealVectors()
        ):  # fmt: skip
            return FINITE
        case m.MemoryValue(name):
            return Known(infinite=name in place.infinite)
        case m.CellValue():
            return _cell(place, e)
        case m.Noised(_, base, terms):
            return joined([of(base), *(of(term.factor) for term in terms)])
        case m.Choice(test, yes, no):
            branches = joined([known(place.below(test, True), yes), known(place.below(test, False), no)])
            return joined([Known(trouble=of(test).trouble), branches])
        case m.Index():
            return _element(place, e)
        case m.Sequence(_, items):
            return joined(of(item) for item in items)
        case m.Quantified():
            return _quantified(place, e)
        case m.Law() | m.Weights() | m.WeightsOf():
            return _law(place, e)
        case m.Density(_, law, at):
            inside = joined([of(law), of(at)])
            return replace(inside, infinite=False)
        case Apply():
            return _applied(place, e)
        case _:
            assert_never(e)


# ---- operators


def _applied(place: Place, e: Apply) -> Known:
    if e.operator in ("and", "or"):
        return _in_order(place, e)
    if e.operator in ("log", "log2") and ratio_polynomial(place.facts, e) is not None:
        return FINITE  # of two densities: it is computed from their logarithms
    inside = [known(place, a) for a in e.arguments]
    own = _own(place, e, [part.infinite for part in inside])
    return Known(own.infinite, joined(inside).trouble or own.trouble)


def _in_order(place: Place, e: Apply) -> Known:
    """The next part is looked at only while nothing is decided."""
    trouble = ""
    for part in e.arguments:
        trouble = trouble or known(place, part).trouble
        place = place.below(part, e.operator == "and")
    return Known(trouble=trouble)


def _own(place: Place, e: Apply, infinite: list[bool]) -> Known:
    """What the operator itself does to arguments that have values; each may be infinite or not."""
    facts, arguments, anywhere = place.facts, e.arguments, any(infinite)
    match e.operator:
        case ">=" | "<=" | "==" | "!=" | ">" | "<" | "not" | "length" | "count":
            return FINITE
        case "negate" | "abs" | "floor" | "ceil" | "exp" | "norm":
            return Known(infinite=anywhere)
        case "+" | "-":
            if all(infinite):
                return _lack(e.operator, "may meet two infinite numbers", "clip them")
            return _of_one_length(place, e, anywhere)
        case "*" | "dot" | "sum":
            if anywhere:
                return _lack(e.operator, "may meet an infinite number", "clip it")
            return _of_one_length(place, e, False) if len(arguments) == 2 else FINITE
        case "/":
            return _quotient(place, e, infinite)
        case "%":
            sure = not_zero(facts, place.assumed, arguments[1]) and not anywhere
            return FINITE if sure else _lack("%", "may divide by 0", "keep the divisor away from 0")
        case "^":
            return _power(place, e, anywhere)
        case "log" | "log2":
            if positive(facts, place.assumed, arguments[0]):
                return Known(infinite=anywhere)
            sure = not_negative(facts, place.assumed, arguments[0])
            return INFINITE if sure else _lack(e.operator, "may be of a number below 0", "clip it")
        case "sqrt":
            sure = not_negative(facts, place.assumed, arguments[0])
            return Known(infinite=anywhere) if sure else _lack("sqrt", "may be of a number below 0", "clip it")
        case "clip":
            return Known(infinite=infinite[1] or infinite[2])
        case "max" | "min" | "mean" | "argmax" | "argmin":
            if len(arguments) == 1 and _may_hold_nothing(place, arguments[0]):
                return _lack(e.operator, "may be of no element", "add an element that is always there")
            return Known(infinite=anywhere and e.operator in ("max", "min", "mean"))
        case "project" | "clip_norm":
            sure = not_negative(facts, place.assumed, arguments[1]) and not anywhere
            return FINITE if sure else _lack(e.operator, "may have a radius below 0", "clip the radius")
        case "zeta":
            low = range_in(facts, arguments[0]).low
            sure = low is not None and facts.sign(low - 1) == 1
            return FINITE if sure else _lack("zeta", "may have no finite value up to 1", "clip its argument")
        case ".." | "zeros":
            sure = all(range_in(facts, a).integer for a in arguments) and not anywhere
            return FINITE if sure else _lack(e.operator, "needs whole numbers", "round with floor")
    return _lack(e.operator, "is not known to have a value for all data", "leave it out")


def _lack(operator: str, what: str, remedy: str) -> Known:
    return Known(trouble=f"`{operator}` {what}, and then has no value: {remedy}")


def _of_one_length(place: Place, e: Apply, infinite: bool) -> Known:
    """Vectors are met coordinate by coordinate; where records come or go their lengths may differ."""
    private = [length_is_private(place.facts, a) for a in e.arguments]
    if any(private) and not all(private):
        from seqlang.rules.sensitivity.vectors import is_vector

        if all(is_vector(place.facts, a) for a in e.arguments):
            return _lack(e.operator, "may meet lists of different lengths", "sum over the records")
    return Known(infinite=infinite)


def _quotient(place: Place, e: Apply, infinite: list[bool]) -> Known:
    facts, (over, under) = place.facts, e.arguments
    if all(infinite):
        return _lack("/", "may meet two infinite numbers", "clip them")
    if not_zero(facts, place.assumed, under):
        return _of_one_length(place, e, infinite[0])
    if not_zero(facts, place.assumed, over):
        return INFINITE
    return _lack("/", "may be of 0 by 0", "keep the divisor away from 0, with `max` or `clip`")


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
    return _lack("^", "may be a root of a number below 0", "clip the base")


# ---- lists, folds, cells, laws


def _may_hold_nothing(place: Place, vector: Expression) -> bool:
    if may_be_empty(place.facts, vector):
        return True
    if place.always:
        return False  # a list that is empty by public values is empty on both sides
    from seqlang.rules.sensitivity.vectors import dimension

    size = dimension(place.facts, vector)
    return size is None or place.facts.sign(size) != 1


def _element(place: Place, e: Index) -> Known:
    inside = joined([known(place, e.base), known(place, e.at)])
    private = moves(place, e.at) or length_is_private(place.facts, e.base)
    if (private or not place.always) and not is_position(place.facts, e.base, e.at):
        return Known(inside.infinite, inside.trouble or "a position may lie outside of its list: clip it")
    return inside


def _quantified(place: Place, e: m.Quantified) -> Known:
    if isinstance(e.domain, m.RealVectors):
        return FINITE  # a minimiser: `objective` of the rules says when there is one
    domain = known(place, e.domain)
    inside = replace(place, always=place.always and not moves(place, e.domain))
    where = FINITE if e.where is None else known(inside, e.where)
    body = known(inside if e.where is None else inside.below(e.where, True), e.body)
    trouble = domain.trouble or where.trouble or body.trouble
    match e.operator:
        case "list" | "set":
            return Known(body.infinite, trouble)
        case "count":
            return Known(trouble=trouble)
        case "sum":
            return Known(trouble=trouble or (_lack("sum", "may meet an infinite number", "clip it").trouble
                                             if body.infinite else ""))  # fmt: skip
        case "mean" | "max" | "min" | "argmax" | "argmin":
            if set_may_be_empty(place.facts, e) or not (place.always or _certainly_some(place.facts, e)):
                what = _lack(e.operator, "may be of no element", "add an element that is always there")
                trouble = trouble or what.trouble
            return Known(body.infinite, trouble)
        case _:
            assert_never(e.operator)


def _certainly_some(facts: Facts, e: m.Quantified) -> bool:
    domain = evaluate(facts, e.domain)
    return e.where is None and isinstance(domain, tuple) and len(domain) > 0


def _cell(place: Place, e: m.CellValue) -> Known:
    """What the cell holds was computed where the cell stands; here it is read."""
    facts = place.facts
    cell = facts.cells.get(e.name)
    inside = joined(known(place, at) for at in e.at)
    if cell is None:
        return inside
    infinite = e.name in place.infinite
    for at, (_, domain) in zip(e.at, cell.binders, strict=True):
        if (moves(place, at) or not place.always) and not is_position(facts, domain, at):
            return Known(infinite, inside.trouble or "a position may lie outside of its set: clip it")
    if cell.operator in ("mean", "argmax", "argmin") and not holds_a_step(place, cell):
        what = _lack(cell.operator, "may be of no step", "let it be over steps in which no private condition is needed")
        return Known(infinite, inside.trouble or what.trouble)
    return Known(infinite, inside.trouble)


def holds_a_step(place: Place, cell: object) -> bool:
    """Whether a cell is over one step at least: always, or on both sides alike."""
    from seqlang.model.program import Cell, LastSteps

    assert isinstance(cell, Cell)
    facts = place.facts
    deciders = [cell.where] if cell.where is not None else []
    if isinstance(cell.keep, LastSteps):
        low = range_in(facts, facts.expand(cell.keep.count)).low
        if low is None or facts.sign(low) != 1:
            deciders.append(cell.keep.count)
    return not deciders or (place.always and not any(moves(place, facts.expand(d)) for d in deciders))


def _law(place: Place, law: m.Law | m.Weights | m.WeightsOf) -> Known:
    match law:
        case m.Weights(pairs):
            values, weights = [v for v, _ in pairs], [w for _, w in pairs]
            inside = joined(known(place, v) for v in (*values, *weights))
        case m.WeightsOf(value, weight, _, domain, where):
            values, weights = [value], [weight]
            inside = joined(known(place, v) for v in (value, weight, domain, *(() if where is None else (where,))))
        case m.Law(_, arguments):
            return joined([*(known(place, a) for a in arguments), _arguments(place, law)])
        case _:
            assert_never(law)
    if not any(moves(place, w) for w in weights) and place.always:
        return replace(inside, infinite=False)
    enough = all(not_negative(place.facts, place.assumed, w) for w in weights) and any(
        positive(place.facts, place.assumed, w) for w in weights
    )
    if inside.infinite or not enough:
        return Known(trouble=inside.trouble or "the weights may not be numbers >= 0 with a positive sum: use `exp`")
    return inside


def _arguments(place: Place, law: m.Law) -> Known:
    """Private arguments of a law: a chance must be one, a scale positive."""
    facts, arguments = place.facts, law.arguments
    if place.always and not any(moves(place, a) for a in arguments):
        return FINITE
    match law.family, arguments:
        case "bernoulli", (chance,):
            r = range_in(facts, chance)
            if not_negative(facts, place.assumed, chance) and r.high is not None and facts.sign(r.high - 1) in (0, -1):
                return FINITE
        case "point" | "conditioned" | "uniform", _:
            if law.family == "point":
                return FINITE
        case "normal", (_, spread):
            if not_negative(facts, place.assumed, spread):
                return FINITE
        case _:
            pass
    return Known(trouble=f"`{law.family}` may have no law for some data: clip its arguments")
