"""Which expressions may have no value for some data: where one of two neighbours fails, an observer sees it.

An operation counts where it may fail on one side only: where it reads private data, or stands in a branch that private
data choose. What fails by public values alone fails on both sides. `infinite` says whether a value may be infinite,
which a comparison or `clip` takes, and a sum or product may not.
"""

from __future__ import annotations

from typing import assert_never

from seqlang.arithmetic.formula import Formula, enclose, number
from seqlang.model import expression as m
from seqlang.model.binding import reads
from seqlang.model.expression import Apply, Expression, Index
from seqlang.model.junctions import conjuncts
from seqlang.model.program import Cell, LastSteps
from seqlang.operators.groups import CONNECTIVES, EXTREMES, FOLDS, SUMS, TOTALS
from seqlang.record import replace
from seqlang.rules.sensitivity.facts.evaluate import Assignment, evaluate
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.facts.finite import law_values, table_of, values_of, variables
from seqlang.rules.sensitivity.facts.log_ratios import log_ratio
from seqlang.rules.sensitivity.facts.shapes import fewest_records, shape_of
from seqlang.rules.sensitivity.facts.value import Value, distinct
from seqlang.rules.sensitivity.ranges.aggregates import set_may_be_empty
from seqlang.rules.sensitivity.ranges.lengths import adds_up, is_element, is_position, length_is_private, lists_fit
from seqlang.rules.sensitivity.ranges.ranges import range_in, ratio_polynomial
from seqlang.rules.sensitivity.ranges.signs_under import not_negative, positive
from seqlang.rules.sensitivity.totality.known_value import FINITE, Known, Place, joined, lack, moves, reads_what_moves
from seqlang.rules.sensitivity.totality.total_operators import of_operator

LEAST_CHANCE = 1e-280
"""Far above the smallest float: a chance above it does not underflow."""


def known(place: Place, e: Expression) -> Known:
    """Whether an expression (`Facts.inlined`) certainly has a value, and whether that may be infinite."""
    found = _known(place, e)
    if found == FINITE:
        return found
    if found.trouble and place.always and not reads_what_moves(place, e) and not isinstance(e, m.Noised):
        # public values fail on both sides, or are infinite on both; what is noised inside may be private all the same
        noised = (node for node in m.walk(e) if isinstance(node, m.Noised))
        return Known(infinite=True, trouble=joined(known(place, node) for node in noised).trouble)
    return FINITE if _all_found(place, e) else found


def _all_found(place: Place, e: Expression) -> bool:
    """The leaves have finitely many values, and for all of them there is a finite value."""
    inner = replace(place, always=False, assumed=())
    answers = {node for node in m.walk(e) if isinstance(node, m.Noised)}
    if e in answers or any(known(inner, answer) != FINITE for answer in answers):
        return False  # an answer is listed as a leaf, whatever the value that it is about is computed from
    leaves = variables(place.facts, e)
    columns = None if leaves is None else [_values_of(place.facts, leaf) for leaf in leaves]
    table = None if leaves is None or columns is None else table_of(leaves, columns)
    return table is not None and all(_is_finite(place.facts, e, given) for given in table)


def _values_of(facts: Facts, leaf: Expression) -> tuple[Value, ...] | None:
    """All values of a leaf; also of a draw whose law reads the data, which may differ on the two sides."""
    if isinstance(leaf, m.Drawn) and leaf.name in facts.draws:
        return law_values(facts, facts.draws[leaf.name].law)
    return values_of(facts, leaf)


def _is_finite(facts: Facts, e: Expression, given: Assignment) -> bool:
    """Whether it has a finite value, which floating point finds as well: no probability in it underflows."""
    value = evaluate(facts, e, given)
    if value is None or (isinstance(value, Formula) and value.is_infinite):
        return False
    chances = [evaluate(facts, node, given) for node in m.walk(e) if isinstance(node, m.Density)]
    return all(isinstance(p, Formula) and _is_no_tiny_number(facts, p) for p in chances)


def _is_no_tiny_number(facts: Facts, chance: Formula) -> bool:
    return facts.sign(chance) == 0 or enclose(chance, facts.values).low >= LEAST_CHANCE


def _known(place: Place, e: Expression) -> Known:
    def of(inner: Expression) -> Known:
        return known(place, inner)

    match e:
        case (
            m.Number() | m.Truth() | m.Label() | m.ParameterValue() | m.StepNumber() | m.Field() | m.Records()
            | m.Local() | m.ReleasedValue() | m.Bound()
        ):  # fmt: skip
            return FINITE
        case m.MemoryValue(name) | m.Drawn(name) | m.Reported(name):
            return Known(infinite=name in place.infinite)
        case m.CellValue():
            return _cell(place, e)
        case m.Noised(_, base, terms):
            fits = lists_fit(place.facts, (base, *(term.factor for term in terms)), place.always)
            lacking = () if fits else (lack("attach", "may meet lists of different lengths", "sum over the records"),)
            return joined([of(base), *(of(term.factor) for term in terms), *lacking])
        case m.Choice(test, yes, no):
            branches = joined([known(place.below(test, True), yes), known(place.below(test, False), no)])
            return joined([Known(trouble=of(test).trouble), branches])
        case m.RealVectors():
            return Known(trouble=joined(of(part) for part in m.children(e)).trouble)
        case m.Index():
            return _element(place, e)
        case m.Sequence(_, items):
            return joined(of(item) for item in items)
        case m.Quantified():
            return _quantified(place, e)
        case m.Law() | m.Weights() | m.WeightsOf():
            return _law(place, e)
        case m.Density(method, law, at):
            inside = joined([of(law), of(at)])
            if method == "pdf" and not _has_density(place, law):
                return Known(trouble=inside.trouble or lack("pdf", "may be of a constant", "clip its spread").trouble)
            return replace(inside, infinite=False)
        case Apply():
            return _applied(place, e)
        case _:
            assert_never(e)


def _applied(place: Place, e: Apply) -> Known:
    if e.operator in CONNECTIVES:
        return _in_order(place, e)
    ratio = log_ratio(place.facts, e)
    if ratio is not None and ratio_polynomial(place.facts, e) is not None:
        at = known(place, ratio[1])  # of two densities at one place: it is computed from their logarithms
        return Known(trouble=at.trouble or (lack(e.operator, "may meet an infinite number", "clip it").trouble
                                            if at.infinite else ""))  # fmt: skip
    inside = [known(place, a) for a in e.arguments]
    own = of_operator(place, e, [part.infinite for part in inside])
    return Known(own.infinite, joined(inside).trouble or own.trouble)


def _in_order(place: Place, e: Apply) -> Known:
    """The next part is looked at only while nothing is decided."""
    trouble = ""
    for part in e.arguments:
        trouble = trouble or known(place, part).trouble
        place = place.below(part, e.operator == "and")
    return Known(trouble=trouble)


# ---- lists, folds, cells, laws


def _element(place: Place, e: Index) -> Known:
    inside = joined([known(place, e.base), known(place, e.at)])
    private = moves(place, e.at) or length_is_private(place.facts, e.base)
    if (private or not place.always) and not is_position(place.facts, e.base, e.at):
        return Known(inside.infinite, inside.trouble or "a position may lie outside of its list: clip it")
    return inside


def _quantified(place: Place, e: m.Quantified) -> Known:
    if isinstance(e.domain, m.RealVectors):
        return _minimiser(place, e, e.domain)
    domain = known(place, e.domain)
    inside = replace(place, always=place.always and not moves(place, e.domain))
    where = FINITE if e.where is None else known(inside, e.where)
    body = known(inside if e.where is None else inside.below(e.where, True), e.body)
    trouble = domain.trouble or where.trouble or body.trouble
    if domain.infinite:
        trouble = trouble or lack(e.operator, "may run over an infinite number", "clip it").trouble
    parts = e.body, e.where, e.domain
    if e.operator in SUMS and not adds_up(place.facts, shape_of(place.facts, e.body), parts, place.always):
        trouble = trouble or lack(e.operator, "may meet lists of different lengths", "sum over the records").trouble
    match e.operator:
        case "list" | "set":
            return Known(body.infinite, trouble)
        case "count":
            return Known(trouble=trouble)
        case _ if body.infinite:
            return Known(trouble=trouble or lack(e.operator, "may meet an infinite number", "clip it").trouble)
        case "sum":
            return Known(trouble=trouble)
        case "mean" | "max" | "min" | "argmax" | "argmin":
            maybe = set_may_be_empty(place.facts, e) or not place.always
            if maybe and not _certainly_some(place.facts, e):
                what = lack(e.operator, "may be of no element", "add an element that is always there")
                trouble = trouble or what.trouble
            return Known(trouble=trouble)
        case _:
            assert_never(e.operator)


def _minimiser(place: Place, e: m.Quantified, region: m.RealVectors) -> Known:
    """Over a region that is the same on both sides, an objective that is convex, and so continuous, has a minimiser in
    a ball; in all of R^d, if it is strongly convex. A public objective has one on both sides or on none."""
    from seqlang.rules.sensitivity.functions.convexity import curve_of, negated

    parts = [known(place, part) for part in (region, e.body, *(() if e.where is None else (e.where,)))]
    trouble = joined(parts).trouble
    if not trouble and any(moves(place, part) for part in m.children(region)):
        return lack(e.operator, "may be over a ball or vectors that depend on private data", "let these be constants")
    if not trouble and (moves(place, e.body) or not place.always):
        objective = e.body if e.operator == "argmin" else negated(e.body)
        curve = curve_of(place.facts, objective, m.Bound(e.variable))
        if curve is None or (region.radius is None and place.facts.sign(curve.strong) != 1):
            remedy = "let it be strongly convex, as by Lambda / 2 * dot(v, v)"
            return lack(e.operator, "may be of what has no smallest value", remedy)
    return Known(trouble=trouble)


def _certainly_some(facts: Facts, e: m.Quantified) -> bool:
    """More different elements than the condition leaves out: each `k != ..` leaves out one value at most, if the other
    side is one value for all k. Elements of a list are counted once where they may be equal."""
    variable = m.Bound(e.variable)
    for test in conjuncts(e.where):
        match test:
            case Apply("!=", (left, right)) if variable in (left, right):
                if reads(right if left == variable else left, e.variable):
                    return False
            case _:
                return False
    domain = evaluate(facts, e.domain)
    least = fewest_records(facts) if isinstance(e.domain, m.Records) else None
    if isinstance(domain, tuple):
        different = distinct(facts, domain)
        least = None if different is None else number(len(different))
    return least is not None and facts.sign(least - len(conjuncts(e.where))) == 1


def _cell(place: Place, e: m.CellValue) -> Known:
    """What the cell holds was computed where the cell stands; here it is read."""
    facts = place.facts
    cell = facts.cells.get(e.name)
    inside = joined(known(place, at) for at in e.at)
    if cell is None:
        return inside
    infinite = e.name in place.infinite
    for at, (_, domain) in zip(e.at, cell.binders, strict=True):
        if (moves(place, at) or not place.always) and not is_element(facts, domain, at):
            return Known(infinite, inside.trouble or "a position may lie outside of its set: clip it")
    if cell.operator in FOLDS - TOTALS - EXTREMES and not holds_a_step(place, cell):
        what = lack(cell.operator, "may be of no step", "let it be over steps in which no private condition is needed")
        return Known(infinite, inside.trouble or what.trouble)
    return Known(infinite, inside.trouble)


def holds_a_step(place: Place, cell: Cell) -> bool:
    """Whether a cell is over one step at least: always, or on both sides alike."""
    facts = place.facts
    deciders = [cell.where] if cell.where is not None else []
    if isinstance(cell.keep, LastSteps):
        low = range_in(facts, facts.expand(cell.keep.count)).low
        if low is None or facts.sign(low) != 1:
            deciders.append(cell.keep.count)
    return not deciders or (place.always and not any(moves(place, facts.expand(d)) for d in deciders))


def _law(place: Place, law: m.Law | m.Weights | m.WeightsOf) -> Known:
    values: list[Expression]
    listed: list[Expression]
    match law:
        case m.Weights(pairs):
            values, weights = [v for v, _ in pairs], [w for _, w in pairs]
            listed = weights
        case m.WeightsOf(value, weight, variable, domain, where):
            each = m.Quantified("list", weight, variable, domain, where)
            values, weights, listed = [replace(each, body=value)], [weight], [each]
            if (set_may_be_empty(place.facts, each) or not place.always) and not _certainly_some(place.facts, each):
                return lack("draw", "may be from no element", "add an element that is always there")
        case m.Law(family, arguments):
            inside = joined([*(known(place, a) for a in arguments), _arguments(place, law)])
            if inside.infinite and family != "point":
                return Known(trouble=inside.trouble or lack(family, "may have an infinite argument", "clip it").trouble)
            return inside
        case _:
            assert_never(law)
    chosen, beside = (joined(known(place, part) for part in parts) for parts in (values, listed))
    found = Known(chosen.infinite, chosen.trouble or beside.trouble)
    if not any(moves(place, part) for part in listed) and place.always:
        return found
    enough = all(not_negative(place.facts, place.assumed, w) for w in weights) and any(
        positive(place.facts, place.assumed, w) for w in weights
    )
    if beside.infinite or not enough:
        return Known(trouble=found.trouble or "the weights may not be numbers >= 0 with a positive sum: use `exp`")
    return found


def _has_density(place: Place, law: Expression) -> bool:
    """Whether it has one, or has none on both sides: a normal law without spread is a constant."""
    match law:
        case m.Choice(test, yes, no):
            return _has_density(place.below(test, True), yes) and _has_density(place.below(test, False), no)
        case m.Law("normal", (_, spread)):
            public = place.always and not moves(place, spread)
            return public or positive(place.facts, place.assumed, spread)
        case m.Law("point" | "conditioned" | "convolve" | "sum_of", _):
            return place.always and not moves(place, law)
    return True


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
        case "point", _:
            return FINITE
        case "sample", (_, chance) if not moves(place, chance):
            return FINITE  # of no element, too
        case "uniform", (m.Records(),):
            fewest = fewest_records(facts)
            if fewest is not None and facts.sign(fewest) == 1:
                return FINITE
        case "normal", (_, spread):
            if not_negative(facts, place.assumed, spread):
                return FINITE
        case _:
            pass
    return Known(trouble=f"`{law.family}` may have no law for some data: clip its arguments")
