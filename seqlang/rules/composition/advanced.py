"""Advanced composition of pure mechanisms by a closed form."""

from __future__ import annotations

from seqlang.accounting import advanced
from seqlang.rules.composition.pure_parts import at_delta

RULE, SEARCH = at_delta(
    "composition/advanced",
    "Advanced composition, tanh form",
    """Gates G_i with independent noise, G_i eps_i-DP, in nats; 0 < delta < 1
    ------------------------------------------------------------------------------------------------
    all gates together are (sum eps_i tanh(eps_i/2) + sqrt(2 ln(1/delta) sum eps_i^2), delta)-DP""",
    "Kairouz, Oh & Viswanath 2015, Theorem 3.5",
    "the loss concentrates around its mean",
    advanced.tanh_form,
)
