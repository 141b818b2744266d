"""Showings that are pure each, composed at a delta: k-fold randomised response is the worst case."""

from __future__ import annotations

from functools import lru_cache
from math import inf

from seqlang.accounting import advanced, curves
from seqlang.arithmetic.formula import DELTA, ONE, ZERO, Formula, enclose
from seqlang.model.program import Program
from seqlang.proof.derivation import Derivation, PureBound
from seqlang.rules.composition.concurrent import value_up
from seqlang.rules.conversion.conversion import at_delta
from seqlang.rules.conversion.premise import own_gate, summands
from seqlang.rules.gates.showings import Showings
from seqlang.rules.mechanism.each_showing import pure_showings
from seqlang.rules.sensitivity.facts.formulas import parameter_values

MOST_SHOWINGS = 100_000
MOST_OPTIMAL = 20_000

_SAME = ("composition/basic", "composition/post_processing", "composition/hypothetical_transcript")


def _epsilon(program: Program, part: Derivation, delta: float) -> float | str:
    """The least of optimal composition and the closed form; text where there is but one showing."""
    if not 0 < delta < 1:
        return "a delta between 0 and 1"
    showings: list[tuple[float, int]] = []
    for one in summands(part, _SAME):
        found = _showings(program, one)
        if isinstance(found, str):
            return found
        showings += found
    count = sum(times for _, times in showings)
    if not 1 < count <= MOST_SHOWINGS:
        return "too many showings" if count > 1 else "only one showing"
    if any(one == inf for one, _ in showings):
        return "a showing has no finite epsilon"
    return _least(tuple(showings), count, delta)


@lru_cache(maxsize=16)
def _least(showings: tuple[tuple[float, int], ...], count: int, delta: float) -> float:
    from seqlang.accounting import homogeneous

    listed = [epsilon for epsilon, times in showings for _ in range(times)]
    closed = advanced.tanh_form(listed, delta)
    # optimal composition takes time in proportion to the count, some seconds for the largest one
    return closed if count > MOST_OPTIMAL else min(closed, homogeneous.optimal_of(listed, delta))


def _showings(program: Program, part: Derivation) -> list[tuple[float, int]] | str:
    """(epsilon, how often): the showings of a gate, or a group of gates as a whole."""
    claim = part.conclusion
    if not isinstance(claim, PureBound):
        return "every part must be a pure bound"
    gate = own_gate(program, part)
    showings = None if gate is None else pure_showings(program, gate)
    if not showings or isinstance(showings, str) or showings.entries != ONE or showings.times.is_infinite:
        return [(value_up(program, claim.epsilon), 1)]
    if showings.one == ZERO:
        return []
    times = enclose(showings.times, parameter_values(program)).high
    if not times <= MOST_SHOWINGS:
        return "too many showings"
    return [(value_up(program, showings.one), -int(-times // 1))]


def _symbolic(program: Program, part: Derivation) -> Formula | None:
    """optimal_composition(eps_1, k_1, .., delta): of k_i showings of eps_i each."""
    listed: list[Formula] = []
    for one in summands(part, _SAME):
        claim, gate = one.conclusion, own_gate(program, one)
        showings = None if gate is None else pure_showings(program, gate)
        if not isinstance(claim, PureBound):
            return None
        many = showings if isinstance(showings, Showings) and showings.entries == ONE else None
        listed += [claim.epsilon, ONE] if many is None or many.times.is_infinite else [many.one, many.times]
    return curves.shown("optimal_composition", *listed, DELTA)


STATEMENT = """
    a pure bound made of k showings, the i-th eps_i-DP given what was shown before;   0 < delta < 1
    --------------------------------------------------------------------------------------------------
    (t, delta)-DP, t the least of what optimal composition of k times the largest eps_i gives, sum eps_i, and
              sum eps_i tanh(eps_i/2) + sqrt(2 ln(1/delta) sum eps_i^2)

Which showings a changed entry touches may depend on what was shown: each of them is a function of one randomised
response, asked when it is needed. Epsilon in nats.
"""

RULE, SEARCH = at_delta(
    "conversion/showings_to_approximate",
    "Pure showings to (epsilon, delta)",
    STATEMENT,
    "Kairouz, Oh & Viswanath 2015, Theorems 3.3 and 3.5",
    "each showing is pure, and many showings seldom all lose at once",
    _epsilon,
    _symbolic,
)
