"""RDP curves of all parts, read at the order that is best for a delta: between the orders that the report lists."""

from __future__ import annotations

import math
from collections.abc import Sequence

from seqlang.accounting import conversion
from seqlang.accounting.numeric import parts as curves
from seqlang.accounting.numeric import search
from seqlang.accounting.numeric.parts import BoundedRange, Laplace, Part, Pure
from seqlang.model.program import Program
from seqlang.proof.derivation import ApproximateBound, Derivation, RenyiBound
from seqlang.proof.rule import Rule
from seqlang.rules.conversion.ingredients import ingredients
from seqlang.rules.conversion.premise import mismatch
from seqlang.rules.search import Search

NAME = "conversion/curves_to_approximate"
CITE = "Mironov 2017, Proposition 1; Canonne, Kamath & Steinke 2020, Proposition 12; adaptive choice: Feldman & Zrnic \
2021"


def suggest(program: Program, parts: Sequence[Derivation], delta: float) -> Derivation | None:
    """An (epsilon, delta) bound from an RDP bound whose parts' curves are known; the evidence is the order."""
    for part in parts:
        claim = part.conclusion
        found = ingredients(program, part)
        if isinstance(claim, RenyiBound) and not isinstance(found, str) and found:
            epsilon, order = search.by_orders(found, delta)
            if epsilon > 0.999 * _in_all(found):
                return None  # next to nothing is gained over the sum of pure bounds, which is simpler
            because = f"the RDP curves of all parts, read at order {order:.6g}"
            conclusion = ApproximateBound(claim.gates, epsilon, delta, claim.horizon)
            return Derivation(conclusion, NAME, (part,), order, because, CITE)
    return None


def _in_all(parts: tuple[Part, ...]) -> float:
    """The pure bound of all parts, about; infinite with Gaussian noise."""
    total = 0.0
    for part in parts:
        match part:
            case Pure(epsilon, count) | Laplace(epsilon, count) | BoundedRange(epsilon, count):
                total += epsilon * count
            case _:
                return math.inf
    return total


def holds(program: Program, derivation: Derivation) -> str | None:
    problem = mismatch(derivation)
    if problem is not None:
        return problem
    claim, order = derivation.conclusion, derivation.evidence
    found = ingredients(program, derivation.premises[0])
    if isinstance(found, str):
        return found
    if not isinstance(claim, ApproximateBound) or not isinstance(order, float):
        return "it concludes an (epsilon, delta) bound, and the evidence is a Renyi order"
    epsilon = conversion.canonne(order, curves.renyi(found, order), claim.delta)
    return None if epsilon <= claim.epsilon else f"only epsilon {epsilon:.6g} follows at delta {claim.delta:g}"


STATEMENT = """
    a bound for gates with independent noise, made of parts with RDP curves e_i(a);   any a > 1, 0 < delta < 1
    ------------------------------------------------------------------------------------------------------------
    (max(0, sum e_i(a) + ln(1 - 1/a) - ln(a delta)/(a-1)), delta)-DP, in nats

Parts: Gaussian releases, Laplace releases of numbers, subsampled Gaussian releases, exponential mechanisms, and
everything else that is pure.
"""

RULE = Rule(NAME, "RDP curves to (epsilon, delta)", STATEMENT, CITE, holds)

SEARCH = Search(NAME, ("parts", "delta"), suggest)
