"""What one gate adds to a bound: the pair of laws that dominates one showing, and how many there are."""

from __future__ import annotations

import math

from seqlang.accounting.numeric.parts import BoundedRange, Gaussian, Laplace, Part, Pure
from seqlang.arithmetic.formula import ONE, ZERO, Formula, enclose
from seqlang.arithmetic.rounding import up
from seqlang.laws.facts import facts
from seqlang.model.program import Gate, Program, ReleaseGate
from seqlang.rules.composition.concurrent import value_up
from seqlang.rules.gates.noise import noises_of
from seqlang.rules.gates.radius import radius_of
from seqlang.rules.gates.showings import Showings
from seqlang.rules.gates.weights import weighted_choice
from seqlang.rules.mechanism import gaussian, release, subsampled_pure
from seqlang.rules.mechanism.each_showing import pure_showings
from seqlang.rules.mechanism.noisy_max import gumbel_choice
from seqlang.rules.mechanism.subsampled_gaussian import sampled
from seqlang.rules.reading.signs import Signs
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.rules.sensitivity.facts.remembered import remembered_of_program


@remembered_of_program
def parts_of_gate(program: Program, gate: Gate, horizon: int | None) -> list[Part] | None:
    """None: a part of it is not known as such."""
    subsampled = sampled(program, gate, horizon)
    if not isinstance(subsampled, str):
        return [subsampled.part] if subsampled.part.rate < 1 else None
    rho = gaussian.cost_of(program, gate)
    if isinstance(rho, Formula):
        size = value_up(program, rho)
        if size == 0:
            return []
        return [Gaussian(up(math.sqrt(up(2 * size))))] if size < math.inf else None
    found = pure_parts(program, gate)
    return None if isinstance(found, str) else _counted(program, *found)


def pure_parts(program: Program, gate: Gate) -> tuple[Showings, type[Laplace | Pure | BoundedRange]] | str:
    """The showings of a gate, and what is known of each of them besides being pure; text: they are not pure."""
    amplified = subsampled_pure.showings_of(program, gate)
    if isinstance(amplified, Showings):
        return amplified, Pure
    showings = release.showings_of(program, gate)
    if isinstance(showings, Showings) and _one_number(program, gate):
        return showings, Laplace
    for choice in (gumbel_choice(program, gate), weighted_choice(program, gate)):
        if not isinstance(choice, str):
            return choice, BoundedRange
    pure = pure_showings(program, gate)
    return pure if isinstance(pure, str) else (pure, Pure)


def _one_number(program: Program, gate: Gate) -> bool:
    """A number released with one noise, of the Laplace law: not a vector, of which several coordinates may move."""
    if not isinstance(gate, ReleaseGate):
        return False
    added = noises_of(program, gate, gate.terms, Signs(parameter_values(program)))
    if isinstance(added, str) or len(added) != 1 or facts(added[0].law.family).curve != "laplace":
        return False
    moved = radius_of(program, gate.value, "abs")
    return not isinstance(moved, str) and moved[1].norm == "abs"


def _counted(program: Program, showings: Showings, kind: type[Laplace | Pure | BoundedRange]) -> list[Part] | None:
    if showings.one == ZERO:
        return []
    if showings.entries != ONE or showings.times.is_infinite:
        return None
    values = parameter_values(program)
    one, times = enclose(showings.one, values).high, enclose(showings.times, values).high
    if not 0 < one < math.inf or not times < 1e7:
        return None
    return [kind(one, max(1, math.ceil(times)))]
