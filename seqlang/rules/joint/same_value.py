"""Several gates show functions of one noisy value of the same step: together they tell no more than the value."""

from __future__ import annotations

from seqlang.arithmetic.compare import at_most
from seqlang.arithmetic.formula import Formula
from seqlang.arithmetic.simplify import simplify
from seqlang.model.program import Program
from seqlang.proof.derivation import ConcentratedBound, Derivation, PureBound
from seqlang.proof.rule import Rule
from seqlang.rules.joint.noisy_value import as_one, noisy_value_of, shown_value
from seqlang.rules.mechanism import gaussian, release, repeated_concentrated
from seqlang.rules.mechanism.showings import in_all
from seqlang.rules.search import Search
from seqlang.rules.sensitivity.facts.formulas import parameter_bounds, parameter_values

NAME = "joint/same_value"
CITE = "Dwork & Roth 2014, Proposition 2.1; see mechanism/release and mechanism/gaussian"


def suggest(program: Program, gates: tuple[str, ...]) -> tuple[Derivation, ...] | str:
    """A pure bound, zCDP bounds, or why there is none."""
    costs, reason = _costs(program, gates)
    because = "whoever sees the noisy value can compute what all of these gates show"
    bounds = parameter_bounds(program)
    made = [
        PureBound(gates, simplify(cost, bounds)) if pure else ConcentratedBound(gates, simplify(cost, bounds), None)
        for pure, cost in costs
    ]
    return tuple(Derivation(conclusion, NAME, because=because, cite=CITE) for conclusion in made) or reason


def holds(program: Program, derivation: Derivation) -> str | None:
    claim = derivation.conclusion
    if not isinstance(claim, (PureBound, ConcentratedBound)) or derivation.premises:
        return "it concludes a pure or a zCDP bound from no premises"
    pure = isinstance(claim, PureBound)
    claimed = claim.epsilon if isinstance(claim, PureBound) else claim.rho
    costs, reason = _costs(program, claim.gates)
    values, bounds = parameter_values(program), parameter_bounds(program)
    for kind, cost in costs:
        if kind == pure and (at_most(cost, claimed, values) or simplify(cost, bounds) == claimed):
            return None
    return reason or f"no bound as small as {claimed}"


def _costs(program: Program, names: tuple[str, ...]) -> tuple[tuple[tuple[bool, Formula], ...], str]:
    """(is it pure, bound); and why there is none."""
    shared = noisy_value_of(program, names) if len(names) > 1 else None
    if shared is None:
        return (), ""
    gate = shown_value(shared)
    other = as_one(program, shared, gate)
    found = (
        (True, in_all(release.showings_of(other, gate))),
        (False, gaussian.cost_of(other, gate)),
        (False, repeated_concentrated.cost_of(other, gate)),
    )
    reasons = [cost for _, cost in found if isinstance(cost, str) and cost]
    return tuple((pure, c) for pure, c in found if isinstance(c, Formula)), reasons[0] if reasons else ""


STATEMENT = """
    gates G show functions of one noisy value v + noise;   to show the value itself is within a bound B
    ------------------------------------------------------------------------------------------------------
              all gates of G together are within B

The value counts as shown in every step in which one of the gates shows something, whatever their conditions if these
differ. B comes from mechanism/release or mechanism/gaussian.
"""

RULE = Rule(NAME, "One noisy value, shown several times", STATEMENT, CITE, holds)

SEARCH = Search(NAME, ("gates",), suggest)
