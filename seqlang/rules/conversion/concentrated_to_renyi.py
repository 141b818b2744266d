"""zCDP is RDP along a line."""

from __future__ import annotations

from seqlang.accounting import concentrated
from seqlang.model.program import Program
from seqlang.proof.derivation import ConcentratedBound, Derivation, RenyiBound
from seqlang.proof.rule import Rule
from seqlang.rules.composition.concurrent import value_up
from seqlang.rules.conversion.premise import mismatch
from seqlang.rules.search import Search

NAME = "conversion/concentrated_to_renyi"
CITE = "Bun & Steinke 2016, Definition 1.1"


def suggest(program: Program, part: Derivation, orders: tuple[float, ...]) -> tuple[Derivation, ...]:
    """One RenyiBound an order."""
    claim = part.conclusion
    if not isinstance(claim, ConcentratedBound) or claim.rho.is_infinite:
        return ()
    rho = value_up(program, claim.rho)
    found = [RenyiBound(claim.gates, a, concentrated.renyi(rho, a), claim.horizon) for a in orders]
    return tuple(Derivation(c, NAME, (part,), because="the definition of zCDP", cite=CITE) for c in found)


def holds(program: Program, derivation: Derivation) -> str | None:
    problem = mismatch(derivation)
    if problem is not None:
        return problem
    premise, claim = derivation.premises[0].conclusion, derivation.conclusion
    if not isinstance(premise, ConcentratedBound) or not isinstance(claim, RenyiBound):
        return "it turns a zCDP bound into an RDP bound"
    epsilon = concentrated.renyi(value_up(program, premise.rho), claim.order)
    return None if epsilon <= claim.epsilon else f"only epsilon {epsilon:.6g} follows at order {claim.order:g}"


RULE = Rule(
    NAME,
    "zCDP to RDP",
    """rho-zCDP; a > 1
    ------------------------------------------------------------------------------------------------
    (a, rho a)-RDP, in nats""",
    CITE,
    holds,
)

SEARCH = Search(NAME, ("part", "orders"), suggest)
