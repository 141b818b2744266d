"""Laws of entries on the grid: what the reading of an entry, clamped and rounded, makes of its law."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from seqlang.release.twin.domains import Counted
from seqlang.release.twin.names import Names
from seqlang.release.twin.written import NoTwin, binary, call, names_in, number, quotient
from seqlang.source import NOWHERE
from seqlang.syntax import tree

SPREAD = 8
"""Standard deviations of a normal law that its table reaches; entries further away are counted at its ends."""
LONGEST = 5000
"""Values of a table."""
VALUE = tree.Name("v", NOWHERE)


def on_grid(names: Names, law: tree.Expression, field: Counted) -> tree.Expression:
    """The law of floor(scale * x + 1/2), held in the domain, for x of this law. Raises NoTwin."""
    match law:
        case tree.If(test, yes, no, span):
            return tree.If(test, on_grid(names, yes, field), on_grid(names, no, field), span)
        case tree.Name(name) if name in names.lets:
            return on_grid(names, names.lets[name].value, field)
        case tree.WeightsOf(weights, span):
            return tree.WeightsOf(
                tuple(tree.Weight(_point(names, w.value, field), w.weight, w.span) for w in weights), span
            )
        case tree.Call(tree.Name("point"), (tree.Positional(value),)):
            return call("point", _point(names, value, field))
        case tree.Call(tree.Name(family)):
            return _rounded(names, law, family, field)
    raise NoTwin("a model has a law of a form that is not known here")


def _point(names: Names, value: tree.Expression, field: Counted) -> tree.Expression:
    exact = names.rational(value)
    if exact is None:
        raise NoTwin("a model has a value that is no rational constant")
    unit = (exact * field.scale + Fraction(1, 2)).__floor__()
    return number(min(max(unit, field.low if field.low is not None else unit),
                      field.high if field.high is not None else unit))  # fmt: skip


def _rounded(names: Names, law: tree.Call, family: str, field: Counted) -> tree.Expression:
    """Differences of the law's distribution function at the middles between points of the grid."""
    if family == "bernoulli":
        one = next(a.value for a in law.arguments if isinstance(a, tree.Positional))
        rest = binary("-", number(1), one)
        return tree.WeightsOf((tree.Weight(number(0), rest, NOWHERE),
                               tree.Weight(number(field.scale), one, NOWHERE)), NOWHERE)  # fmt: skip
    low, high = _ends(names, law, family, field)
    if high - low > LONGEST:
        raise NoTwin(f"the law of a model has more than {LONGEST} values on this grid: give a coarser one by --grid")
    above = tree.If(binary("<", VALUE, number(high)), _cdf(law, Fraction(1, 2), field.scale), number(1), NOWHERE)
    below = tree.If(binary(">", VALUE, number(low)), _cdf(law, Fraction(-1, 2), field.scale), number(0), NOWHERE)
    span = tree.Range(number(low), number(high), NOWHERE)
    weight = tree.Weight(VALUE, binary("-", above, below), NOWHERE)
    return tree.WeightsFor(weight, tree.ForIn(VALUE, span, None, NOWHERE), NOWHERE)


def _cdf(law: tree.Call, by: Fraction, scale: int) -> tree.Expression:
    at = binary("+" if by > 0 else "-", VALUE, number(abs(by)))
    member = tree.Member(law, tree.Name("cdf", NOWHERE), NOWHERE)
    place = at if scale == 1 else quotient(at, number(scale))
    return tree.Call(member, (tree.Positional(place, NOWHERE),), NOWHERE)


def _ends(names: Names, law: tree.Call, family: str, field: Counted) -> tuple[int, int]:
    """Where the law lies, in units, as far as its table reaches."""
    if "v" in names_in(law):
        raise NoTwin("a model reads a name `v`, which its table needs")
    values = [names.rational(a.value) for a in law.arguments if isinstance(a, tree.Positional)]
    ends: tuple[Any, Any] = (None, None)
    if family == "uniform" and len(values) == 2:
        ends = (values[0], values[1])
    elif family == "normal" and len(values) == 2 and values[0] is not None and values[1] is not None:
        ends = (values[0] - SPREAD * values[1], values[0] + SPREAD * values[1])
    low = field.low if ends[0] is None else (ends[0] * field.scale).__floor__()
    high = field.high if ends[1] is None else (ends[1] * field.scale).__ceil__()
    if low is None or high is None:
        raise NoTwin("a model has a law whose values have no known end")
    low = low if field.low is None else min(max(low, field.low), field.high or low)
    high = high if field.high is None else max(min(high, field.high), low)
    return low, high
