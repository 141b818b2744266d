"""What conversions check: one premise, the same gates, no more steps; and what a premise is about."""

from __future__ import annotations

from collections.abc import Collection

from seqlang.model.program import Gate, Program
from seqlang.proof.derivation import Derivation
from seqlang.rules.composition.concurrent import horizon_covered


def mismatch(_: Program, derivation: Derivation) -> str | None:
    """None if the derivation turns one bound into another for the same gates and no more steps."""
    if len(derivation.premises) != 1:
        return "a conversion has one premise"
    if set(derivation.premises[0].conclusion.gates) != set(derivation.conclusion.gates):
        return "the premise is for other gates"
    if not horizon_covered(derivation.conclusion, derivation.premises):
        return "the premise holds for fewer steps"
    return None


def summands(step: Derivation, sums: Collection[str]) -> tuple[Derivation, ...]:
    """What was put together by these rules, in order."""
    if step.rule not in sums:
        return (step,)
    return tuple(part for premise in step.premises for part in summands(premise, sums))


def own_gate(program: Program, step: Derivation) -> Gate | None:
    """The one gate that a rule's own bound is about, if it was drawn from no other bound.

    A bound drawn from others may have paid for more than it names: where hidden choices were left out, the gates that
    are named are cheap only because somebody paid for the choices. Whoever looks at the gate itself instead of at the
    number has to ask this first.
    """
    evidence = step.evidence
    below = evidence if isinstance(evidence, tuple) else (evidence,)
    if step.premises or any(isinstance(part, Derivation) for part in below):
        return None
    return next((gate for gate in program.gates if step.conclusion.gates == (gate.name,)), None)
