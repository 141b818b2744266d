"""zCDP bounds add up."""

from __future__ import annotations

from collections.abc import Sequence

from seqlang.arithmetic.formula import ZERO, at_most
from seqlang.model.program import Program
from seqlang.proof.derivation import ConcentratedBound, Derivation
from seqlang.proof.rule import Rule
from seqlang.rules.composition.concurrent import horizon_covered, shortest, why_not_concurrent
from seqlang.rules.search import Search
from seqlang.rules.sensitivity.facts.formulas import parameter_values

NAME = "composition/concentrated"
CITE = "Bun & Steinke 2016, Lemma 1.7; side by side: Lyu 2022"


def suggest(program: Program, parts: Sequence[Derivation]) -> Derivation | None:
    """zCDP bounds to one; None if they cannot be put together."""
    claims = [p.conclusion for p in parts if isinstance(p.conclusion, ConcentratedBound)]
    if len(claims) != len(parts) or not claims:
        return None
    gates = tuple(gate for claim in claims for gate in claim.gates)
    conclusion = ConcentratedBound(gates, sum((c.rho for c in claims), start=ZERO), shortest(parts))
    made = Derivation(conclusion, NAME, tuple(parts), because="zero-concentrated losses add up", cite=CITE)
    return made if holds(program, made) is None else None


def holds(program: Program, derivation: Derivation) -> str | None:
    claim, parts = derivation.conclusion, derivation.premises
    if not isinstance(claim, ConcentratedBound):
        return "it concludes a zCDP bound"
    problem = why_not_concurrent(program, claim, parts)
    if problem is not None:
        return problem
    claims = [p.conclusion for p in parts if isinstance(p.conclusion, ConcentratedBound)]
    if len(claims) != len(parts):
        return "every part must be a zCDP bound"
    if not horizon_covered(claim, parts):
        return "a part holds for fewer steps"
    total = sum((c.rho for c in claims), start=ZERO)
    return None if at_most(total, claim.rho, parameter_values(program)) else "the sum of the parts is larger"


RULE = Rule(
    NAME,
    "Addition of zCDP",
    """Gates G_i with independent noise, G_i rho_i-zCDP
    ------------------------------------------------------------------------------------------------
    all gates together are (sum rho_i)-zCDP""",
    CITE,
    holds,
)

SEARCH = Search(NAME, ("parts",), suggest)
