"""What conversions check: one premise, the same gates, no more steps; and what a premise is about."""

from __future__ import annotations

from seqlang.proof.derivation import Derivation
from seqlang.rules.composition.concurrent import horizon_covered


def mismatch(derivation: Derivation) -> str | None:
    """None if the derivation turns one bound into another for the same gates and no more steps."""
    if len(derivation.premises) != 1:
        return "a conversion has one premise"
    if set(derivation.premises[0].conclusion.gates) != set(derivation.conclusion.gates):
        return "the premise is for other gates"
    if not horizon_covered(derivation.conclusion, derivation.premises):
        return "the premise holds for fewer steps"
    return None


def is_about_its_gates(derivation: Derivation) -> bool:
    """A rule's own bound for the gates that it names, drawn from no other bound.

    A bound drawn from others may have paid for more than it names: where hidden choices were left out, the gates that
    are named are cheap only because somebody paid for the choices. Whoever looks at the gates themselves instead of at
    the number has to ask this first.
    """
    evidence = derivation.evidence
    below = evidence if isinstance(evidence, tuple) else (evidence,)
    return not derivation.premises and not any(isinstance(part, Derivation) for part in below)
