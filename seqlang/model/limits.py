"""What a constant may be: a parameter of a law, a value of a domain."""

from __future__ import annotations

from fractions import Fraction

from seqlang.model import domain as d
from seqlang.model.constants import Values, number


def suits(wanted: str, value: Fraction) -> bool:
    """May the parameter of a law be that number? `wanted` is a `laws.facts.ParameterKind`."""
    match wanted:
        case "scale":
            return value > 0
        case "ratio":
            return 0 < value < 1
        case "probability":
            return 0 <= value <= 1
        case "count" | "natural":
            return value.denominator == 1 and value >= (wanted == "count")
        case _:
            return True


def holds(domain: d.Domain, value: Fraction, parameters: Values) -> bool | None:
    """Does a domain of numbers hold the value? None if its ends are not known."""
    match domain:
        case d.Interval(low=low, high=high):
            ends = [None if e is None else number(e, parameters) for e in (low, high)]
            if (low is not None and ends[0] is None) or (high is not None and ends[1] is None):
                return None
            above = ends[0] is None or value > ends[0] or (value == ends[0] and not domain.low_open)
            below = ends[1] is None or value < ends[1] or (value == ends[1] and not domain.high_open)
            return above and below
        case d.Integers(low=low, high=high):
            inside = holds(d.Interval(low, high), value, parameters)
            return inside if inside is None else inside and value.denominator == 1
        case d.Finite(values=values):
            known = [number(v, parameters) for v in values]
            return True if value in known else None if None in known else False
        case d.Ball() | d.Power():
            return None
