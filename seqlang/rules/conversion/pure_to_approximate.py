"""eps-DP at a delta: the profile of randomised response."""

from __future__ import annotations

from math import inf

from seqlang.arithmetic.formula import DELTA, ZERO, Formula, exponential, logarithm, maximum
from seqlang.model.program import Program
from seqlang.proof.derivation import Derivation, PureBound
from seqlang.rules.composition.concurrent import value_up
from seqlang.rules.conversion.conversion import at_delta


def _epsilon(program: Program, part: Derivation, delta: float) -> float | str:
    if not isinstance(part.conclusion, PureBound):
        return "its premise is no pure bound"
    from seqlang.accounting import homogeneous

    epsilon = value_up(program, part.conclusion.epsilon)
    return epsilon if delta == 0 or epsilon == inf else min(epsilon, homogeneous.optimal(epsilon, 1, delta))


def _symbolic(_: Program, part: Derivation) -> Formula | None:
    if not isinstance(part.conclusion, PureBound):
        return None
    epsilon = part.conclusion.epsilon
    if epsilon == ZERO:
        return ZERO
    return maximum(0, epsilon + logarithm(1 - DELTA * (1 + exponential(-epsilon))))


RULE, SEARCH = at_delta(
    "conversion/pure_to_approximate",
    "Pure DP to (epsilon, delta)",
    """eps-DP, in nats; 0 <= delta < 1
    ------------------------------------------------------------------------------------------------
    (t, delta)-DP with (e^eps - e^t) / (1 + e^eps) <= delta; t = eps at delta = 0""",
    "Kairouz, Oh & Viswanath 2015, Theorem 3.3 with k = 1",
    "a pure bound holds at every delta; randomised response is the worst case",
    _epsilon,
    _symbolic,
)
