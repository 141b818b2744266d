"""What holds of every algorithm: a delta of 1 or more allows everything."""

from __future__ import annotations

from fractions import Fraction

from seqlang.arithmetic.formula import ZERO, at_most
from seqlang.model.program import Program
from seqlang.proof.derivation import ApproximateBound, Derivation, settled
from seqlang.proof.rule import Rule
from seqlang.rules.sensitivity.facts.formulas import parameter_values

NAME = "composition/every_algorithm"
CITE = "Dwork & Roth 2014, Definition 2.4"


def derivation(program: Program) -> Derivation:
    """(0, 1)-DP of all gates together, for any number of steps."""
    gates = tuple(gate.name for gate in program.gates)
    because = "a delta of 1 or more says nothing: it holds of every algorithm"
    return Derivation(ApproximateBound(gates, ZERO, Fraction(1), None), NAME, because=because, cite=CITE)


def holds(program: Program, derivation: Derivation) -> str | None:
    claim = derivation.conclusion
    if not isinstance(claim, ApproximateBound) or derivation.premises:
        return "it concludes an (epsilon, delta) bound from no premises"
    if not set(claim.gates) <= {gate.name for gate in program.gates}:
        return "a gate is named that the program does not have"
    if not at_most(ZERO, settled(claim), parameter_values(program)):
        return "epsilon is negative"
    return None if claim.delta >= 1 else "a delta below 1 is a promise"


RULE = Rule(
    NAME,
    "Nothing is promised",
    """delta >= 1
    ------------------------------------------------------------------------------------------------
    any gates together are (eps, delta)-DP for every eps >= 0: P(E) <= e^eps Q(E) + 1""",
    CITE,
    holds,
)
