"""What a constant may be: a parameter of a law, a value of a domain."""

from __future__ import annotations

from fractions import Fraction

from seqlang.arithmetic.formula import Formula
from seqlang.model import domain as d
from seqlang.model import exact_numbers as numbers
from seqlang.model.constants import Values, exactly


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
    """Does a domain of numbers hold the value? None if its ends are not known, or too near to tell."""
    try:
        return _holds(domain, value, parameters)
    except numbers.Undecided:
        return None


def _holds(domain: d.Domain, value: Fraction, parameters: Values) -> bool | None:
    match domain:
        case d.Interval(low=low, high=high):
            sides: list[bool] = []
            for end, sign, is_open in ((low, 1, domain.low_open), (high, -1, domain.high_open)):
                if end is None:
                    continue
                known = exactly(end, parameters)
                if not isinstance(known, Fraction | Formula):
                    return None
                sides.append(sign * numbers.order(value, known) >= (1 if is_open else 0))
            return all(sides)
        case d.Integers(low=low, high=high):
            inside = _holds(d.Interval(low, high), value, parameters)
            return inside if inside is None else inside and value.denominator == 1
        case d.Finite(values=values):
            known_values = [exactly(v, parameters) for v in values]
            numbered = [v for v in known_values if isinstance(v, Fraction | Formula)]
            if any(numbers.order(value, v) == 0 for v in numbered):
                return True
            return None if len(numbered) < len(known_values) else False
        case d.Ball() | d.Power():
            return None
