"""A number or vector released with Gaussian noise: zero-concentrated privacy (Bun & Steinke 2016, Proposition 1.6)."""

from __future__ import annotations

from seqlang.arithmetic.formula import ONE, ZERO, Formula, function, product
from seqlang.model.expression import Expression, Law
from seqlang.model.program import Gate, Program, ReleaseGate, Within
from seqlang.proof.derivation import ConcentratedBound
from seqlang.rules.mechanism.exposure import touched
from seqlang.rules.mechanism.gate_rule import gate_rule
from seqlang.rules.mechanism.noise import Added, noises_of
from seqlang.rules.mechanism.radius import radius_of
from seqlang.rules.mechanism.release import running_sum
from seqlang.rules.mechanism.showings import NOT_MINE, of_several
from seqlang.rules.reading.limits import horizon_of, least
from seqlang.rules.reading.signs import Signs
from seqlang.rules.reading.single_entry import single_entry
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values


def cost_of(program: Program, gate: Gate) -> Formula | str:
    """rho of all showings together: showings touched times s^2 / (2 sd^2); neighbours in k entries: k^2 times."""
    if not isinstance(gate, ReleaseGate):
        return NOT_MINE
    signs = Signs(parameter_values(program))
    entries, single = single_entry(program)
    if not any(_family(program, term.noise) == "gaussian" for term in gate.terms):
        return NOT_MINE
    added = noises_of(program, gate, gate.terms, signs)
    if isinstance(added, str):
        return added
    costs = [_with(single, gate, one, signs) for one in added]
    known = [cost for cost in costs if isinstance(cost, Formula)]
    if not known:
        return next(cost for cost in costs if isinstance(cost, str))
    return of_several(entries, least(known, signs))


def _family(program: Program, noise: str) -> str:
    law = program.noise(noise).law
    inner = law.arguments[0] if isinstance(law, Law) and law.family == "tree" else law
    return inner.family if isinstance(inner, Law) else ""


def _with(program: Program, gate: ReleaseGate, added: Added, signs: Signs) -> Formula | str:
    law, value, tree = added.law, gate.value, added.law.family == "tree"
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
    program: Program, gate: ReleaseGate, value: Expression, law: Law, added: Added, tree: bool, signs: Signs
) -> Formula | str:
    measured = radius_of(program, value, "l2")
    deviation = formula_of(program, law.arguments[0])
    if isinstance(measured, str):
        return measured
    radius, shift = measured
    if deviation is None or signs.of(deviation) != 1:
        return f"{added.name}: no positive constant scale"
    rho = (radius / (deviation * added.factor)) ** 2 / 2
    if rho == ZERO or added.once:
        return rho
    if not tree:
        return product((touched(program, gate, (gate.value,), shift, signs), rho))
    if shift.kind not in ("single step", "none"):
        return "tree noise on a sum of things that more than one step remembers"
    return product((function("floor", function("log2", horizon_of(program, signs))) + ONE, rho))


STATEMENT = """
    neighbours move the value by at most s (l2);   Gaussian noise of deviation sd, a new draw at every showing
    -----------------------------------------------------------------------------------------------------------
              the gate is rho-zCDP with rho = T s^2 / (2 sd^2), T = the showings a changed entry touches

Order-alpha RDP of alpha * rho at every alpha > 1 follows. T as in mechanism/release; tree noise: T = floor(log2 n) + 1
levels for n steps. Neighbours in k entries: k^2 times (Bun & Steinke 2016, Proposition 1.9).
"""

RULE, SEARCH = gate_rule(
    "mechanism/gaussian",
    "Gaussian release",
    STATEMENT,
    "Bun & Steinke 2016, Propositions 1.6 and 1.9; trees: Chan, Shi & Song 2011",
    "each showing that a changed entry touches costs its squared sensitivity over twice the variance",
    {ConcentratedBound: cost_of},
)
