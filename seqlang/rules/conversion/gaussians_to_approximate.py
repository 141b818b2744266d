"""Gaussian releases at a delta, exactly: together they are one Gaussian release, and pure parts add their epsilons."""

from __future__ import annotations

import math

from seqlang.accounting import curves, gaussian
from seqlang.arithmetic.formula import DELTA, Formula, root, total
from seqlang.arithmetic.rounding import sum_up, up
from seqlang.model.program import Program
from seqlang.proof.derivation import ConcentratedBound, Derivation, PureBound
from seqlang.rules.composition.concurrent import value_up
from seqlang.rules.conversion.conversion import at_delta
from seqlang.rules.conversion.premise import own_gate, summands
from seqlang.rules.gates.showings import in_all
from seqlang.rules.mechanism.each_showing import pure_showings

_SUMS = ("composition/concentrated", "composition/post_processing", "composition/hypothetical_transcript")

_GAUSSIAN = ("mechanism/gaussian", "joint/gaussian_values")
"""Rules whose rho is that of Gaussian releases, of which what they speak of is a function."""


def _epsilon(program: Program, part: Derivation, delta: float) -> float | str:
    found = _parts(program, part)
    if isinstance(found, str) or not 0 < delta < 1:
        return found if isinstance(found, str) else "a delta between 0 and 1"
    rho = sum_up([value_up(program, one) for one in found[0]])
    if not 0 < rho < math.inf:
        return "no Gaussian release"
    mu = up(math.sqrt(up(2 * rho)))
    epsilons = [value_up(program, one) for one in found[1]]
    return sum_up([gaussian.epsilon_at(delta, mu), *epsilons]) if mu < math.inf else "no finite epsilon"


def _symbolic(program: Program, part: Derivation) -> Formula | None:
    found = _parts(program, part)
    if isinstance(found, str):
        return None
    return total((curves.shown("gaussian_epsilon", root(2 * total(found[0])), DELTA), *found[1]))


def _parts(program: Program, part: Derivation) -> tuple[list[Formula], list[Formula]] | str:
    """The rho of each Gaussian release, the epsilon of every other part."""
    if not isinstance(part.conclusion, ConcentratedBound):
        return "a zCDP bound"
    rhos: list[Formula] = []
    epsilons: list[Formula] = []
    for one in summands(part, _SUMS):
        if not isinstance(one.conclusion, ConcentratedBound):
            return "every part must be a zCDP bound"
        pure = None if one.rule in _GAUSSIAN else _pure(program, one)
        if one.rule in _GAUSSIAN:
            rhos.append(one.conclusion.rho)
        elif pure is not None:
            epsilons.append(pure)
        else:
            return "a part is neither Gaussian nor pure"
    return rhos, epsilons


def _pure(program: Program, part: Derivation) -> Formula | None:
    """The pure bound of what a zCDP bound was derived from."""
    if part.rule == "conversion/pure_to_concentrated":
        (premise,) = part.premises
        return premise.conclusion.epsilon if isinstance(premise.conclusion, PureBound) else None
    gate = own_gate(program, part)
    total = None if gate is None else in_all(pure_showings(program, gate))
    return total if isinstance(total, Formula) and not total.is_infinite else None


STATEMENT = """
    a zCDP bound made of Gaussian releases, of rho together, and of parts that are eps_i-DP;   0 < delta < 1
    ----------------------------------------------------------------------------------------------------------
    (t + sum eps_i, delta)-DP with Phi(mu/2 - t/mu) - e^t Phi(-mu/2 - t/mu) <= delta,   mu = sqrt(2 rho)

Gaussian releases that move by mu_i standard deviations are together one that moves by mu, mu^2 = sum mu_i^2 = 2 rho.
Epsilon in nats.
"""

RULE, SEARCH = at_delta(
    "conversion/gaussians_to_approximate",
    "Gaussian releases to (epsilon, delta)",
    STATEMENT,
    "Balle & Wang 2018, Theorem 8; composition: Dong, Roth & Su 2022, Corollary 3.3; which showing is touched may "
    "depend on earlier ones: Smith & Thakurta 2022",
    "Gaussian releases together are one Gaussian release, whose profile is known exactly",
    _epsilon,
    _symbolic,
)
