"""How products and powers magnify small relative errors, how far they raise what is next to 0, and how large a number
is whose growth has no other bound."""

from __future__ import annotations

from fractions import Fraction
from math import exp, inf, log2

from seqlang.model.expression import Apply, CellValue, Choice, Density, Expression, Local, MemoryValue, Quantified
from seqlang.model.growths import Growths
from seqlang.model.signs import is_never_negative
from seqlang.operators.groups import CHOSEN

MANY = 2.0**10
LARGEST_EXPONENT = 745.0
"""Of exp: beyond, it is no double other than 0."""


def amplification(e: Expression, growths: Growths) -> float:
    """How many times the relative error of the numbers that are read, and roundings, count at most in that of e."""
    grids = growths.grids
    if grids.is_constant(e) or grids.of(e).denominator is not None:
        return 1.0
    match e:
        case Local(name):
            return amplification(grids.program.define(name).expression, growths)
        case CellValue(name):
            return amplification(grids.program.cell(name).body, growths)
        case Apply("*" | "/", (a, b)):
            return amplification(a, growths) + amplification(b, growths) + 1.0
        case Apply("^", (base, power)):
            value = grids.of(power).value
            return inf if value is None else abs(float(value)) * amplification(base, growths) + 1.0
        case Apply("exp", (x,)):
            return LARGEST_EXPONENT * amplification(x, growths) + 1.0
        case Apply("+" | "-", (a, b)):
            return 2.0 * max(amplification(a, growths), amplification(b, growths)) + 1.0
        case Apply(_, parts):
            return max((amplification(part, growths) for part in parts), default=1.0) + 1.0
        case Choice(_, yes, no):
            return max(amplification(yes, growths), amplification(no, growths))
        case Quantified(_, body):
            return amplification(body, growths) + 1.0
    return 1.0


def read_memories(e: Expression, growths: Growths) -> float:
    """How many times the relative errors of memories count in that of e."""
    grids = growths.grids
    match e:
        case MemoryValue():
            return 0.0 if grids.of(e).denominator is not None else 1.0
        case Local(name):
            return read_memories(grids.program.define(name).expression, growths)
        case CellValue(name):
            return read_memories(grids.program.cell(name).body, growths)
        case Apply("*" | "/", (a, b)):
            return read_memories(a, growths) + read_memories(b, growths)
        case Apply("^", (base, power)):
            value = grids.of(power).value
            own = read_memories(base, growths)
            return inf if own and value is None else own * abs(float(value or 0))
        case Apply("exp", (x,)):
            return inf if read_memories(x, growths) else 0.0
        case Apply("sqrt", (x,)):
            return read_memories(x, growths)
        case Apply("+", (a, b)):
            return max(read_memories(a, growths), read_memories(b, growths))
        case Apply("-", (a, b)):
            return 2.0 * max(read_memories(a, growths), read_memories(b, growths))
        case Apply(_, parts):
            return max((read_memories(part, growths) for part in parts), default=0.0)
        case Choice(_, yes, no):
            return max(read_memories(yes, growths), read_memories(no, growths))
        case Quantified(_, body):
            return read_memories(body, growths)
    return 0.0


def raised(e: Expression, growths: Growths) -> float:
    """By how many powers of 2 the factors of a product may raise what is next to 0."""
    grids = growths.grids
    if grids.is_constant(e) or grids.of(e).denominator is not None:
        return 0.0
    match e:
        case Local(name):
            return raised(grids.program.define(name).expression, growths)
        case Apply("*", (a, b)):
            return max(raised(a, growths) + _size(b, growths), raised(b, growths) + _size(a, growths))
        case Apply("/", (a, b)):
            least = growths.least(b)
            return raised(a, growths) + (max(0.0, -log2(least)) if least else 0.0)
        case Choice(_, yes, no):
            return max(raised(yes, growths), raised(no, growths))
        case Apply(operator, parts) if operator in CHOSEN:
            return max(raised(part, growths) for part in parts)
    return 0.0


def _size(e: Expression, growths: Growths) -> float:
    return max(0.0, log2(max(1.0, min(largest(e, growths), 2.0**1000))))


def largest(e: Expression, growths: Growths) -> float:
    """The largest size of a number in early steps; infinite where no bound is known."""
    known = growths.of(e).size.at(MANY)
    if known < inf:
        return known
    match e:
        case Local(name):
            return largest(growths.grids.program.define(name).expression, growths)
        case CellValue(name) if growths.grids.program.cell(name).operator in (*CHOSEN, "mean"):
            return largest(growths.grids.program.cell(name).body, growths)
        case Density("pmf" | "cdf"):
            return 1.0
        case Apply("exp", (x,)):
            return exp(min(700.0, largest(x, growths)))
        case Apply("sqrt", (x,)):
            return max(1.0, largest(x, growths))
        case Apply("^", (base, power)):
            value = growths.grids.of(power).value
            size = largest(base, growths)
            return size ** float(value) if value is not None and value > 0 and 1 < size < 1e15 else inf
        case Apply("*", (a, b)):
            sizes = largest(a, growths), largest(b, growths)
            return sizes[0] * sizes[1] if inf not in sizes else inf
        case Apply("+" | "-", (a, b)):
            return largest(a, growths) + largest(b, growths)
        case Apply("/", (a, b)):
            least = _least(b, growths)
            return largest(a, growths) / least if least else inf
        case Apply("clip", (_, low, high)):
            return max(largest(low, growths), largest(high, growths))
        case Apply(operator, parts) if operator in CHOSEN:
            return max(largest(part, growths) for part in parts)
        case Choice(_, yes, no):
            return max(largest(yes, growths), largest(no, growths))
        case Quantified("max" | "min" | "mean", body):
            return largest(body, growths)
    return inf


def _least(e: Expression, growths: Growths) -> float | None:
    """A bound below the size of a number other than 0."""
    by = growths.grids.of(e).denominator
    known = growths.least(e)
    if known is not None or by is not None:
        return known if by is None else 1 / by
    match e:
        case Local(name):
            return _least(growths.grids.program.define(name).expression, growths)
        case Apply("+", (a, b)):
            for one, other in ((a, b), (b, a)):
                value = growths.grids.of(one).value
                if isinstance(value, Fraction) and value > 0 and is_never_negative(other, growths):
                    return float(value)
    return None
