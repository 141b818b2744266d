"""The exponential mechanism has bounded range, so it is concentrated (Cesar & Rogers 2021, Lemma 3.4).

Report noisy max with Gumbel noise is the exponential mechanism: the position i is shown with probability proportional
to exp(value_i / scale). With Laplace or exponential noise it is not, and its loss has no such range.
"""

from __future__ import annotations

from seqlang.arithmetic.formula import Formula
from seqlang.model.program import Gate, Program
from seqlang.proof.derivation import ConcentratedBound
from seqlang.rules.gates.gate_rule import gate_rule
from seqlang.rules.gates.showings import NOT_MINE, in_all_concentrated
from seqlang.rules.gates.weights import weighted_choice
from seqlang.rules.joint.ranking import single_winner
from seqlang.rules.mechanism.noisy_max import gumbel_choice


def cost_of(program: Program, gate: Gate) -> Formula | str:
    """rho = entries^2 times choices touched times r^2 / 8."""
    winner = single_winner(program, gate)
    choice = gumbel_choice(program, gate) if winner is None else gumbel_choice(*winner)
    if choice == NOT_MINE:
        choice = weighted_choice(program, gate)
    return in_all_concentrated(choice, 8)


STATEMENT = """
    a value is chosen with probability proportional to exp(g(value));   neighbours move two g's apart by at most r
    ----------------------------------------------------------------------------------------------------------------
              the choice is (T r^2 / 8)-zCDP, T = the showings that a changed entry touches
    the position of the largest of v_i + Gumbel noise of scale b: the same with g = v / b

log P(v)/P'(v) - log P(u)/P'(u) = (g(v) - g'(v)) - (g(u) - g'(u)) <= r: the loss has range r, and a loss with range r
and mean exp(-loss) one has Renyi divergence at most alpha r^2 / 8 at every order alpha.
"""

RULE, SEARCH = gate_rule(
    "mechanism/bounded_range",
    "Bounded range",
    STATEMENT,
    "Dong, Durfee & Rogers 2020; Cesar & Rogers 2021, Lemma 3.4",
    "the privacy loss of one choice stays within an interval of length r",
    {ConcentratedBound: cost_of},
)
