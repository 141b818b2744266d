"""How far the minimiser of a strongly convex function moves when the data changes.

Let F and F' be m-strongly convex on a convex closed set, with minimisers u and u', and let F' - F be g-Lipschitz. Then
|u - u'| <= g/m. Proof: strong convexity at the minimum gives F(u') >= F(u) + m/2 |u - u'|^2 and the same for F'; added:
(F' - F)(u) - (F' - F)(u') >= m |u - u'|^2, and the left side is at most g |u - u'|. No derivative is needed, and the
set may be all of R^d or a ball. Chaudhuri, Monteleoni & Sarwate 2011, Lemma 7 and Corollary 8, ask for derivatives.
"""

from __future__ import annotations

from collections.abc import Callable

from seqlang.arithmetic.formula import Formula, number, root
from seqlang.model.expression import Apply, Bound, Choice, Expression, Quantified, RealVectors
from seqlang.rules.sensitivity.facts.ends import greatest_known, size_of, times_known
from seqlang.rules.sensitivity.facts.evaluate import evaluate, evaluate_number
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.facts.numbers import NOUGHT, UNIT, ZERO
from seqlang.rules.sensitivity.functions.convexity import curve_of, multiple, negated
from seqlang.rules.sensitivity.functions.slopes import contains
from seqlang.rules.sensitivity.motion.motion import Motion, unbounded
from seqlang.rules.sensitivity.motion.records import changed_parts, is_index_set, names_record, one_record
from seqlang.rules.sensitivity.motion.shift import Kind
from seqlang.rules.sensitivity.motion.spreads import Entry, Norms, vector_spread
from seqlang.rules.sensitivity.ranges.arithmetic import magnitude
from seqlang.rules.sensitivity.ranges.ranges import range_in

MotionOf = Callable[[Entry, Expression], Motion]


def minimiser_motion(entry: Entry, expression: Expression, motion_of: MotionOf) -> Motion | None:
    """The motion of `argmin(F for v in real ^ d)` or over a ball; None if the expression is something else."""
    match expression:
        case Quantified("argmin" | "argmax" as operator, body, variable, RealVectors(dimension, radius), None):
            if entry.moves(dimension) or (radius is not None and entry.moves(radius)):
                return unbounded("over what is minimised depends on the data")
            objective = body if operator == "argmin" else negated(body)
            return _minimiser(entry, objective, Bound(variable), evaluate_number(entry.facts, dimension), motion_of)
    return None


def _minimiser(entry: Entry, objective: Expression, v: Bound, size: Formula | None, motion_of: MotionOf) -> Motion:
    facts = entry.facts
    curve = curve_of(facts, objective, v)
    if curve is None:
        return unbounded("what is minimised is not known to be convex")
    if facts.sign(curve.strong) != 1:
        return unbounded("what is minimised is not known to be strongly convex: add Lambda / 2 * dot(v, v)")
    lipschitz = difference(entry, objective, v, motion_of)
    if lipschitz is None:
        return unbounded("how steep one entry's part of what is minimised can be is not known")
    radius = lipschitz / curve.strong
    kind: Kind = "single step" if entry.near.single and entry.is_local(objective) else "arbitrary"
    return Motion(kind, radius, Norms(None if size is None else root(size) * radius, radius, radius))


def difference(entry: Entry, expression: Expression, v: Bound, motion_of: MotionOf) -> Formula | None:
    """A Lipschitz constant, as a function of v, of the expression on one side less the same on the other side."""
    facts = entry.facts
    if not entry.moves(expression) or not contains(expression, v):
        return ZERO

    def of(inner: Expression) -> Formula | None:
        return difference(entry, inner, v, motion_of)

    match expression:
        case Apply("+" | "-", (a, b)):
            left, right = of(a), of(b)
            return None if left is None or right is None else left + right
        case Apply("negate", (a,)):
            return of(a)
        case Apply("*", (a, b)) if not contains(a, v) and not entry.moves(a):
            return times_known(magnitude(facts, range_in(facts, a)), of(b))
        case Apply("*", (a, b)) if not contains(b, v) and not entry.moves(b):
            return times_known(magnitude(facts, range_in(facts, b)), of(a))
        case Apply("/", (a, b)) if not contains(b, v) and not entry.moves(b):
            return times_known(magnitude(facts, range_in(facts, Apply("/", (UNIT, b)))), of(a))
        case Choice(test, yes, no) if not contains(test, v) and not entry.moves(test):
            return greatest_known(facts, [of(yes), of(no)])
        case Apply("dot", (a, b)) if not contains(b, v):
            return _product(entry, multiple(facts, a, v), b, motion_of)
        case Apply("dot", (a, b)) if not contains(a, v):
            return _product(entry, multiple(facts, b, v), a, motion_of)
        case Quantified("sum" | "mean" as operator, body, variable, domain, where) if is_index_set(facts, domain):
            if isinstance(domain, Apply) and not names_record(facts, (body, where), variable):
                return _over_constants(entry, expression, v, motion_of)
            one = one_record(entry, body, variable)
            kept = None if where is None else one_record(entry, where, variable)
            if one is None or (where is not None and kept is None):
                return _twice(facts, expression, v)
            factor = _records(entry, operator, one, kept, domain, v)
            part = one if kept is None else Choice(kept, one, NOUGHT)
            return None if factor is None else times_known(factor, difference(entry, part, v, motion_of))
    # whatever it is a function of: its Lipschitz constant is at most so much on either side
    return _twice(facts, expression, v)


def _over_constants(entry: Entry, fold: Quantified, v: Bound, motion_of: MotionOf) -> Formula | None:
    """A sum (mean) over a constant set that numbers no records: every term of it may change."""
    if fold.where is not None and fold.operator == "mean":
        return None
    part = fold.body if fold.where is None else Choice(fold.where, fold.body, NOUGHT)
    each = difference(entry, part, v, motion_of)
    if fold.operator == "mean":
        return each
    listed = evaluate(entry.facts, fold.domain)
    return times_known(number(len(listed)), each) if isinstance(listed, tuple) else None


def _records(
    entry: Entry, operator: str, part: Expression, where: Expression | None, domain: Expression, v: Bound
) -> Formula | None:
    """How many parts of the fold change; all other records add the same on both sides. None: not known."""
    if entry.near.resized or (where is not None and (operator == "mean" or contains(where, v))):
        return None
    if not entry.is_local(part) or (where is not None and not entry.is_local(where)):
        return None
    return changed_parts(entry, operator, domain)


def _product(entry: Entry, k: Formula | None, vector: Expression, motion_of: MotionOf) -> Formula | None:
    """<k v, vector>: as steep as far as the vector moves."""
    if k is None:
        return None
    if entry.is_local(vector):
        return times_known(size_of(entry.facts, k), vector_spread(entry, vector).l2)
    moved = motion_of(entry, vector)
    if moved.kind == "unbounded" or moved.norms is None:
        return None
    return times_known(size_of(entry.facts, k), moved.norms.l2)


def _twice(facts: Facts, expression: Expression, v: Bound) -> Formula | None:
    curve = curve_of(facts, expression, v)
    return None if curve is None or curve.lipschitz is None else 2 * curve.lipschitz
