"""Lists of which each element is shown with its noise where that reaches a threshold and a plain condition holds:
`[if v[c] > 0 and noisy[c] >= T then noisy[c] else d for c in 1..m]`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from seqlang.model import expression as e
from seqlang.model import program as p
from seqlang.model.junctions import conjuncts
from seqlang.record import record

Inside = Callable[[Any, float, Any], list[Any]]


@record
class Thresholded:
    """Element c of the list is reading[c], if `holds[c]` and it is at least `threshold[c]`; else `default[c]`. These
    three are lists that read no noise."""

    reading: e.Noised
    holds: e.Expression
    threshold: e.Expression
    default: e.Expression


def thresholded(program: p.Program, value: e.Expression) -> Thresholded | None:
    """The value as such a list, element by element of its noised vector; None if it is none."""
    match value:
        case e.Local(name):
            made = next((s.expression for s in program.body if isinstance(s, p.Define) and s.name == name), None)
            return None if made is None else thresholded(program, made)
        case e.Quantified(
            "list",
            e.Choice(test, e.Index(e.Noised() as reading, e.Bound(at)) as shown, default),
            variable,
            domain,
            None,
        ) if at == variable and isinstance(domain, e.Apply) and domain.arguments[0] == e.Number(Fraction(1)):
            limits: list[e.Expression] = []
            holds: e.Expression = e.Truth(True)
            for part in conjuncts(test):
                limit = _limit(part, shown)
                limits += [] if limit is None else [limit]
                holds = holds if limit is not None else e.Apply("and", (holds, part))
            if len(limits) != 1:
                return None
            parts = (holds, limits[0], default)
            if any(_reads_noise(program, part) for part in (*parts, reading.base)):
                return None
            lists = (e.Quantified("list", part, variable, domain) for part in parts)
            return Thresholded(reading, *lists)
    return None


def _limit(part: e.Expression, shown: e.Expression) -> e.Expression | None:
    match part:
        case e.Apply(">=", (noisy, limit)) if noisy == shown:
            return limit
    return None


def _reads_noise(program: p.Program, x: e.Expression) -> bool:
    return any(isinstance(one, e.Noised | e.Drawn) for one in p.expressions_read(program, (x,)))


def ways_to_see(observed: Any, value: float, terms: Any, post: Sequence[Any], inside: Inside) -> list[Any]:
    """The disjoint ways in which the noise makes an element be seen in the observed range. `post`: whether its
    condition holds, its threshold, what is shown otherwise; `inside(range, value, terms)`: the ways in which the noisy
    value lies in a range."""
    if observed is True:
        return [()]
    holds, threshold, default = post
    low, high = observed if isinstance(observed, tuple) else (observed, observed)
    hidden = low <= default <= high
    if not holds:
        return [()] if hidden else []
    found = inside((max(low, threshold), high), value, terms) if high >= threshold else []
    below = [((float(threshold - value), tuple((k, -f) for k, f in terms), True),)]
    return [*found, *below] if hidden else found
