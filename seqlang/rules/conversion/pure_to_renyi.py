"""eps-DP at a Renyi order: randomised response is the worst case."""

from __future__ import annotations

from seqlang.accounting import renyi
from seqlang.model.program import Program
from seqlang.proof.derivation import Derivation, PureBound, RenyiBound
from seqlang.proof.rule import Rule
from seqlang.rules.composition.concurrent import value_up
from seqlang.rules.conversion.premise import mismatch
from seqlang.rules.search import Search

NAME = "conversion/pure_to_renyi"
CITE = "Bun & Steinke 2016, Proposition 3.3; worst case: Kairouz, Oh & Viswanath 2015"


def suggest(program: Program, part: Derivation, orders: tuple[float, ...]) -> tuple[Derivation, ...]:
    """One RenyiBound an order."""
    claim = part.conclusion
    if not isinstance(claim, PureBound) or claim.epsilon.is_infinite:
        return ()
    epsilon = value_up(program, claim.epsilon)
    because = "no eps-DP mechanism has a larger divergence than randomised response"
    return tuple(
        Derivation(RenyiBound(claim.gates, a, renyi.pure(epsilon, a), None), NAME, (part,), because=because, cite=CITE)
        for a in orders
    )


def holds(program: Program, derivation: Derivation) -> str | None:
    problem = mismatch(derivation)
    if problem is not None:
        return problem
    premise, claim = derivation.premises[0].conclusion, derivation.conclusion
    if not isinstance(premise, PureBound) or not isinstance(claim, RenyiBound):
        return "it turns a pure bound into an RDP bound"
    epsilon = renyi.pure(value_up(program, premise.epsilon), claim.order)
    return None if epsilon <= claim.epsilon else f"only epsilon {epsilon:.6g} follows at order {claim.order:g}"


RULE = Rule(
    NAME,
    "Pure DP to RDP",
    """eps-DP, in nats; a > 1
    ------------------------------------------------------------------------------------------------
    (a, log[p^a q^(1-a) + q^a p^(1-a)] / (a-1))-RDP, p = e^eps/(1+e^eps), q = 1 - p; at most eps and a eps^2/2""",
    CITE,
    holds,
)

SEARCH = Search(NAME, ("part", "orders"), suggest)
