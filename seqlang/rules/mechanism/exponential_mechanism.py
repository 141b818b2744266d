"""A choice with weights that depend on the data: the exponential mechanism (McSherry & Talwar 2007)."""

from __future__ import annotations

from seqlang.rules.gates.gate_rule import pure_rule
from seqlang.rules.gates.weights import weighted_choice

STATEMENT = """
    a value is chosen with probability proportional to exp(g(value));   neighbours move two g's apart by at most r
    ----------------------------------------------------------------------------------------------------------------
              the choice is (T r)-DP, T = the showings that a changed entry touches

P(v)/P'(v) = exp(g(v) - g'(v)) * sum exp(g') / sum exp(g), and the quotient of the sums is a mean of exp(g' - g). With
|g' - g| <= s for each value r = 2s; r = s if all move in one direction. A choice that is drawn in every step but shown
only at the stop is shown once. Epsilon in nats.
"""

RULE, SEARCH = pure_rule(
    "mechanism/exponential_mechanism",
    "Exponential mechanism",
    STATEMENT,
    "McSherry & Talwar 2007; Dwork & Roth 2014, Theorem 3.10",
    "probabilities change by the weight's own factor and by that of the normaliser",
    weighted_choice,
)
