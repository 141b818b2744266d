"""Report noisy max: the position of the largest of independently noised numbers (Dwork & Roth 2014, Claim 3.9)."""

from __future__ import annotations

from seqlang.arithmetic.formula import ONE, ZERO, Formula, logarithm, number, product
from seqlang.laws.facts import facts as facts_of_law
from seqlang.model.program import ChooseGate, Gate, NoisyMaxLaw, Program
from seqlang.rules.gates.exposure import touched
from seqlang.rules.gates.gate_rule import pure_rule
from seqlang.rules.gates.noise import Added, noises_of
from seqlang.rules.gates.radius import apart
from seqlang.rules.gates.showings import NOT_MINE, Showings
from seqlang.rules.reading.limits import least
from seqlang.rules.reading.signs import Signs
from seqlang.rules.reading.single_entry import single_entry
from seqlang.rules.reading.whole_numbers import moves_by_whole_numbers
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values
from seqlang.rules.sensitivity.facts.shapes import dimension
from seqlang.rules.sensitivity.motion.shift import Shift


def showings_of(program: Program, gate: Gate) -> Showings | str:
    """One showing costs how far two numbers can move apart over the scale, for the best noise."""
    if not isinstance(gate, ChooseGate) or not isinstance(gate.law, NoisyMaxLaw):
        return NOT_MINE
    signs = Signs(parameter_values(program))
    entries, single = single_entry(program)
    added = noises_of(program, gate, gate.law.terms, signs)
    if isinstance(added, str):
        return "no noise" if not gate.law.terms else added
    measured = apart(single, gate.law.of)
    if isinstance(measured, str):
        return measured
    distance, shift = measured
    if distance.is_infinite:
        return f"the numbers can move without bound{': ' + shift.note if shift.note else ''}"
    costs = [_one_showing(single, gate.law, one, distance, shift, signs) for one in added]
    known = [cost for cost in costs if isinstance(cost, Formula)]
    if not known:
        return next(cost for cost in costs if isinstance(cost, str))
    steady = all(one.once for one in added)  # one draw, and numbers that never change: one position, shown again
    times = ONE if steady else touched(single, gate, (gate.law.of,), shift, signs)
    return Showings(entries, times, least(known, signs))


def _losers(program: Program, law: NoisyMaxLaw, each: Formula) -> Formula | str:
    """Noise that pushes away from winning: the winner's cannot shrink, so all others grow instead."""
    facts = facts_of(program)
    size = dimension(facts, facts.expand(law.of))
    if size is None:
        return "one-sided noise that pushes away from winning, on an unknown number of numbers"
    return product((size - 1, each))


def gumbel_choice(program: Program, gate: Gate) -> Showings | str:
    """A noisy maximum with one Gumbel noise on each number, as the choice with weights exp(number / scale) that it is:
    the largest of g_i + G_i is the i-th with probability exp(g_i) / sum exp(g_j). NOT_MINE if it is something else."""
    if not isinstance(gate, ChooseGate) or not isinstance(gate.law, NoisyMaxLaw) or len(gate.law.terms) != 1:
        return NOT_MINE
    signs = Signs(parameter_values(program))
    added = noises_of(program, gate, gate.law.terms, signs)
    if isinstance(added, str) or len(added) != 1 or added[0].law.family != "gumbel":
        return NOT_MINE
    found = showings_of(program, gate)
    if isinstance(found, str):
        return found
    factor = formula_of(program, gate.law.terms[0].factor)
    if factor is None or signs.of(factor) != gate.law.sign:
        return f"{added[0].name}: Gumbel noise that pushes away from winning is not the exponential mechanism"
    return found


def _one_showing(
    program: Program, law: NoisyMaxLaw, added: Added, distance: Formula, shift: Shift, signs: Signs
) -> Formula | str:
    if distance == ZERO:
        return ZERO
    scale = formula_of(program, added.law.arguments[0])
    if scale is None or signs.of(scale) != 1:
        return f"{added.name}: no positive constant scale"
    term = next(t for t in law.terms if t.noise == added.name)
    factor = formula_of(program, term.factor)
    declared = facts_of_law(added.law.family).translation
    if added.law.family == "gumbel" and factor is not None and signs.of(factor) == law.sign:
        return distance / (scale * added.factor)  # the exponential mechanism: see bounded_range
    match declared.kind if declared is not None and declared.norm != "l2" else None:
        case "linear":
            return distance / (scale * added.factor)
        case "upwards" if factor is not None and signs.of(factor) == law.sign:
            return distance / (scale * added.factor)  # the winner's noise grows
        case "upwards" if factor is not None and signs.of(factor) == -law.sign:
            return _losers(program, law, distance / (scale * added.factor))
        case "whole" if signs.of(number(1) - scale) == 1 and signs.equal(added.factor, number(1)):
            if moves_by_whole_numbers(program, law.of):
                return -logarithm(scale) * distance
            return "geometric noise on numbers that do not move by whole numbers"
        case _:
            return f"{added.name}: {added.law.family} noise gives no bound for a maximum"


STATEMENT = """
    neighbours move any two of the numbers apart by at most r;   independent noise of scale b on each, new at every
    showing
    -------------------------------------------------------------------------------------------------------------------------
          the position of the largest is (T r/b)-DP, T = the showings that a changed entry touches

r = 2s if each number moves by at most s, r = s if they all move in one direction. Laplace, logistic or geometric noise,
or exponential or Gumbel noise that pushes towards winning. Fix the other noises: moving the winner's noise by r keeps
it the winner, and costs r/b (geometric: r log(1/ratio)); with Gumbel noise the position is the exponential mechanism's.
Exponential noise that pushes away from winning: (k - 1) r/b for k numbers, by moving the noises of all losers. Ties go
to the first, on both sides alike. Epsilon in nats.
"""

RULE, SEARCH = pure_rule(
    "mechanism/noisy_max",
    "Report noisy max",
    STATEMENT,
    "Dwork & Roth 2014, Claim 3.9; one-sided noise: McKenna & Sheldon 2020, Ding et al. 2021",
    "moving the winner's noise by as much as the numbers can move apart keeps it the winner",
    showings_of,
)
