"""What a bound is made of: for each gate, the pair of laws that dominates one showing, and how many there are."""

from __future__ import annotations

import math

from seqlang.accounting.numeric.parts import BoundedRange, Gaussian, Laplace, Part, Pure, Subsampled
from seqlang.arithmetic.rounding import sum_up, up
from seqlang.model.program import Program
from seqlang.proof.derivation import Derivation, PureBound, steps_of
from seqlang.rules.composition.concurrent import value_up
from seqlang.rules.conversion.premise import own_gate, summands

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
    if gate is not None:
        from seqlang.rules.mechanism.parts_of_gate import parts_of_gate  # which takes the rules of all mechanisms

        known = parts_of_gate(program, gate, steps_of(step.conclusion))
        if known is not None:
            return known
    claim = step.conclusion
    if not isinstance(claim, PureBound):
        return f"{', '.join(claim.gates)}: neither pure nor Gaussian"
    epsilon = value_up(program, claim.epsilon)
    return [Pure(epsilon, 1)] if 0 < epsilon < math.inf else [] if epsilon == 0 else "no finite epsilon"


def _repeated(part: Part, count: int) -> Laplace | Pure | BoundedRange | Subsampled:
    match part:
        case Laplace(size, _) | Pure(size, _) | BoundedRange(size, _):
            return type(part)(size, count)
        case Subsampled(rate, sigma, replace, _):
            return Subsampled(rate, sigma, replace, count)
    raise AssertionError("Gaussian parts are joined, not counted")
