"""Optimal composition of k pure mechanisms; where their epsilons differ, of as many with the largest."""

from __future__ import annotations

from seqlang.accounting import curves, homogeneous
from seqlang.arithmetic.formula import DELTA, ONE
from seqlang.rules.composition.pure_parts import at_delta

RULE, SEARCH = at_delta(
    "composition/optimal",
    "Optimal composition",
    """k gates with independent noise, G_i eps_i-DP, in nats; eps the largest eps_i; 0 < delta < 1
    max_L sum_(l < L) C(k,l) [p^(k-l) q^l - e^t p^l q^(k-l)] <= delta,  p = e^eps/(1+e^eps), q = 1 - p
    ------------------------------------------------------------------------------------------------
    all gates together are (t, delta)-DP; (sum eps_i, delta)-DP where that is less""",
    "Kairouz, Oh & Viswanath 2015, Theorem 3.3",
    "k-fold randomised response is the worst case",
    homogeneous.optimal_of,
    lambda epsilons: curves.shown("optimal_composition", *(part for e in epsilons for part in (e, ONE)), DELTA),
)
