"""eps-DP is eps^2/2-zCDP."""

from __future__ import annotations

from seqlang.arithmetic.formula import at_most
from seqlang.model.program import Program
from seqlang.proof.derivation import ConcentratedBound, Derivation, PureBound
from seqlang.proof.rule import Rule
from seqlang.rules.conversion.premise import mismatch
from seqlang.rules.search import Search
from seqlang.rules.sensitivity.facts.formulas import parameter_values

NAME = "conversion/pure_to_concentrated"
CITE = "Bun & Steinke 2016, Proposition 1.4"


def suggest(program: Program, part: Derivation) -> Derivation | None:
    claim = part.conclusion
    if not isinstance(claim, PureBound) or claim.epsilon.is_infinite:
        return None
    rho = claim.epsilon * claim.epsilon / 2
    conclusion = ConcentratedBound(claim.gates, rho, None)
    return Derivation(
        conclusion, NAME, (part,), because="a pure bound eps is zero-concentrated with eps^2/2", cite=CITE
    )


def holds(program: Program, derivation: Derivation) -> str | None:
    problem = mismatch(derivation)
    if problem is not None:
        return problem
    premise, claim = derivation.premises[0].conclusion, derivation.conclusion
    if not isinstance(premise, PureBound) or not isinstance(claim, ConcentratedBound):
        return "it turns a pure bound into a zCDP bound"
    rho = premise.epsilon * premise.epsilon / 2
    return None if at_most(rho, claim.rho, parameter_values(program)) else "rho is smaller than eps^2/2"


RULE = Rule(
    NAME,
    "Pure DP to zCDP",
    """eps-DP, in nats
    ------------------------------------------------------------------------------------------------
    (eps^2/2)-zCDP""",
    CITE,
    holds,
)

SEARCH = Search(NAME, ("part",), suggest)
