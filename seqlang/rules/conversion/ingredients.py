"""What a bound is made of: for each gate, the pair of laws that dominates one showing, and how many there are."""

from __future__ import annotations

import math

from seqlang.accounting.numeric.parts import BoundedRange, Gaussian, Laplace, Part, Pure, Subsampled
from seqlang.arithmetic.formula import ONE, ZERO, Formula, enclose
from seqlang.arithmetic.rounding import sum_up, up
from seqlang.laws.facts import facts
from seqlang.model.program import Gate, Program, ReleaseGate
from seqlang.proof.derivation import Derivation, PureBound
from seqlang.rules.composition.concurrent import horizon_of, value_up
from seqlang.rules.conversion.premise import own_gate, summands
from seqlang.rules.mechanism import gaussian, release
from seqlang.rules.mechanism.each_showing import pure_showings
from seqlang.rules.mechanism.noise import noises_of
from seqlang.rules.mechanism.noisy_max import gumbel_choice
from seqlang.rules.mechanism.radius import radius_of
from seqlang.rules.mechanism.showings import Showings
from seqlang.rules.mechanism.subsampled_gaussian import sampled
from seqlang.rules.mechanism.weights import weighted_choice
from seqlang.rules.reading.signs import Signs
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.rules.sensitivity.facts.remembered import remembered_of_program

SUMS = frozenset({
    "composition/basic", "composition/renyi", "composition/concentrated", "composition/post_processing",
    "composition/hypothetical_transcript",
    "conversion/pure_to_renyi", "conversion/pure_to_concentrated", "conversion/concentrated_to_renyi",
})  # fmt: skip
"""Rules that put together what their premises are about, say it in another notion, or leave some of it out."""


def ingredients(program: Program, derivation: Derivation) -> tuple[Part, ...] | str:
    """The parts whose composition dominates the gates of the bound; text: a part of it is not known as such.

    What the bound says is not used, only which gates it puts together, with independent noise.
    """
    found: list[Part] = []
    for step in summands(derivation, SUMS):
        parts = _parts(program, step)
        if isinstance(parts, str):
            return parts
        found += parts
    mus = [part.mu for part in found if isinstance(part, Gaussian)]
    counted: dict[Part, int] = {}
    for part in found:
        if not isinstance(part, Gaussian):
            once = _repeated(part, 1)
            counted[once] = counted.get(once, 0) + part.count
    joined = [Gaussian(up(math.sqrt(sum_up([up(mu * mu) for mu in mus]))))] if mus else []
    return (*joined, *(_repeated(part, count) for part, count in counted.items()))


def _parts(program: Program, step: Derivation) -> list[Part] | str:
    gate = own_gate(program, step)
    known = None if gate is None else _of_gate(program, gate, horizon_of(step.conclusion))
    if known is not None:
        return known
    claim = step.conclusion
    if not isinstance(claim, PureBound):
        return f"{', '.join(claim.gates)}: neither pure nor Gaussian"
    epsilon = value_up(program, claim.epsilon)
    return [Pure(epsilon, 1)] if 0 < epsilon < math.inf else [] if epsilon == 0 else "no finite epsilon"


@remembered_of_program
def _of_gate(program: Program, gate: Gate, horizon: int | None) -> list[Part] | None:
    subsampled = sampled(program, gate, horizon)
    if not isinstance(subsampled, str):
        rate, sigma = subsampled.rate, subsampled.sigma
        return [Subsampled(rate, sigma, subsampled.replace, subsampled.times)] if rate < 1 else None
    rho = gaussian.cost_of(program, gate)
    if isinstance(rho, Formula):
        size = value_up(program, rho)
        if size == 0:
            return []
        return [Gaussian(up(math.sqrt(up(2 * size))))] if size < math.inf else None
    showings = release.showings_of(program, gate)
    if isinstance(showings, Showings) and _one_number(program, gate):
        return _counted(program, showings, Laplace)
    for choice in (gumbel_choice(program, gate), weighted_choice(program, gate)):
        if not isinstance(choice, str):
            return _counted(program, choice, BoundedRange)
    pure = pure_showings(program, gate)
    return None if isinstance(pure, str) else _counted(program, pure, Pure)


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


def _repeated(part: Part, count: int) -> Laplace | Pure | BoundedRange | Subsampled:
    match part:
        case Laplace(size, _) | Pure(size, _) | BoundedRange(size, _):
            return type(part)(size, count)
        case Subsampled(rate, sigma, replace, _):
            return Subsampled(rate, sigma, replace, count)
    raise AssertionError("Gaussian parts are joined, not counted")
