"""RDP curves of all parts, read at the order that is best for a delta: between the orders that the report lists."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf

from seqlang.accounting import conversion
from seqlang.accounting.curves import at_delta
from seqlang.accounting.numeric import parts as curves
from seqlang.accounting.numeric.parts import BoundedRange, Laplace, Part, Pure
from seqlang.arithmetic.formula import INFINITY, Formula
from seqlang.arithmetic.rounding import fraction_down
from seqlang.model.program import Program
from seqlang.proof.derivation import ApproximateBound, Derivation, RenyiBound
from seqlang.record import replace
from seqlang.rules.computed import Computed, bound_up
from seqlang.rules.conversion.ingredients import ingredients
from seqlang.rules.conversion.premise import mismatch
from seqlang.rules.search import Search


def suggest(program: Program, parts: Sequence[Derivation], delta: Fraction) -> Derivation | str | None:
    """An (epsilon, delta) bound from an RDP bound whose parts' curves are known; the evidence is the order."""
    for part in parts:
        claim = part.conclusion
        found = ingredients(program, part)
        if isinstance(claim, RenyiBound) and not isinstance(found, str) and found:
            from seqlang.accounting.numeric import search

            epsilon, order = search.by_orders(found, fraction_down(delta))
            if epsilon > 0.999 * _in_all(found):
                return None  # next to nothing is gained over the sum of pure bounds, which is simpler
            because = f"the RDP curves of all parts, read at order {order:.6g}"
            asked = ApproximateBound(claim.gates, INFINITY, delta, claim.horizon)
            return _COMPUTED.offer(program, asked, because, (part,), order)
    return None


def _in_all(parts: tuple[Part, ...]) -> float:
    """The pure bound of all parts, about; infinite with Gaussian noise."""
    total = 0.0
    for part in parts:
        match part:
            case Pure(epsilon, count) | Laplace(epsilon, count) | BoundedRange(epsilon, count):
                total += epsilon * count
            case _:
                return inf
    return total


def _least(program: Program, asked: ApproximateBound, step: Derivation) -> float | str:
    found, order = ingredients(program, step.premises[0]), step.evidence
    if isinstance(found, str):
        return found
    if not isinstance(order, float):
        return "the evidence is a Renyi order"
    return conversion.canonne(order, curves.renyi(found, order), fraction_down(asked.delta))


def _symbolic(program: Program, step: Derivation) -> Formula | None:
    """The premise's formula at its best order, where it is made of the same curves: then it gives the same number."""
    found, bound, order = ingredients(program, step.premises[0]), step.premises[0].conclusion, step.evidence
    if isinstance(found, str) or not isinstance(order, float) or not isinstance(bound, RenyiBound):
        return None
    same = bound_up(program, replace(bound, order=Fraction(order))) <= curves.renyi(found, order) * (1 + 1e-9)
    return at_delta(bound.epsilon) if same else None


STATEMENT = """
    a bound for gates with independent noise, made of parts with RDP curves e_i(a);   any a > 1, 0 < delta < 1
    ------------------------------------------------------------------------------------------------------------
    (max(0, sum e_i(a) + ln(1 - 1/a) - ln(a delta)/(a-1)), delta)-DP, in nats

Parts: Gaussian releases, Laplace releases of numbers, subsampled Gaussian releases, exponential mechanisms, and
everything else that is pure.
"""

_COMPUTED = Computed(
    "conversion/curves_to_approximate",
    "RDP curves to (epsilon, delta)",
    STATEMENT,
    "Mironov 2017, Proposition 1; Canonne, Kamath & Steinke 2020, Proposition 12; adaptive choice: Feldman & Zrnic "
    "2021",
    ApproximateBound,
    mismatch,
    _least,
    float,
    _symbolic,
)

RULE, SEARCH = _COMPUTED.rule, Search(_COMPUTED.rule.name, ("parts", "delta"), suggest)
