"""Several gates show functions of one noisy value of the same step: together they tell no more than the value."""

from __future__ import annotations

from seqlang.arithmetic.formula import Formula
from seqlang.model.program import Program
from seqlang.proof.derivation import ConcentratedBound, Derivation, PureBound
from seqlang.proof.rule import Rule
from seqlang.rules.computed import certainly, simplified
from seqlang.rules.gates.showings import in_all
from seqlang.rules.joint.noisy_value import as_one, noisy_value_of, shown_value
from seqlang.rules.mechanism import gaussian, release, repeated_concentrated
from seqlang.rules.search import Search

NAME = "joint/same_value"
CITE = "Dwork & Roth 2014, Proposition 2.1; see mechanism/release and mechanism/gaussian"


def suggest(program: Program, gates: tuple[str, ...]) -> tuple[Derivation, ...] | str:
    """A pure bound, zCDP bounds, or why there is none."""
    bounds, reason = _bounds(program, gates)
    because = "whoever sees the noisy value can compute what all of these gates show"
    made = (Derivation(bound, NAME, because=because, cite=CITE) for bound in bounds)
    return tuple(simplified(program, step) for step in made) or reason


def holds(program: Program, derivation: Derivation) -> str | None:
    claim = derivation.conclusion
    if not isinstance(claim, (PureBound, ConcentratedBound)) or derivation.premises:
        return "it concludes a pure or a zCDP bound from no premises"
    bounds, reason = _bounds(program, claim.gates)
    if any(certainly(program, bound, claim) for bound in bounds):
        return None
    return reason or f"no bound as small as {claim}"


def _bounds(program: Program, names: tuple[str, ...]) -> tuple[tuple[PureBound | ConcentratedBound, ...], str]:
    """Those for the value itself; and why there is none."""
    shared = noisy_value_of(program, names) if len(names) > 1 else None
    if shared is None:
        return (), ""
    gate = shown_value(shared)
    other = as_one(program, shared, gate)
    pure = in_all(release.showings_of(other, gate))
    costs = (pure, gaussian.cost_of(other, gate), repeated_concentrated.cost_of(other, gate))
    found = [ConcentratedBound(names, cost, None) for cost in costs[1:] if isinstance(cost, Formula)]
    reason = next((cost for cost in costs if isinstance(cost, str) and cost), "")
    return (PureBound(names, pure), *found) if isinstance(pure, Formula) else tuple(found), reason


STATEMENT = """
    gates G show functions of one noisy value v + noise;   to show the value itself is within a bound B
    ------------------------------------------------------------------------------------------------------
              all gates of G together are within B

The value counts as shown in every step in which one of the gates shows something, whatever their conditions if these
differ. B comes from mechanism/release or mechanism/gaussian.
"""

RULE = Rule(NAME, "One noisy value, shown several times", STATEMENT, CITE, holds)

SEARCH = Search(NAME, ("gates",), suggest)
