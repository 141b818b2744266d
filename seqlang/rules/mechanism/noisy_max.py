"""Report noisy max: the position of the largest of independently noised numbers (Dwork & Roth 2014, Claim 3.9)."""

from __future__ import annotations

from seqlang.arithmetic.formula import ZERO, Formula, logarithm, number, product
from seqlang.model.program import ChooseGate, Gate, NoisyMaxLaw, Program
from seqlang.proof.derivation import Derivation, PureBound
from seqlang.proof.rule import Rule
from seqlang.rules.alignment.lattice import moves_by_whole_numbers
from seqlang.rules.alignment.layout import single_entry
from seqlang.rules.alignment.limits import least
from seqlang.rules.alignment.signs import Signs
from seqlang.rules.mechanism.exposure import touched
from seqlang.rules.mechanism.gate_rule import NOT_MINE, checked, suggested
from seqlang.rules.mechanism.noise import Added, noises_of
from seqlang.rules.mechanism.radius import apart
from seqlang.rules.sensitivity.formulas import formula_of, parameter_values
from seqlang.rules.sensitivity.shift import Shift

NAME = "mechanism/noisy_max"
CITE = "Dwork & Roth 2014, Claim 3.9; one-sided noise: McKenna & Sheldon 2020, Ding et al. 2021"


def suggest(program: Program, gate: Gate) -> Derivation | str:
    """The pure bound of all showings of the position together, or why there is none."""
    because = "moving the winner's noise by as much as the numbers can move apart keeps it the winner"
    return suggested(program, gate, cost_of, NAME, because, CITE)


def holds(program: Program, derivation: Derivation) -> str | None:
    return checked(program, derivation, cost_of, PureBound)


def cost_of(program: Program, gate: Gate) -> Formula | str:
    """Entries times showings touched times (how far two numbers can move apart) over the scale, for the best noise."""
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
    times = touched(single, gate, (gate.law.of,), shift, signs)
    if times.is_infinite:
        return "nothing limits how often a changed entry is shown"
    return product((entries, times, least(known, signs)))


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
    match added.law.family:
        case "laplace":
            return distance / (scale * added.factor)
        case "exponential" if factor is not None and signs.of(factor) == law.sign:
            # the winner's noise grows, away from the end of the support
            return distance / (scale * added.factor)
        case "geometric" if signs.of(number(1) - scale) == 1 and signs.equal(added.factor, number(1)):
            if moves_by_whole_numbers(program, law.of):
                return -logarithm(scale) * distance
            return "geometric noise on numbers that do not move by whole numbers"
        case family:
            return f"{added.name}: {family} noise gives no bound for a maximum"


STATEMENT = """
    neighbours move any two of the numbers apart by at most r;   independent noise of scale b on each, new at every
    showing
    -------------------------------------------------------------------------------------------------------------------------
          the position of the largest is (T r/b)-DP, T = the showings that a changed entry touches

r = 2s if each number moves by at most s, r = s if they all move in one direction. Laplace or geometric noise, or
exponential noise that pushes towards winning. Fix the other noises: moving the winner's noise by r keeps it the winner,
and costs r/b (geometric: r log(1/ratio)). Ties go to the first, on both sides alike. Epsilon in nats.
"""

RULE = Rule(NAME, "Report noisy max", STATEMENT, CITE, holds)
