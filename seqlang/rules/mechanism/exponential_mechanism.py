"""A choice with weights that depend on the data: the exponential mechanism (McSherry & Talwar 2007)."""

from __future__ import annotations

from seqlang.arithmetic.formula import Formula
from seqlang.model.program import Gate, Program
from seqlang.proof.derivation import Derivation, PureBound
from seqlang.proof.rule import Rule
from seqlang.rules.mechanism.gate_rule import Showings, checked, in_all, suggested
from seqlang.rules.mechanism.weights import weighted_choice
from seqlang.rules.search import Search

NAME = "mechanism/exponential_mechanism"
CITE = "McSherry & Talwar 2007; Dwork & Roth 2014, Theorem 3.10"


def suggest(program: Program, gate: Gate) -> Derivation | str:
    """The pure bound of all choices of the gate together, or why there is none."""
    because = "probabilities change by the weight's own factor and by that of the normaliser"
    return suggested(program, gate, cost_of, NAME, because, CITE)


def holds(program: Program, derivation: Derivation) -> str | None:
    return checked(program, derivation, cost_of, PureBound)


def cost_of(program: Program, gate: Gate) -> Formula | str:
    """The pure bound of all showings together."""
    return in_all(showings_of(program, gate))


def showings_of(program: Program, gate: Gate) -> Showings | str:
    """One choice costs how far two log-weights can move apart."""
    choice = weighted_choice(program, gate)
    if isinstance(choice, str):
        return choice
    return Showings(choice.entries, choice.times, choice.apart)


STATEMENT = """
    a value is chosen with probability proportional to exp(g(value));   neighbours move two g's apart by at most r
    ----------------------------------------------------------------------------------------------------------------
              the choice is (T r)-DP, T = the showings that a changed entry touches

P(v)/P'(v) = exp(g(v) - g'(v)) * sum exp(g') / sum exp(g), and the quotient of the sums is a mean of exp(g' - g). With
|g' - g| <= s for each value r = 2s; r = s if all move in one direction. A choice that is drawn in every step but shown
only at the stop is shown once. Epsilon in nats.
"""

RULE = Rule(NAME, "Exponential mechanism", STATEMENT, CITE, holds)

SEARCH = Search(NAME, ("gate",), suggest, showings_of)
