"""The Renyi curve of a gate whose showings are pure: that of Laplace noise, of an exponential mechanism, or the worst
of all that are as pure. It is lower than what follows from the pure bound, or from the zCDP bound, of the whole."""

from __future__ import annotations

from fractions import Fraction

from seqlang.accounting import curves
from seqlang.accounting.numeric.parts import BoundedRange, Laplace, Pure
from seqlang.arithmetic.formula import INFINITY, ONE, ZERO, Formula
from seqlang.model.program import Gate, Program
from seqlang.proof.derivation import Derivation, RenyiBound
from seqlang.rules.computed import Computed, from_the_program, simplified
from seqlang.rules.gates.gate_rule import gate_of
from seqlang.rules.gates.showings import NOT_MINE, UNLIMITED
from seqlang.rules.mechanism.parts_of_gate import pure_parts
from seqlang.rules.reading.signs import Signs
from seqlang.rules.search import Search
from seqlang.rules.sensitivity.facts.formulas import parameter_values

_CURVES = {Laplace: curves.laplace, BoundedRange: curves.bounded_range, Pure: curves.pure}
_BECAUSE = {
    Laplace: "the Renyi divergence of Laplace noise from itself, moved",
    BoundedRange: "the losses of one choice lie in an interval of known length",
    Pure: "randomised response is the worst of what is as pure",
}


def _least(program: Program, asked: RenyiBound, _: Derivation) -> Formula | str:
    gate = gate_of(program, asked.gates)
    return gate if isinstance(gate, str) else _of_gate(program, gate)


def _of_gate(program: Program, gate: Gate) -> Formula | str:
    found = pure_parts(program, gate)
    if isinstance(found, str):
        return found
    showings, kind = found
    if showings.one == ZERO:
        return ZERO
    if showings.entries != ONE:
        return NOT_MINE
    return UNLIMITED if showings.times.is_infinite else showings.times * _CURVES[kind](showings.one)


STATEMENT = """
    each showing is eps-DP given what was shown before;   a changed entry touches at most T of them;   a > 1
    ------------------------------------------------------------------------------------------------------------
    the gate is (a, T D_a)-RDP
      a number moved by t scales of its Laplace noise (eps = t):  D_a = t + log[(a + (a-1) e^(-(2a-1) t))/(2a-1)]/(a-1)
      an exponential mechanism of range eps:  D_a = eps + log[(a-1) u/(a v)] + log[u/(a w)]/(a-1),
            u = 1 - e^(-a eps), v = 1 - e^(-(a-1) eps), w = 1 - e^(-eps)
      anything else:  D_a = eps + log[(1 + e^(-(2a-1) eps))/(1 + e^(-eps))]/(a-1)

Divergences of one order add up, also where what was shown decides which of the later showings are touched. In nats.
"""

_COMPUTED = Computed(
    "mechanism/renyi_curve",
    "Renyi curve of pure showings",
    STATEMENT,
    "Mironov 2017, Propositions 1 and 6; Dong, Durfee & Rogers 2020; Kairouz, Oh & Viswanath 2015; which showing is "
    "touched may depend on earlier ones: Feldman & Zrnic 2021",
    RenyiBound,
    from_the_program,
    _least,
)


def suggest(program: Program, gate: Gate, orders: tuple[Fraction, ...]) -> tuple[Derivation, ...] | str:
    """One bound an order."""
    found = pure_parts(program, gate)
    if isinstance(found, str):
        return NOT_MINE  # a pure rule has said why
    if found[1] is Pure and Signs(parameter_values(program)).at_least(ONE, found[0].times):
        return NOT_MINE  # of one showing the pure bound says as much
    asked = (RenyiBound((gate.name,), order, INFINITY, None) for order in orders)
    offers = (_COMPUTED.offer(program, one, _BECAUSE[found[1]]) for one in asked)
    return tuple(simplified(program, offer) for offer in offers if isinstance(offer, Derivation))


RULE, SEARCH = _COMPUTED.rule, Search(_COMPUTED.rule.name, ("gate", "orders"), suggest)
