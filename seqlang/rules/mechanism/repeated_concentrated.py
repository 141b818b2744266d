"""Many showings, each of them pure: their concentrated losses add up, which grows slower than the sum of pure ones."""

from __future__ import annotations

from seqlang.arithmetic.formula import ONE, Formula
from seqlang.model.program import Gate, Program
from seqlang.proof.derivation import ConcentratedBound
from seqlang.rules.gates.gate_rule import gate_rule
from seqlang.rules.gates.showings import NOT_MINE, in_all_concentrated
from seqlang.rules.mechanism.each_showing import pure_showings
from seqlang.rules.reading.signs import Signs
from seqlang.rules.search import Offer, Search
from seqlang.rules.sensitivity.facts.formulas import parameter_values


def cost_of(program: Program, gate: Gate) -> Formula | str:
    """rho = entries^2 times showings touched times eps^2 / 2, for showings that are eps-DP each."""
    return in_all_concentrated(pure_showings(program, gate), 2)


STATEMENT = """
    each showing is eps-DP given what was shown before;   a changed entry touches at most T of them
    --------------------------------------------------------------------------------------------------
              the gate is (T eps^2 / 2)-zCDP

eps-DP is eps^2/2-zCDP, and rho adds up, also where what was shown decides which of the later showings are touched. In k
changed entries: k^2 times. Epsilon in nats.
"""

RULE, _of_gate = gate_rule(
    "mechanism/repeated_concentrated",
    "Pure showings, concentrated",
    STATEMENT,
    "Bun & Steinke 2016, Propositions 1.4 and 1.9, Lemma 1.7; which showing is touched may depend on earlier ones: "
    "Feldman & Zrnic 2021",
    "each showing is pure, and its concentrated loss is half its square",
    {ConcentratedBound: cost_of},
)


def suggest(program: Program, gate: Gate) -> Offer:
    """The zCDP bound of all showings of the gate together; of one showing the pure bound says as much."""
    showings = pure_showings(program, gate)
    if isinstance(showings, str) or Signs(parameter_values(program)).at_least(ONE, showings.times):
        return NOT_MINE  # a pure rule has said why
    return _of_gate.suggest(program, gate)


SEARCH = Search(RULE.name, ("gate",), suggest)
