"""Gaussian releases at a delta, exactly: together they are one Gaussian release, and pure parts add their epsilons."""

from __future__ import annotations

import math

from seqlang.accounting import gaussian
from seqlang.arithmetic.formula import Formula
from seqlang.arithmetic.rounding import sum_up, up
from seqlang.model.program import Program
from seqlang.proof.derivation import ApproximateBound, ConcentratedBound, Derivation, PureBound
from seqlang.proof.rule import Rule
from seqlang.record import record
from seqlang.rules.composition.concurrent import value_up
from seqlang.rules.conversion.premise import is_about_its_gates, mismatch
from seqlang.rules.mechanism.each_showing import pure_showings
from seqlang.rules.mechanism.gate_rule import in_all
from seqlang.rules.search import Search

NAME = "conversion/gaussians_to_approximate"
CITE = "Balle & Wang 2018, Theorem 8; composition: Dong, Roth & Su 2022, Corollary 3.3; which showing is touched may \
depend on earlier ones: Smith & Thakurta 2022"

_SUMS = ("composition/concentrated", "composition/post_processing", "composition/hypothetical_transcript")


@record
class Parts:
    """What a zCDP bound is made of: rho of Gaussian releases, and epsilons of pure parts (numbers, rounded up)."""

    rho: float
    epsilons: tuple[float, ...]


def suggest(program: Program, part: Derivation, delta: float) -> Derivation | None:
    """An (epsilon, delta) bound from a zCDP bound of Gaussian releases; None if it is made of something else."""
    if not isinstance(part.conclusion, ConcentratedBound) or not 0 < delta < 1:
        return None
    epsilon = _epsilon(program, part, delta)
    if isinstance(epsilon, str):
        return None
    because = "Gaussian releases together are one Gaussian release, whose profile is known exactly"
    conclusion = ApproximateBound(part.conclusion.gates, epsilon, delta, part.conclusion.horizon)
    return Derivation(conclusion, NAME, (part,), because=because, cite=CITE)


def holds(program: Program, derivation: Derivation) -> str | None:
    problem = mismatch(derivation)
    if problem is not None:
        return problem
    claim = derivation.conclusion
    if not isinstance(claim, ApproximateBound):
        return "it concludes an (epsilon, delta) bound"
    epsilon = _epsilon(program, derivation.premises[0], claim.delta)
    if isinstance(epsilon, str):
        return epsilon
    return None if epsilon <= claim.epsilon else f"only epsilon {epsilon:.6g} follows at delta {claim.delta:g}"


def _epsilon(program: Program, part: Derivation, delta: float) -> float | str:
    parts = _parts(program, part)
    if isinstance(parts, str):
        return parts
    if not 0 < parts.rho < math.inf:
        return "no Gaussian release"
    mu = up(math.sqrt(up(2 * parts.rho)))
    if mu == math.inf:
        return "no finite epsilon"
    return sum_up([gaussian.epsilon_at(delta, mu), *parts.epsilons])


def _parts(program: Program, part: Derivation) -> Parts | str:
    claim = part.conclusion
    if part.rule in _SUMS:
        found = [_parts(program, premise) for premise in part.premises]
        wrong = next((f for f in found if isinstance(f, str)), None)
        if wrong is not None:
            return wrong
        known = [f for f in found if not isinstance(f, str)]
        return Parts(sum_up([f.rho for f in known]), tuple(e for f in known for e in f.epsilons))
    if not isinstance(claim, ConcentratedBound):
        return "every part must be a zCDP bound"
    if part.rule == "mechanism/gaussian":
        return Parts(value_up(program, claim.rho), ())
    epsilon = _pure(program, part, claim)
    return "a part is neither Gaussian nor pure" if epsilon is None else Parts(0.0, (value_up(program, epsilon),))


def _pure(program: Program, part: Derivation, claim: ConcentratedBound) -> Formula | None:
    """The pure bound of what a zCDP bound was derived from."""
    if part.rule == "conversion/pure_to_concentrated":
        (premise,) = part.premises
        return premise.conclusion.epsilon if isinstance(premise.conclusion, PureBound) else None
    single = claim.gates if is_about_its_gates(part) else ()
    gate = next((g for g in program.gates if single == (g.name,)), None)
    total = None if gate is None else in_all(pure_showings(program, gate))
    return total if isinstance(total, Formula) and not total.is_infinite else None


STATEMENT = """
    a zCDP bound made of Gaussian releases, of rho together, and of parts that are eps_i-DP;   0 < delta < 1
    ----------------------------------------------------------------------------------------------------------
    (t + sum eps_i, delta)-DP with Phi(mu/2 - t/mu) - e^t Phi(-mu/2 - t/mu) <= delta,   mu = sqrt(2 rho)

Gaussian releases that move by mu_i standard deviations are together one that moves by mu, mu^2 = sum mu_i^2 = 2 rho.
Epsilon in nats.
"""

RULE = Rule(NAME, "Gaussian releases to (epsilon, delta)", STATEMENT, CITE, holds)

SEARCH = Search(NAME, ("part", "delta"), suggest)
