"""By how much the value of an operator differs, from by how much its operands do: one lemma for each operator.

Each lemma compares the value on two sides, where the operands that do not move (`entry.moves`) are the same. A number
that differs by r counts as a list of one number: its distance is r in every norm. `None`: no bound.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from seqlang.arithmetic.formula import Formula
from seqlang.model.expression import COMPARISONS, LOGIC, Apply, Expression
from seqlang.rules.sensitivity.facts.ends import greatest_known, smaller, times_known
from seqlang.rules.sensitivity.facts.numbers import UNIT
from seqlang.rules.sensitivity.facts.real_functions import real_function
from seqlang.rules.sensitivity.facts.shapes import dimension
from seqlang.rules.sensitivity.motion.entry import Entry, Norms
from seqlang.rules.sensitivity.ranges.arithmetic import magnitude
from seqlang.rules.sensitivity.ranges.function_ranges import steepest
from seqlang.rules.sensitivity.ranges.ranges import norm_bound, range_in

Distances = tuple[Norms, ...]
"""How far each operand moves, in their order."""
Lemma = Callable[[Entry, Apply, Distances], Formula | None]


def lemma_of(operator: str) -> Lemma | None:
    """What is known of the operator."""
    if operator in LEMMAS:
        return LEMMAS[operator]
    return None if real_function(operator) is None else _of_real_function


def is_test(part: Expression) -> bool:
    """A comparison, or tests joined by `and`, `or`, `not`: two truth values differ by at most 1."""
    return isinstance(part, Apply) and (part.operator in COMPARISONS or part.operator in LOGIC)


def _extreme(entry: Entry, _: Apply, moved: Distances) -> Formula | None:
    """|max_i a_i - max_i b_i| <= max_i |a_i - b_i|, whether the a_i are several numbers or the elements of one list;
    the same for min = -max(-a)."""
    return greatest_known(entry.facts, [distance.linf for distance in moved])


def _clip(entry: Entry, part: Apply, moved: Distances) -> Formula | None:
    """clip(x, low, high) = max(low, min(x, high)) is made of extremes; between ends that do not move, it moves by at
    most their distance."""
    return smaller(entry.facts, _extreme(entry, part, moved), clip_width(entry, part))


def clip_width(entry: Entry, part: Apply) -> Formula | None:
    """high - low of a clip between ends that do not move."""
    _, low, high = part.arguments
    if entry.moves(low) or entry.moves(high):
        return None
    a, b = range_in(entry.facts, low).low, range_in(entry.facts, high).high
    return None if a is None or b is None or not entry.facts.at_most(a, b) else b - a


def _product(entry: Entry, part: Apply, moved: Distances) -> Formula | None:
    """|a x - a y| = |a| |x - y| for a factor a that does not move, at most sup |a| |x - y|."""
    a, b = part.arguments
    if entry.moves(a) and entry.moves(b):
        return None
    still, distance = (b, moved[0]) if entry.moves(a) else (a, moved[1])
    return times_known(magnitude(entry.facts, range_in(entry.facts, still)), distance.linf)


def _quotient(entry: Entry, part: Apply, moved: Distances) -> Formula | None:
    """|x / a - y / a| = |x - y| / |a| for a divisor a that does not move, at most sup |1 / a| |x - y|."""
    divisor = part.arguments[1]
    if entry.moves(divisor):
        return None
    inverse = magnitude(entry.facts, range_in(entry.facts, Apply("/", (UNIT, divisor))))
    return times_known(inverse, moved[0].linf)


def _of_real_function(entry: Entry, part: Apply, moved: Distances) -> Formula | None:
    """|f(x) - f(y)| <= sup |f'| |x - y|, over the range of the operand (mean value theorem)."""
    real = real_function(part.operator)
    if real is None or len(part.arguments) != 1:
        return None
    return times_known(steepest(entry.facts, real, range_in(entry.facts, part.arguments[0])), moved[0].linf)


def _norm(_: Entry, __: Apply, moved: Distances) -> Formula | None:
    """||a| - |b|| <= |a - b| (triangle inequality)."""
    return moved[0].l2


def _sum(_: Entry, __: Apply, moved: Distances) -> Formula | None:
    """|sum a_i - sum b_i| <= sum |a_i - b_i|, the l1 norm."""
    return moved[0].l1


def _mean(entry: Entry, part: Apply, moved: Distances) -> Formula | None:
    """The sum divided by how many there are, if both sides have equally many, and some."""
    size, total = dimension(entry.facts, part.arguments[0]), moved[0].l1
    return None if size is None or total is None or entry.facts.sign(size) != 1 else total / size


def _dot(entry: Entry, part: Apply, moved: Distances) -> Formula | None:
    """|<a, v> - <b, v>| <= |a - b| |v| for a list v that does not move (Cauchy-Schwarz inequality)."""
    a, b = part.arguments
    if entry.moves(a) and entry.moves(b):
        return None
    still, distance = (b, moved[0]) if entry.moves(a) else (a, moved[1])
    return times_known(norm_bound(entry.facts, still), distance.l2)


LEMMAS: Mapping[str, Lemma] = {
    "max": _extreme, "min": _extreme, "clip": _clip, "*": _product, "/": _quotient,
    "norm": _norm, "sum": _sum, "mean": _mean, "dot": _dot,
}  # fmt: skip
"""Functions of one real number follow from what the catalogue of operators declares: `lemma_of`."""
