"""Functions of one number that are quadratic between finitely many breaks: `if t > 1 then 0 else (1 - t)^2`.

Coefficients and breaks are formulas, in order at the program's parameter values.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from seqlang.arithmetic.formula import Formula
from seqlang.model.expression import Apply, Choice, Expression
from seqlang.operators.groups import MORE
from seqlang.record import record
from seqlang.rules.sensitivity.facts.ends import greatest, size_of
from seqlang.rules.sensitivity.facts.evaluate import evaluate_number
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.facts.numbers import NOUGHT, ONE, TWO, ZERO

Quadratic = tuple[Formula, Formula, Formula]
"""a, b, c of a t^2 + b t + c."""


@record
class Pieces:
    """`between[i]` holds from break i - 1 to break i; there is one more of them than breaks. One of `at[i]` holds at
    break i itself, where neither of its neighbours need hold: `if t > 1 then 0 else if t >= 1 then 5 else 0`."""

    breaks: tuple[Formula, ...]
    between: tuple[Quadratic, ...]
    at: tuple[tuple[Quadratic, ...], ...]


@record
class Steepness:
    """Of a convex function of t: the largest |slope| and, if the slope has no jumps, the largest slope of the slope.
    None: no bound."""

    slope: Formula | None
    smoothness: Formula | None


def pieces_of(facts: Facts, expression: Expression, t: Expression) -> Pieces | None:
    """The expression as a function of its part `t`; None if it is not of this form with constant coefficients."""
    if expression == t:
        return Pieces((), ((ZERO, ONE, ZERO),), ())
    value = evaluate_number(facts, expression)
    if value is not None:
        return Pieces((), ((ZERO, ZERO, value),), ())

    def of(inner: Expression) -> Pieces | None:
        return pieces_of(facts, inner, t)

    match expression:
        case Apply("negate", (a,)):
            return of(Apply("-", (NOUGHT, a)))
        case Apply("+" | "-" | "*" as operator, (a, b)):
            return _joined(facts, of(a), of(b), {"+": _plus, "-": _minus, "*": _times}[operator])
        case Apply("/", (a, b)):
            return _joined(facts, of(a), of(b), lambda p, q: _over(facts, p, q))
        case Apply("^", (a, exponent)) if evaluate_number(facts, exponent) == evaluate_number(facts, TWO):
            return _joined(facts, of(a), of(a), _times)
        case Apply("abs", (a,)):
            return of(Choice(Apply(">=", (a, NOUGHT)), a, Apply("-", (NOUGHT, a))))
        case Apply("max", (a, b)):
            return of(Choice(Apply(">=", (a, b)), a, b))
        case Apply("min", (a, b)):
            return of(Choice(Apply("<=", (a, b)), a, b))
        case Choice(Apply("not", (test,)), yes, no):
            return of(Choice(test, no, yes))
        case Choice(Apply("and", (first, *rest)), yes, no) if rest:
            return of(Choice(first, Choice(Apply("and", tuple(rest)), yes, no), no))
        case Choice(Apply("or", (first, *rest)), yes, no) if rest:
            return of(Choice(first, yes, Choice(Apply("or", tuple(rest)), yes, no)))
        case Choice(Apply("and" | "or", (only,)), yes, no):
            return of(Choice(only, yes, no))
        case Choice(Apply("<=" | "<", (Apply("abs", (a,)), limit)), yes, no):
            inside = Apply("and", (Apply("<=", (a, limit)), Apply(">=", (a, Apply("-", (NOUGHT, limit))))))
            return of(Choice(inside, yes, no))
        case Choice(Apply(">" | ">=" | "<" | "<=" as sense, (a, b)), yes, no):
            gap = _joined(facts, of(a), of(b), _minus)
            return None if gap is None else _split(facts, gap, sense in MORE, of(yes), of(no))
    return None


def convex(facts: Facts, pieces: Pieces) -> Steepness | None:
    """How steep it is, if it is convex for certain, else None."""
    if any(facts.sign(a) not in (0, 1) for a, _, _ in pieces.between):
        return None
    smooth = True
    for at, own, (left, right) in zip(pieces.breaks, pieces.at, pairwise(pieces.between), strict=True):
        if any(facts.compare(_at(left, at), _at(other, at)) != "equal" for other in (right, *own)):
            return None
        turn = facts.compare(_slope(left, at), _slope(right, at))
        if turn not in ("less", "equal"):
            return None
        smooth = smooth and turn == "equal"
    first, last = pieces.between[0], pieces.between[-1]
    slopes: Formula | None = None
    if facts.sign(first[0]) == 0 and facts.sign(last[0]) == 0:  # the slope rises from the one to the other
        slopes = greatest(facts, (size_of(facts, first[1]), size_of(facts, last[1])))
    return Steepness(slopes, greatest(facts, tuple(2 * a for a, _, _ in pieces.between)) if smooth else None)


def _at(p: Quadratic, t: Formula) -> Formula:
    return p[0] * t * t + p[1] * t + p[2]


def _slope(p: Quadratic, t: Formula) -> Formula:
    return 2 * p[0] * t + p[1]


def _plus(p: Quadratic, q: Quadratic) -> Quadratic | None:
    return p[0] + q[0], p[1] + q[1], p[2] + q[2]


def _minus(p: Quadratic, q: Quadratic) -> Quadratic | None:
    return p[0] - q[0], p[1] - q[1], p[2] - q[2]


def _times(p: Quadratic, q: Quadratic) -> Quadratic | None:
    higher = (p[0] * q[0], p[0] * q[1] + p[1] * q[0])
    if any(part != ZERO for part in higher):
        return None
    return p[0] * q[2] + p[1] * q[1] + p[2] * q[0], p[1] * q[2] + p[2] * q[1], p[2] * q[2]


def _over(facts: Facts, p: Quadratic, q: Quadratic) -> Quadratic | None:
    if q[0] != ZERO or q[1] != ZERO or facts.sign(q[2]) not in (1, -1):
        return None
    return p[0] / q[2], p[1] / q[2], p[2] / q[2]


def _joined(
    facts: Facts, a: Pieces | None, b: Pieces | None, join: Callable[[Quadratic, Quadratic], Quadratic | None]
) -> Pieces | None:
    """The two on their common breaks, joined piece by piece."""
    if a is None or b is None:
        return None
    breaks = _sorted(facts, (*a.breaks, *b.breaks))
    if breaks is None:
        return None
    left, right = _refined(facts, a, breaks), _refined(facts, b, breaks)
    between = [join(p, q) for p, q in zip(left.between, right.between, strict=True)]
    at = [[join(p, q) for p in ps for q in qs] for ps, qs in zip(left.at, right.at, strict=True)]
    if None in between or any(None in joined for joined in at):
        return None
    return Pieces(breaks, tuple(p for p in between if p is not None), tuple(_known(joined) for joined in at))


def _known(joined: list[Quadratic | None]) -> tuple[Quadratic, ...]:
    return tuple(dict.fromkeys(p for p in joined if p is not None))


def _sorted(facts: Facts, breaks: tuple[Formula, ...]) -> tuple[Formula, ...] | None:
    """Each once, in order; None if the order is not certain."""
    ordered: list[Formula] = []
    for at in breaks:
        place = 0
        for other in ordered:
            relation = facts.compare(at, other)
            if relation is None:
                return None
            if relation == "equal":
                break
            place += relation == "greater"
        else:
            ordered.insert(place, at)
    return tuple(ordered)


def _refined(facts: Facts, pieces: Pieces, breaks: tuple[Formula, ...]) -> Pieces:
    """The same on finer breaks (which hold all of its own)."""
    place, between, at_breaks = 0, [pieces.between[0]], list[tuple[Quadratic, ...]]()
    for at in breaks:
        if place < len(pieces.breaks) and facts.compare(pieces.breaks[place], at) == "equal":
            at_breaks.append(pieces.at[place])
            place += 1
        else:
            at_breaks.append((pieces.between[place],))
        between.append(pieces.between[place])
    return Pieces(breaks, tuple(between), tuple(at_breaks))


def _split(facts: Facts, gap: Pieces, upward: bool, yes: Pieces | None, no: Pieces | None) -> Pieces | None:
    """`yes` where the gap is above 0 (below it, if not `upward`), else `no`. At the break itself either may hold:
    what is asked later is whether all agree there."""
    if len(gap.between) != 1 or gap.between[0][0] != ZERO or yes is None or no is None:
        return None
    _, slope, start = gap.between[0]
    turn = facts.sign(slope)
    if turn not in (1, -1):
        return None
    at = -start / slope
    breaks = _sorted(facts, (*yes.breaks, *no.breaks, at))
    if breaks is None:
        return None
    first, second = (no, yes) if (turn == 1) == upward else (yes, no)
    place = next(i for i, b in enumerate(breaks) if facts.compare(b, at) == "equal")
    low, high = _refined(facts, first, breaks), _refined(facts, second, breaks)
    here = tuple(dict.fromkeys((*low.at[place], *high.at[place])))
    return Pieces(
        breaks,
        (*low.between[: place + 1], *high.between[place + 1 :]),
        (*low.at[:place], here, *high.at[place + 1 :]),
    )
