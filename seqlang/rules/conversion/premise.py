"""What every conversion checks: one premise, the same gates, no more steps."""

from __future__ import annotations

from seqlang.proof.derivation import Derivation
from seqlang.rules.composition.joint import horizon_covered


def mismatch(derivation: Derivation) -> str | None:
    """None if the derivation turns one bound into another for the same gates and no more steps."""
    if len(derivation.premises) != 1:
        return "a conversion has one premise"
    if set(derivation.premises[0].conclusion.gates) != set(derivation.conclusion.gates):
        return "the premise is for other gates"
    if not horizon_covered(derivation.conclusion, derivation.premises):
        return "the premise holds for fewer steps"
    return None
