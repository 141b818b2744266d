"""Advanced composition of pure mechanisms by a closed form."""

from __future__ import annotations

from collections.abc import Sequence

from seqlang.accounting import advanced
from seqlang.arithmetic.formula import DELTA, Formula, exponential, logarithm, minimum, root, total
from seqlang.rules.composition.pure_parts import at_delta


def _symbolic(epsilons: Sequence[Formula]) -> Formula:
    """eps tanh(eps/2) is eps (1 - e^-eps)/(1 + e^-eps); the plain sum, where that is less."""
    drifts = (e * (1 - exponential(-e)) / (1 + exponential(-e)) for e in epsilons)
    squares = total(e**2 for e in epsilons)
    return minimum(total(epsilons), total((*drifts, root(-2 * logarithm(DELTA) * squares))))


RULE, SEARCH = at_delta(
    "composition/advanced",
    "Advanced composition, tanh form",
    """Gates G_i with independent noise, G_i eps_i-DP, in nats; 0 < delta < 1
    ------------------------------------------------------------------------------------------------
    all gates together are (sum eps_i tanh(eps_i/2) + sqrt(2 ln(1/delta) sum eps_i^2), delta)-DP""",
    "Kairouz, Oh & Viswanath 2015, Theorem 3.5",
    "the loss concentrates around its mean",
    advanced.tanh_form,
    _symbolic,
)
