"""Randomised choices with private weights: how far the logarithms of two weights move apart."""

from __future__ import annotations

from seqlang.analyses.trials.claimed import Claimed
from seqlang.analyses.trials.quantities import Quantity, place_of
from seqlang.arithmetic.formula import enclose
from seqlang.model.program import ChooseGate, PrivateLaw, Program
from seqlang.rules.sensitivity.facts.formulas import parameter_values


def choices_of(program: Program) -> tuple[tuple[Quantity, Claimed], ...]:
    """The laws whose weights are known to stay together, for neighbours that differ in one entry."""
    found = []
    for gate in program.gates:
        if isinstance(gate, ChooseGate) and isinstance(gate.law, PrivateLaw):
            from seqlang.rules.gates.weights import weighted_choice

            choice = weighted_choice(program, gate)
            if not isinstance(choice, str):
                apart = enclose(choice.one, parameter_values(program)).high
                quantity = Quantity(
                    f"the log-weights of {gate.name}", gate.law.law, place_of(program, gate), gate.guard
                )
                found.append((quantity, Claimed("arbitrary", (("apart", apart),), 0, None, None)))
    return tuple(found)
