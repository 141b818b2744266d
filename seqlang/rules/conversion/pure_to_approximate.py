"""eps-DP at a delta: the profile of randomised response."""

from __future__ import annotations

from math import inf

from seqlang.accounting import homogeneous
from seqlang.model.program import Program
from seqlang.proof.derivation import ApproximateBound, Derivation, PureBound
from seqlang.proof.rule import Rule
from seqlang.rules.composition.concurrent import value_up
from seqlang.rules.conversion.premise import mismatch
from seqlang.rules.search import Search

NAME = "conversion/pure_to_approximate"
CITE = "Kairouz, Oh & Viswanath 2015, Theorem 3.3 with k = 1"


def suggest(program: Program, part: Derivation, delta: float) -> Derivation | None:
    claim = part.conclusion
    if not isinstance(claim, PureBound) or claim.epsilon.is_infinite:
        return None
    epsilon = _epsilon(program, claim, delta)
    because = "a pure bound holds at every delta; randomised response is the worst case"
    return Derivation(ApproximateBound(claim.gates, epsilon, delta, None), NAME, (part,), because=because, cite=CITE)


def _epsilon(program: Program, claim: PureBound, delta: float) -> float:
    epsilon = value_up(program, claim.epsilon)
    return epsilon if delta == 0 or epsilon == inf else min(epsilon, homogeneous.optimal(epsilon, 1, delta))


def holds(program: Program, derivation: Derivation) -> str | None:
    problem = mismatch(derivation)
    if problem is not None:
        return problem
    premise, claim = derivation.premises[0].conclusion, derivation.conclusion
    if not isinstance(premise, PureBound) or not isinstance(claim, ApproximateBound):
        return "it turns a pure bound into an (epsilon, delta) bound"
    epsilon = _epsilon(program, premise, claim.delta)
    return None if epsilon <= claim.epsilon else f"only epsilon {epsilon:.6g} follows at delta {claim.delta:g}"


RULE = Rule(
    NAME,
    "Pure DP to (epsilon, delta)",
    """eps-DP, in nats; 0 <= delta < 1
    ------------------------------------------------------------------------------------------------
    (t, delta)-DP with (e^eps - e^t) / (1 + e^eps) <= delta; t = eps at delta = 0""",
    CITE,
    holds,
)

SEARCH = Search(NAME, ("part", "delta"), suggest)
