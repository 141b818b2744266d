"""Many showings, each of them pure: their concentrated losses add up, which grows slower than the sum of pure ones."""

from __future__ import annotations

from seqlang.arithmetic.formula import ONE, ZERO, Formula, product
from seqlang.model.program import Gate, Program
from seqlang.proof.derivation import ConcentratedBound, Derivation
from seqlang.proof.rule import Rule
from seqlang.rules.mechanism.each_showing import pure_showings
from seqlang.rules.mechanism.gate_rule import NOT_MINE, checked, suggested_zcdp
from seqlang.rules.reading.signs import Signs
from seqlang.rules.search import Search
from seqlang.rules.sensitivity.facts.formulas import parameter_values

NAME = "mechanism/repeated_concentrated"
CITE = "Bun & Steinke 2016, Propositions 1.4 and 1.9, Lemma 1.7; which showing is touched may depend on earlier ones: \
Feldman & Zrnic 2021"


def suggest(program: Program, gate: Gate) -> Derivation | str:
    """The zCDP bound of all showings of the gate together; of one showing the pure bound says as much."""
    showings = pure_showings(program, gate)
    if isinstance(showings, str) or Signs(parameter_values(program)).at_least(ONE, showings.times):
        return NOT_MINE  # a pure rule has said why
    because = "each showing is pure, and its concentrated loss is half its square"
    return suggested_zcdp(program, gate, cost_of, NAME, because, CITE)


def holds(program: Program, derivation: Derivation) -> str | None:
    return checked(program, derivation, cost_of, ConcentratedBound)


def cost_of(program: Program, gate: Gate) -> Formula | str:
    """rho = entries^2 times showings touched times eps^2 / 2, for showings that are eps-DP each."""
    found = pure_showings(program, gate)
    if isinstance(found, str):
        return found
    if found.one == ZERO:
        return ZERO
    if found.times.is_infinite:
        return "nothing limits how often a changed entry is shown"
    return product((found.entries, found.entries, found.times, found.one**2 / 2))


STATEMENT = """
    each showing is eps-DP given what was shown before;   a changed entry touches at most T of them
    --------------------------------------------------------------------------------------------------
              the gate is (T eps^2 / 2)-zCDP

eps-DP is eps^2/2-zCDP, and rho adds up, also where what was shown decides which of the later showings are touched. In k
changed entries: k^2 times. Epsilon in nats.
"""

RULE = Rule(NAME, "Pure showings, concentrated", STATEMENT, CITE, holds)

SEARCH = Search(NAME, ("gate",), suggest)
