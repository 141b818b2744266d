"""Claims on operating characteristics: error rates, expected steps, whether it stops. This is the only place that
decides them.

A claim is proved or refuted by enclosures alone. These are intervals that hold the true values of both sides: by finite
sums with their rounding error, by panels for the noises that persist, and by a named theorem where a bound reaches
beyond what was summed. Where only an estimate separates the two sides, the claim is `computed`: it seems to hold, or to
fail.
"""

from __future__ import annotations

from math import inf

from seqlang.analyses.operating.almost_surely import surely_stops
from seqlang.analyses.operating.failing_steps import may_fail
from seqlang.analyses.operating.laws import Laws
from seqlang.analyses.operating.quantities import Interval, Open
from seqlang.arithmetic.enclosure import Enclosure
from seqlang.arithmetic.estimate import Estimate
from seqlang.model import expression as e
from seqlang.model.program import Claim, Program
from seqlang.operators.groups import MORE, STRICT
from seqlang.proof.verdict import VerdictWord
from seqlang.record import record

PANELS = (64, 1_000, 10_000)
"""Panels for the noises that persist: more where fewer leave the claim open."""
NARROWER = 40.0
"""How many times narrower the next number of panels makes an interval at most."""


@record
class Decision:
    """What the law says of a claim under one model; `because` names the values. `holds`: of a claim that is `computed`,
    whether it seems to hold. `value`: the left side of a claim that is `computed`."""

    verdict: VerdictWord
    because: str
    holds: bool | None = None
    value: Estimate | None = None


def decide_operating(program: Program, claim: Claim, laws: Laws) -> Decision:
    """The verdict on `claim E [under M]`: without a model it speaks of every model of the file."""
    models = (claim.model,) if claim.model is not None else tuple(m.name for m in program.models)
    if not models:
        return Decision("unknown", "there is no model to take it under")
    if (why_not := may_fail(program)) is not None:
        return Decision("unknown", f"a step may fail for some data, and no law tells of it: {why_not}")
    found = [_under(program, claim, model, laws) for model in models]
    # one model under which it fails decides; else the least certain of them
    ranks = {"refuted": 0, "computed": 2, "unknown": 1, "proved": 3}
    ranked = sorted(found, key=lambda d: 0.5 if d.verdict == "computed" and not d.holds else ranks[d.verdict])
    return Decision("proved", "; ".join(d.because for d in found)) if ranked[0].verdict == "proved" else ranked[0]


def _under(program: Program, claim: Claim, model: str, laws: Laws) -> Decision:
    from seqlang.backends.solve import Unsolved

    surely = surely_stops(program, claim, model)
    if surely is not None:
        return Decision("proved", f"under {model}: {surely}")
    condition = claim.condition
    assert isinstance(condition, e.Apply) and len(condition.arguments) == 2
    certain, sides, why_not = _by_enclosures(condition, model, laws)
    if certain is not None and certain.verdict != "unknown":
        return certain
    try:
        supposed = _by_estimates(condition, model, laws, sides)
    except (Unsolved, Open) as why:
        if certain is not None:
            return certain
        return Decision("unknown", f"no exact law under {model}: {why}; `seqlang run` estimates it")
    if supposed.verdict == "unknown":
        return supposed if certain is None else certain
    return Decision(supposed.verdict, f"{supposed.because}; {why_not}", supposed.holds, supposed.value)


Sides = tuple[Interval, Interval]


def _by_enclosures(condition: e.Apply, model: str, laws: Laws) -> tuple[Decision | None, Sides | None, str]:
    """The decision and the enclosures, None where nothing is enclosed, and why an estimate is asked."""
    from seqlang.backends.solve import Unsolved

    found: Decision | None = None
    sides: Sides | None = None
    for panels in PANELS:
        try:
            left, right = sides = laws.certain_sides(condition, model, panels)
        except (Unsolved, Open) as why:
            return found, sides, f"an estimate: no enclosure is known ({why})"
        found = _enclosed(condition, model, Enclosure(*left), Enclosure(*right))
        if found.verdict != "unknown" or not laws.can_be_refined(condition, model) or _is_hopeless(left, right):
            break
    return found, sides, "an estimate: what is enclosed is not close enough"


def _is_hopeless(left: Interval, right: Interval) -> bool:
    """Whether the intervals are so wide, beside the distance of their middles, that more panels will not part them."""
    widths = (left[1] - left[0]) + (right[1] - right[0])
    if widths == inf:
        return False  # a lower end may still rise
    apart = abs((left[0] + left[1]) - (right[0] + right[1])) / 2
    return not widths <= NARROWER * apart


def _enclosed(condition: e.Apply, model: str, left: Enclosure, right: Enclosure) -> Decision:
    words = _words(condition, model, (left.low, left.high), (right.low, right.high))
    holds, fails = _compared(condition.operator, (left.low, left.high), (right.low, right.high))
    if holds:
        return Decision("proved", words)
    if fails:
        return Decision("refuted", words)
    return Decision("unknown", f"{words}: too close to tell, or too much mass is undecided")


def _by_estimates(condition: e.Apply, model: str, laws: Laws, sides: Sides | None) -> Decision:
    """What the estimates say; nothing where one of them is outside of what is certain."""
    left, right = laws.estimated_sides(condition, model)
    words = _words(condition, model, left, right)
    if sides is not None and not all(_meet(a, b) for a, b in zip((left, right), sides, strict=True)):
        return Decision("unknown", f"{words}: an estimate that is outside of what is certain")
    holds, fails = _compared(condition.operator, left, right)
    if holds or fails:
        return Decision("computed", words, holds, _estimate(left))
    return Decision("unknown", f"{words}: too close to tell, or too much mass is unresolved")


def _meet(one: Interval, other: Interval) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def _estimate(found: Interval) -> Estimate:
    low, high = found
    value = low if high == inf else high if low == -inf else (low + high) / 2
    return Estimate(value, low, high)


def _compared(operator: str, left: Interval, right: Interval) -> tuple[bool, bool]:
    """Whether the comparison holds for all values in the intervals, and whether it fails for all of them."""
    if operator in MORE:
        left, right = right, left
    strict = operator in STRICT
    holds = left[1] < right[0] if strict else left[1] <= right[0]
    fails = left[0] >= right[1] if strict else left[0] > right[1]
    return holds, fails


def _words(condition: e.Apply, model: str, left: Interval, right: Interval) -> str:
    return f"under {model}: {_side(condition.arguments[0], left)} against {_side(condition.arguments[1], right)}"


def _side(side: e.Expression, value: Interval) -> str:
    from seqlang.model.print import show_expression

    text, number = show_expression(side), between(*value)
    return text if number == f"= {text}" else f"{text} {number}"


def between(low: float, high: float) -> str:
    """An interval in words: the digits that both ends share, three to six; both ends where they share fewer."""
    if low == high:
        return f"= {low:.6g}"
    for digits in range(6, 2, -1):
        if f"{low:.{digits}g}" == f"{high:.{digits}g}":
            return f"= {low:.{digits}g}"
    if low == -inf or high == inf:
        return "is not known" if low == -inf and high == inf else (f">= {low:.6g}" if high == inf else f"<= {high:.6g}")
    return f"in [{low:.6g}, {high:.6g}]"
