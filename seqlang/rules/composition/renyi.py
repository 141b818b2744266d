"""RDP bounds at one order add up."""

from __future__ import annotations

from collections.abc import Sequence

from seqlang.accounting import renyi
from seqlang.model.program import Program
from seqlang.proof.derivation import Derivation, RenyiBound
from seqlang.proof.rule import Rule
from seqlang.rules.composition.concurrent import horizon_covered, shortest, why_not_concurrent
from seqlang.rules.search import Search

NAME = "composition/renyi"
CITE = "Mironov 2017, Proposition 1; side by side: Lyu 2022"


def suggest(program: Program, parts: Sequence[Derivation]) -> Derivation | None:
    """RDP bounds of one order to one RDP bound; None if they cannot be put together."""
    claims = [p.conclusion for p in parts if isinstance(p.conclusion, RenyiBound)]
    if len(claims) != len(parts) or not claims:
        return None
    gates = tuple(gate for claim in claims for gate in claim.gates)
    total = renyi.add(claim.epsilon for claim in claims)
    conclusion = RenyiBound(gates, claims[0].order, total, shortest(parts))
    made = Derivation(conclusion, NAME, tuple(parts), because="Renyi divergences at one order add up", cite=CITE)
    return made if holds(program, made) is None else None


def holds(program: Program, derivation: Derivation) -> str | None:
    claim, parts = derivation.conclusion, derivation.premises
    if not isinstance(claim, RenyiBound):
        return "it concludes an RDP bound"
    problem = why_not_concurrent(program, claim, parts)
    if problem is not None:
        return problem
    claims = [p.conclusion for p in parts if isinstance(p.conclusion, RenyiBound) and p.conclusion.order == claim.order]
    if len(claims) != len(parts):
        return f"every part must be an RDP bound at order {claim.order:g}"
    if not horizon_covered(claim, parts):
        return "a part holds for fewer steps"
    return None if renyi.add(c.epsilon for c in claims) <= claim.epsilon else "the sum of the parts is larger"


RULE = Rule(
    NAME,
    "Addition of RDP",
    """Gates G_i with independent noise, G_i (a, eps_i)-RDP, in nats
    ------------------------------------------------------------------------------------------------
    all gates together are (a, sum eps_i)-RDP""",
    CITE,
    holds,
)

SEARCH = Search(NAME, ("parts",), suggest)
