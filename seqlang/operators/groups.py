"""The names of operators and functions in groups, each computed from the entries of the catalogue.

Code that treats several operators alike asks for one of these, so a new entry joins every group that its fields put it
in.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

from seqlang.operators.catalogue import OPERATORS, in_group, with_result
from seqlang.operators.operator import Operator


def _names(has: Callable[[Operator], bool]) -> frozenset[str]:
    return frozenset(name for name, entry in OPERATORS.items() if has(entry))


COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    entry.name: entry.numeric.exact
    for entry in OPERATORS.values()
    if entry.group == "comparison" and entry.numeric is not None
}
"""compare(a, b) of each comparison."""


@cache
def _holds(name: str) -> tuple[bool, bool, bool]:
    """Whether a comparison holds for a < b, for a = b and for a > b."""
    below, equal, above = (bool(COMPARE[name](Fraction(sign), Fraction(0))) for sign in (-1, 0, 1))
    return below, equal, above


SIGNS = {
    name: frozenset(sign for sign, holds in zip((-1, 0, 1), _holds(name), strict=True) if holds) for name in COMPARE
}
"""The signs of a - b for which each comparison of a with b holds."""
_BY_SIGNS = {_holds(name): name for name in COMPARE}

COMPARISONS = in_group("comparison")
ORDERINGS = frozenset(name for name in COMPARE if _holds(name)[0] != _holds(name)[2])
"""< <= > >="""
EQUALITIES = COMPARISONS - ORDERINGS
"""== !="""
LESS = frozenset(name for name in ORDERINGS if _holds(name)[0])
"""< <="""
MORE = ORDERINGS - LESS
"""> >="""
STRICT = frozenset(name for name in ORDERINGS if not _holds(name)[1])
"""< >"""
LOOSE = ORDERINGS - STRICT
"""<= >="""
AT_MOST = frozenset(name for name in COMPARE if not _holds(name)[2])
"""< <= ==: where one of these holds, a is at most b."""
AT_LEAST = frozenset(name for name in COMPARE if not _holds(name)[0])
"""> >= ==: where one of these holds, a is at least b."""
TURNED = {name: _BY_SIGNS[_holds(name)[::-1]] for name in COMPARE}
"""`a < b` is `b > a`."""
NEGATED = {
    name: _BY_SIGNS[not below, not equal, not above]
    for name, (below, equal, above) in ((name, _holds(name)) for name in COMPARE)
}
"""`not a < b` is `a >= b`."""

LOGIC = in_group("logic")
ARITHMETIC = in_group("arithmetic")
CONNECTIVES = _names(lambda o: o.group == "logic" and o.arguments is not None and len(o.arguments) == 2)
"""and or"""
ADDITIVE = _names(lambda o: o.group == "arithmetic" and o.multiples == "common" and not o.jumps)
"""+ -"""
DIVISIONS = _names(lambda o: o.group == "arithmetic" and o.partial == (1,))
"""/ %"""
POLYNOMIAL = _names(lambda o: o.group == "arithmetic" and o.rational and not o.jumps and not o.partial)
"""+ - * negate"""
ROUNDINGS = _names(lambda o: o.analytic is not None and o.analytic.whole)
"""floor ceil"""
WHOLE_PARTS = ROUNDINGS | _names(lambda o: o.written is not None and o.group == "function" and o.multiples == "whole")
"""floor ceil round: as they are written in a file."""

JUMPING = _names(lambda o: o.jumps)
"""They are not continuous."""
CONTINUOUS = frozenset(OPERATORS) - JUMPING
PARTIAL = _names(lambda o: bool(o.partial))
"""They have no value for some arguments of the right kinds."""
NOT_RATIONAL = _names(lambda o: not o.rational)
"""Of rational numbers the value may be no rational number."""
WHOLE = _names(lambda o: o.multiples == "whole")
"""The value is a whole number, or true or false, whatever the arguments are."""
CHOSEN = _names(lambda o: o.multiples == "chosen")
"""negate abs clip max min sort: the value is made of the arguments and their negatives."""
INFIX = _names(
    lambda o: o.group in ("arithmetic", "comparison", "logic") and o.arguments is not None and len(o.arguments) == 2
)
"""What stands between its two arguments."""

FOLDS = in_group("fold")
OF_ELEMENTS = with_result("fold")
"""sum mean max min: the fold is of the kind of the elements."""
EXTREMES = _names(lambda o: o.group == "fold" and o.multiples == "chosen")
"""max min"""
ON_ONE_GRID = _names(lambda o: o.group == "fold" and o.multiples in ("chosen", "common"))
"""sum max min: of multiples of one unit the fold is one, too."""
SUMS = _names(lambda o: o.group == "fold" and o.multiples in ("common", "mean"))
"""sum mean"""
COUNTS = _names(lambda o: o.group == "fold" and o.multiples == "whole")
"""count argmax argmin: the fold is a whole number."""
PLACES = _names(lambda o: o.name in COUNTS and bool(o.partial))
"""argmax argmin"""
TOTALS = _names(lambda o: o.name in FOLDS and not o.partial)
"""sum count: the fold of nothing is 0."""
ADDED = SUMS | TOTALS
"""sum mean count"""
OF_SOMETHING = OF_ELEMENTS - TOTALS
"""mean max min: the fold is of the kind of the elements, and a fold of nothing has no value."""
