"""Whole numbers released with discrete Gaussian noise: the same rho as with Gaussian noise (Canonne, Kamath & Steinke).

The discrete Gaussian lives on the integers, P(k) proportional to exp(-k^2 / (2 s^2)). For whole shifts its Renyi
divergence of any order is at most that of the normal law with standard deviation s, which is not so for its (epsilon,
delta) curve: that of the normal law is never used for it.
"""

from __future__ import annotations

from seqlang.arithmetic.formula import ONE, ZERO, Formula, product
from seqlang.model.expression import Expression, Quantified, Sequence
from seqlang.model.program import Gate, Program, ReleaseGate
from seqlang.proof.derivation import ConcentratedBound
from seqlang.record import record
from seqlang.rules.gates.exposure import touched
from seqlang.rules.gates.gate_rule import gate_rule
from seqlang.rules.gates.noise import Added, noises_of
from seqlang.rules.gates.radius import radius_of
from seqlang.rules.gates.showings import NOT_MINE, of_several
from seqlang.rules.reading.signs import Signs
from seqlang.rules.reading.single_entry import single_entry
from seqlang.rules.reading.whole_numbers import moves_by_whole_numbers
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values


@record
class NoisyRelease:
    """A gate that shows a value, which moves by whole numbers and at most by `radius` in l2, with discrete Gaussian
    noise of this deviation; a changed entry touches at most so many showings."""

    radius: Formula
    deviation: Formula
    showings: Formula


def release_of(program: Program, gate: Gate) -> NoisyRelease | str:
    """What the gate shows; text: why it is no such release. Neighbours in one entry."""
    if not isinstance(gate, ReleaseGate):
        return NOT_MINE
    signs = Signs(parameter_values(program))
    added = noises_of(program, gate, gate.terms, signs)
    mine = None if isinstance(added, str) else next((a for a in added if a.law.family == "discrete_gaussian"), None)
    return NOT_MINE if mine is None else _release(program, gate, mine, signs)


def cost_of(program: Program, gate: Gate) -> Formula | str:
    """rho of all showings together: showings touched times D^2 / (2 s^2); neighbours in k entries: k^2 times."""
    entries, single = single_entry(program)
    found = release_of(single, gate)
    if isinstance(found, str):
        return found
    rho = (found.radius / found.deviation) ** 2 / 2
    return of_several(entries, rho if rho == ZERO else product((found.showings, rho)))


def _release(program: Program, gate: ReleaseGate, added: Added, signs: Signs) -> NoisyRelease | str:
    deviation = formula_of(program, added.law.arguments[0])
    if deviation is None or signs.of(deviation) != 1 or added.factor != ONE:
        return f"{added.name}: no positive constant scale, or a factor other than 1 and -1"
    if not _whole(program, facts_of(program).expand(gate.value)):
        return "discrete Gaussian noise on a value that does not move by whole numbers"
    measured = radius_of(program, gate.value, "l2")
    if isinstance(measured, str):
        return measured
    radius, shift = measured
    times = ONE if radius == ZERO or added.once else touched(program, gate, (gate.value,), shift, signs)
    return NoisyRelease(radius, deviation, times)


def _whole(program: Program, value: Expression) -> bool:
    match value:
        case Sequence("list", items):
            return all(_whole(program, item) for item in items)
        case Quantified("list", body):
            return moves_by_whole_numbers(program, body)
    return moves_by_whole_numbers(program, value)


STATEMENT = """
    neighbours move the value by whole numbers, by at most D in l2;   discrete Gaussian noise, new at every showing
    -----------------------------------------------------------------------------------------------------------------
              the gate is (T D^2 / (2 s^2))-zCDP, where a changed entry touches at most T showings

P(k) proportional to exp(-k^2 / (2 s^2)) on the integers; independent coordinates. T as in mechanism/release.
"""

RULE, SEARCH = gate_rule(
    "mechanism/discrete_gaussian",
    "Release with discrete Gaussian noise",
    STATEMENT,
    "Canonne, Kamath & Steinke 2020, Theorem 4",
    "on the integers the discrete Gaussian hides what a Gaussian of that standard deviation hides",
    {ConcentratedBound: cost_of},
)
