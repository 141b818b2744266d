"""A zCDP bound as an (epsilon, delta) bound; the evidence is the Renyi order used."""

from __future__ import annotations

from seqlang.accounting import concentrated, conversion
from seqlang.model.program import Program
from seqlang.proof.derivation import ApproximateBound, ConcentratedBound, Derivation
from seqlang.proof.rule import Rule
from seqlang.rules.composition.concurrent import value_up
from seqlang.rules.conversion.premise import mismatch
from seqlang.rules.search import Search

NAME = "conversion/concentrated_to_approximate"
CITE = "Canonne, Kamath & Steinke 2020, Proposition 12 and Corollary 13"


def suggest(program: Program, part: Derivation, delta: float) -> Derivation | None:
    claim = part.conclusion
    if not isinstance(claim, ConcentratedBound) or claim.rho.is_infinite:
        return None
    rho = value_up(program, claim.rho)
    epsilon, order = conversion.optimised(lambda a: concentrated.renyi(rho, a), delta)
    because = f"the line order -> rho order, read at order {order:.6g}"
    conclusion = ApproximateBound(claim.gates, epsilon, delta, claim.horizon)
    return Derivation(conclusion, NAME, (part,), order, because, CITE)


def holds(program: Program, derivation: Derivation) -> str | None:
    problem = mismatch(derivation)
    if problem is not None:
        return problem
    premise, claim, order = derivation.premises[0].conclusion, derivation.conclusion, derivation.evidence
    if not isinstance(premise, ConcentratedBound) or not isinstance(claim, ApproximateBound):
        return "it turns a zCDP bound into an (epsilon, delta) bound"
    if not isinstance(order, float):
        return "the evidence is a Renyi order"
    epsilon = conversion.canonne(order, concentrated.renyi(value_up(program, premise.rho), order), claim.delta)
    return None if epsilon <= claim.epsilon else f"only epsilon {epsilon:.6g} follows at delta {claim.delta:g}"


RULE = Rule(
    NAME,
    "zCDP to (epsilon, delta)",
    """rho-zCDP; any a > 1, 0 < delta < 1
    ------------------------------------------------------------------------------------------------
    (max(0, rho a + ln(1 - 1/a) - ln(a delta)/(a-1)), delta)-DP, in nats""",
    CITE,
    holds,
    float,
)

SEARCH = Search(NAME, ("part", "delta"), suggest)
