"""A coin whose bias depends on the data: bounded log ratios of both outcomes."""

from __future__ import annotations

from seqlang.arithmetic.formula import ONE, ZERO, Formula, logarithm, maximum, number, product
from seqlang.model.expression import Expression, Law
from seqlang.model.program import ChooseGate, Gate, PrivateLaw, Program
from seqlang.rules.gates.exposure import touched
from seqlang.rules.gates.gate_rule import pure_rule
from seqlang.rules.gates.showings import NOT_MINE, Showings
from seqlang.rules.reading.signs import Signs
from seqlang.rules.reading.single_entry import single_entry
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.rules.sensitivity.facts.shapes import dimension, is_number
from seqlang.rules.sensitivity.motion.shifts import shift_of
from seqlang.rules.sensitivity.ranges.ranges import range_of


def showings_of(program: Program, gate: Gate) -> Showings | str:
    """One toss costs max(log(high/low), log((1 - low)/(1 - high))) for a bias in [low, high]."""
    if not isinstance(gate, ChooseGate) or not isinstance(gate.law, PrivateLaw):
        return NOT_MINE
    law = gate.law.law
    if not isinstance(law, Law) or law.family != "bernoulli":
        return NOT_MINE
    signs = Signs(parameter_values(program))
    entries, single = single_entry(program)
    shift = shift_of(single, law.arguments[0])
    if shift.kind == "none":
        return Showings(entries, ONE, ZERO)
    bias = range_of(single, law.arguments[0])
    low, high = bias.low, bias.high
    if low is None or high is None or signs.of(low) != 1 or signs.of(number(1) - high) != 1:
        return "the bias is not known to stay away from 0 and 1"
    times = touched(single, gate, law.arguments, shift, signs)
    cost = maximum(logarithm(high / low), logarithm((number(1) - low) / (number(1) - high)))
    coins = _coins(single, law.arguments[0])
    return "an unknown number of coins" if coins is None else Showings(entries, times, product((coins, cost)))


def _coins(program: Program, bias: Expression) -> Formula | None:
    """How many coins are tossed: one, or one for each number of a list."""
    facts = facts_of(program)
    expanded = facts.expand(bias)
    return ONE if is_number(facts, expanded) else dimension(facts, expanded)


STATEMENT = """
    d coins (one, or a list) show 1 with probabilities that stay within [low, high],   0 < low <= high < 1
    ---------------------------------------------------------------------------------------------------------
      it is (d T max(log(high/low), log((1 - low)/(1 - high))))-DP, T = tosses a changed entry touches

Both outcomes count: the factor for 0 may exceed that for 1. Coins of a list are independent. Epsilon in nats.
"""

RULE, SEARCH = pure_rule(
    "mechanism/bernoulli",
    "Coin with a private bias",
    STATEMENT,
    "Bittner et al. 2020, Lemma 4.2, with both outcomes counted",
    "both outcomes have probabilities that stay within fixed factors",
    showings_of,
)
