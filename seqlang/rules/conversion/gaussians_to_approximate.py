"""Gaussian releases at a delta, exactly: together they are one Gaussian release, and pure parts add their epsilons."""

from __future__ import annotations

import math

from seqlang.accounting import gaussian
from seqlang.arithmetic.formula import Formula
from seqlang.arithmetic.rounding import sum_up, up
from seqlang.model.program import Program
from seqlang.proof.derivation import ConcentratedBound, Derivation, PureBound
from seqlang.rules.composition.concurrent import value_up
from seqlang.rules.conversion.conversion import at_delta
from seqlang.rules.conversion.premise import own_gate, summands
from seqlang.rules.mechanism.each_showing import pure_showings
from seqlang.rules.mechanism.showings import in_all

_SUMS = ("composition/concentrated", "composition/post_processing", "composition/hypothetical_transcript")


def _epsilon(program: Program, part: Derivation, delta: float) -> float | str:
    if not isinstance(part.conclusion, ConcentratedBound) or not 0 < delta < 1:
        return "a zCDP bound at a delta between 0 and 1"
    rhos: list[float] = []
    epsilons: list[float] = []
    for one in summands(part, _SUMS):
        if not isinstance(one.conclusion, ConcentratedBound):
            return "every part must be a zCDP bound"
        pure = None if one.rule == "mechanism/gaussian" else _pure(program, one)
        if one.rule == "mechanism/gaussian":
            rhos.append(value_up(program, one.conclusion.rho))
        elif pure is not None:
            epsilons.append(value_up(program, pure))
        else:
            return "a part is neither Gaussian nor pure"
    rho = sum_up(rhos)
    if not 0 < rho < math.inf:
        return "no Gaussian release"
    mu = up(math.sqrt(up(2 * rho)))
    return sum_up([gaussian.epsilon_at(delta, mu), *epsilons]) if mu < math.inf else "no finite epsilon"


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
)
