"""A zCDP bound as an (epsilon, delta) bound; the evidence is the Renyi order used."""

from __future__ import annotations

from fractions import Fraction

from seqlang.accounting import concentrated, conversion, curves
from seqlang.arithmetic.formula import INFINITY, ORDER, Formula
from seqlang.arithmetic.rounding import fraction_down
from seqlang.model.program import Program
from seqlang.proof.derivation import ApproximateBound, ConcentratedBound, Derivation
from seqlang.rules.composition.concurrent import value_up
from seqlang.rules.computed import Computed
from seqlang.rules.conversion.premise import mismatch
from seqlang.rules.search import Search


def _least(program: Program, asked: ApproximateBound, step: Derivation) -> float | str:
    bound, order = step.premises[0].conclusion, step.evidence
    if not isinstance(bound, ConcentratedBound) or not isinstance(order, float):
        return "its premise is a zCDP bound, and its evidence a Renyi order"
    return conversion.canonne(
        order, concentrated.renyi(value_up(program, bound.rho), order), fraction_down(asked.delta)
    )


def _symbolic(_: Program, step: Derivation) -> Formula | None:
    bound = step.premises[0].conclusion
    return curves.at_delta(ORDER * bound.rho) if isinstance(bound, ConcentratedBound) else None


_COMPUTED = Computed(
    "conversion/concentrated_to_approximate",
    "zCDP to (epsilon, delta)",
    """rho-zCDP; any a > 1, 0 < delta < 1
    ------------------------------------------------------------------------------------------------
    (max(0, rho a + ln(1 - 1/a) - ln(a delta)/(a-1)), delta)-DP, in nats""",
    "Canonne, Kamath & Steinke 2020, Proposition 12 and Corollary 13",
    ApproximateBound,
    mismatch,
    _least,
    float,
    _symbolic,
)


def suggest(program: Program, part: Derivation, delta: Fraction) -> Derivation | str | None:
    claim = part.conclusion
    if not isinstance(claim, ConcentratedBound) or claim.rho.is_infinite:
        return None
    rho = value_up(program, claim.rho)
    _, order = conversion.optimised(lambda a: concentrated.renyi(rho, a), fraction_down(delta))
    because = f"the line order -> rho order, read at order {order:.6g}"
    return _COMPUTED.offer(
        program, ApproximateBound(claim.gates, INFINITY, delta, claim.horizon), because, (part,), order
    )


RULE, SEARCH = _COMPUTED.rule, Search(_COMPUTED.rule.name, ("part", "delta"), suggest)
