"""The ranges and slopes of functions of one number, from what the catalogue of operators declares.

Lemma. Let f be defined and monotone on an interval, and x in [a, b] within it: f(x) lies between f(a) and f(b). Where
an end is not known, or f is not defined there, what remains is the bound that f has everywhere. A slope is such a
function itself; by the mean value theorem |f(x) - f(y)| is at most |x - y| times the largest |slope| between them.
"""

from __future__ import annotations

from seqlang.arithmetic.formula import Formula, function, number
from seqlang.operators.catalogue import OPERATORS
from seqlang.operators.operator import Real
from seqlang.rules.sensitivity.facts.ends import greatest, size_of
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.facts.real_functions import is_defined_at, real_function
from seqlang.rules.sensitivity.ranges.range import Range


def directions(operator: str, count: int) -> tuple[int, ...]:
    """For each of so many arguments 1 or -1: the value never falls, or never rises, in it. Empty: not known."""
    real, entry = real_function(operator), OPERATORS.get(operator)
    if real is not None:
        return (real.monotone,) if real.monotone else ()
    known = () if entry is None else entry.directions
    return known * count if entry is not None and entry.arguments is None else known


def values_over(facts: Facts, real: Real, x: Range) -> Range:
    """Between which values f(x) stays for x in the range."""
    least, most = (None if end is None else number(end) for end in (real.least, real.most))
    if not real.monotone:
        return Range(least, most, real.whole, note=x.note)
    first, last = (x.low, x.high) if real.monotone == 1 else (x.high, x.low)
    low, high = _end(facts, real, first, real.monotone == 1), _end(facts, real, last, real.monotone == -1)
    note = x.note or (real.unbounded if low is None or high is None else "")
    return Range(least if low is None else low, most if high is None else high, real.whole, note=note)


def _end(facts: Facts, real: Real, x: Formula | None, lowest: bool) -> Formula | None:
    """f at an end of a range; None where the bound of all values is as good, as at the `lowest` end of a root's."""
    inside = is_defined_at(facts, real, x, real.closed and not lowest)
    return real.formula(function, x) if inside else None


def steepest(facts: Facts, real: Real, x: Range) -> Formula | None:
    """The largest |slope| in the range; None if there is none, or no bound is known."""
    slopes = None if real.slope is None else values_over(facts, real.slope, x)
    if slopes is None or slopes.low is None or slopes.high is None:
        return None
    return greatest(facts, (size_of(facts, slopes.low), size_of(facts, slopes.high)))
