"""A number or vector with Gaussian noise, released, or the place of its largest number: zero-concentrated privacy (Bun
& Steinke 2016, Proposition 1.6)."""

from __future__ import annotations

from seqlang.arithmetic.formula import ONE, ZERO, Formula, function, product
from seqlang.model.expression import Expression, Law, Term
from seqlang.model.program import ChooseGate, Gate, NoisyMaxLaw, Program, ReleaseGate, Within
from seqlang.proof.derivation import ConcentratedBound
from seqlang.rules.gates.exposure import touched
from seqlang.rules.gates.gate_rule import gate_rule
from seqlang.rules.gates.noise import Added, noises_of
from seqlang.rules.gates.radius import about_their_mean, radius_of
from seqlang.rules.gates.showings import NOT_MINE, of_several
from seqlang.rules.mechanism.release import running_sum
from seqlang.rules.reading.guards import earliest_step
from seqlang.rules.reading.limits import horizon_of, least
from seqlang.rules.reading.signs import Signs
from seqlang.rules.reading.single_entry import single_entry
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values


def cost_of(program: Program, gate: Gate) -> Formula | str:
    """rho of all showings together: showings touched times s^2 / (2 sd^2); neighbours in k entries: k^2 times."""
    match gate:
        case ReleaseGate(value=value, terms=terms) | ChooseGate(law=NoisyMaxLaw(of=value, terms=terms)):
            return _of_noisy(program, gate, value, terms)
        case _:
            return NOT_MINE


def cost_together(program: Program, gate: ReleaseGate, names: tuple[str, ...]) -> Formula | str:
    """The same for a release that stands for what the gates with these names show, and they alone read its noise."""
    return _of_noisy(program, gate, gate.value, gate.terms, names)


def _of_noisy(
    program: Program,
    gate: ReleaseGate | ChooseGate,
    value: Expression,
    terms: tuple[Term, ...],
    together: tuple[str, ...] = (),
) -> Formula | str:
    signs = Signs(parameter_values(program))
    entries, single = single_entry(program)
    if not any(_family(program, term.noise) == "gaussian" for term in terms):
        return NOT_MINE
    added = noises_of(program, gate, terms, signs, together)
    if isinstance(added, str):
        return added
    costs = [_with(single, gate, value, one, signs) for one in added]
    known = [cost for cost in costs if isinstance(cost, Formula)]
    if not known:
        return next(cost for cost in costs if isinstance(cost, str))
    return of_several(entries, least(known, signs))


def _family(program: Program, noise: str) -> str:
    law = program.noise(noise).law
    inner = law.arguments[0] if isinstance(law, Law) and law.family == "tree" else law
    return inner.family if isinstance(inner, Law) else ""


def _with(
    program: Program, gate: ReleaseGate | ChooseGate, value: Expression, added: Added, signs: Signs
) -> Formula | str:
    law, tree = added.law, added.law.family == "tree"
    if tree:
        inner = law.arguments[0]
        summed = running_sum(program, value)
        if isinstance(summed, str):
            return summed
        if not isinstance(inner, Law) or (
            isinstance(program.adjacency, Within) and program.adjacency.extent == "every"
        ):
            return "tree noise needs a known law, and one changed entry"
        law, value = inner, summed
    if law.family != "gaussian":
        return f"{added.name}: no Gaussian noise"
    return _gaussian(program, gate, value, law, added, tree, signs)


def _gaussian(
    program: Program, gate: ReleaseGate | ChooseGate, value: Expression, law: Law, added: Added, tree: bool,
    signs: Signs,
) -> Formula | str:  # fmt: skip
    first = 1 if tree else earliest_step(program, gate.guard, program.place_of(gate.source), signs)
    measured = radius_of(program, value, "l2", first)
    deviation = formula_of(program, law.arguments[0])
    if isinstance(measured, str):
        return measured
    radius, shift = measured
    if deviation is None or signs.of(deviation) != 1:
        return f"{added.name}: no positive constant scale"
    rho = (radius / (deviation * added.factor)) ** 2 / 2
    squares = about_their_mean(program, value) if isinstance(gate, ChooseGate) else None
    if squares is not None:
        centred = squares / (deviation * added.factor) ** 2 / 2
        rho = rho if signs.at_least(centred, rho) else centred
    if rho == ZERO or added.once:
        return rho
    if not tree:
        return product((touched(program, gate, (value,), shift, signs), rho))
    if shift.kind not in ("single step", "none"):
        return "tree noise on a sum of things that more than one step remembers"
    return product((function("floor", function("log2", horizon_of(program, signs))) + ONE, rho))


STATEMENT = """
    neighbours move the value by at most s (l2);   Gaussian noise of deviation sd, a new draw at every showing
    -----------------------------------------------------------------------------------------------------------
              the gate is rho-zCDP with rho = T s^2 / (2 sd^2), T = the showings a changed entry touches
    the same for the place of the largest (smallest) of k such numbers, where s^2 is also at most
              r^2 floor(k/2) ceil(k/2) / k,   r = how far neighbours move two of the numbers apart

Order-alpha RDP of alpha * rho at every alpha > 1 follows. T as in mechanism/release; tree noise: T = floor(log2 n) + 1
levels for n steps. Neighbours in m entries: m^2 times (Bun & Steinke 2016, Proposition 1.9). The place of the largest
is a function of the noisy numbers, and stays the same if one constant is added to all of them, so moves d count as
d - mean(d); with all d in an interval of length r the sum of these squares is largest at its ends, half of d at either.
"""

RULE, SEARCH = gate_rule(
    "mechanism/gaussian",
    "Gaussian release",
    STATEMENT,
    "Bun & Steinke 2016, Propositions 1.6 and 1.9; trees: Chan, Shi & Song 2011",
    "each showing that a changed entry touches costs its squared sensitivity over twice the variance",
    {ConcentratedBound: cost_of},
)
