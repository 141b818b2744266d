"""What is computed from the transcript alone says nothing new: public gates join for free, and a bound may be
weakened."""

from __future__ import annotations

from fractions import Fraction

from seqlang.model.program import Program, PublicGate
from seqlang.proof.derivation import Derivation, RenyiBound, settled
from seqlang.proof.rule import Rule
from seqlang.record import replace
from seqlang.rules.composition.concurrent import horizon_covered
from seqlang.rules.computed import implies
from seqlang.rules.search import Search

NAME = "composition/post_processing"
CITE = "Dwork & Roth 2014, Proposition 2.1"
RENYI = "van Erven & Harremoes 2014, Theorem 3"


def suggest(program: Program, part: Derivation) -> Derivation | None:
    """The bound with all public gates of the program added; None if there are none to add."""
    new = tuple(g.name for g in program.gates if isinstance(g, PublicGate) and g.name not in part.conclusion.gates)
    if not new:
        return None
    conclusion = replace(part.conclusion, gates=(*part.conclusion.gates, *new))
    because = f"{', '.join(new)} can be computed from the transcript"
    return Derivation(conclusion, NAME, (part,), because=because, cite=CITE)


def at_lower_order(part: Derivation, order: Fraction) -> Derivation | None:
    """An RDP bound, said of a lower order: Renyi divergences do not fall with the order."""
    claim = part.conclusion
    if not isinstance(claim, RenyiBound) or not 1 < order < claim.order:
        return None
    because = f"a Renyi divergence does not fall with the order: the bound at order {float(claim.order):g} serves"
    return Derivation(replace(claim, order=order, epsilon=settled(claim)), NAME, (part,), because=because, cite=RENYI)


def holds(program: Program, derivation: Derivation) -> str | None:
    if len(derivation.premises) != 1:
        return "it has one premise"
    claim, premise = derivation.conclusion, derivation.premises[0].conclusion
    public = {g.name for g in program.gates if isinstance(g, PublicGate)}
    if not set(premise.gates) <= set(claim.gates) or not set(claim.gates) <= set(premise.gates) | public:
        return "only public gates may be added, and none left out"
    if not horizon_covered(claim, derivation.premises):
        return "the premise holds for fewer steps"
    return None if implies(program, premise, claim) else "the bound is smaller than the premise's, or of another kind"


RULE = Rule(
    NAME,
    "Post-processing",
    """a bound B for gates G; public gates P
    ------------------------------------------------------------------------------------------------
    every bound that B implies (larger epsilon or delta, lower Renyi order, fewer steps) holds for G and P together""",
    CITE,
    holds,
)

SEARCH = Search(NAME, ("part",), suggest)
