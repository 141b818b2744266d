"""An RDP bound at one order, as an (epsilon, delta) bound."""

from __future__ import annotations

from collections.abc import Sequence

from seqlang.accounting import conversion
from seqlang.model.program import Program
from seqlang.proof.derivation import ApproximateBound, Derivation, RenyiBound
from seqlang.proof.rule import Rule
from seqlang.rules.conversion.premise import mismatch
from seqlang.rules.search import Search

NAME = "conversion/renyi_to_approximate"
CITE = "Canonne, Kamath & Steinke 2020, Proposition 12"


def suggest(program: Program, parts: Sequence[Derivation], delta: float) -> Derivation | None:
    """The best of the given bounds (any orders, one set of gates each) at `delta`."""
    best: tuple[float, Derivation, RenyiBound] | None = None
    for part in parts:
        claim = part.conclusion
        if isinstance(claim, RenyiBound):
            epsilon = conversion.canonne(claim.order, claim.epsilon, delta)
            if best is None or epsilon < best[0]:
                best = (epsilon, part, claim)
    if best is None:
        return None
    epsilon, part, claim = best
    because = f"order {claim.order:g} gives the smallest epsilon at delta {delta:g}"
    return Derivation(ApproximateBound(claim.gates, epsilon, delta, claim.horizon), NAME, (part,), None, because, CITE)


def holds(program: Program, derivation: Derivation) -> str | None:
    problem = mismatch(derivation)
    if problem is not None:
        return problem
    premise, claim = derivation.premises[0].conclusion, derivation.conclusion
    if not isinstance(premise, RenyiBound) or not isinstance(claim, ApproximateBound):
        return "it turns an RDP bound into an (epsilon, delta) bound"
    epsilon = conversion.canonne(premise.order, premise.epsilon, claim.delta)
    return None if epsilon <= claim.epsilon else f"only epsilon {epsilon:.6g} follows at delta {claim.delta:g}"


RULE = Rule(
    NAME,
    "RDP to (epsilon, delta)",
    """(a, eps)-RDP, in nats; a > 1, 0 < delta < 1
    ------------------------------------------------------------------------------------------------
    (max(0, eps + ln(1 - 1/a) - ln(a delta)/(a-1)), delta)-DP""",
    CITE,
    holds,
)

SEARCH = Search(NAME, ("parts", "delta"), suggest)
