"""eps-DP at a Renyi order: randomised response is the worst case."""

from __future__ import annotations

from seqlang.accounting import curves
from seqlang.proof.derivation import PureBound
from seqlang.rules.conversion.conversion import at_orders

RULE, SEARCH = at_orders(
    "conversion/pure_to_renyi",
    "Pure DP to RDP",
    """eps-DP, in nats; a > 1
    ------------------------------------------------------------------------------------------------
    (a, log[p^a q^(1-a) + q^a p^(1-a)] / (a-1))-RDP, p = e^eps/(1+e^eps), q = 1 - p; at most eps and a eps^2/2""",
    "Bun & Steinke 2016, Proposition 3.3; worst case: Kairouz, Oh & Viswanath 2015",
    "no eps-DP mechanism has a larger divergence than randomised response",
    PureBound,
    curves.pure,
)
