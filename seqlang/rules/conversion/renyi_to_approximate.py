"""An RDP bound at one order, as an (epsilon, delta) bound."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from seqlang.accounting import conversion, curves
from seqlang.arithmetic.formula import INFINITY, ORDER, Formula, number, substitute
from seqlang.arithmetic.rounding import fraction_down
from seqlang.model.program import Program
from seqlang.proof.derivation import ApproximateBound, Derivation, RenyiBound
from seqlang.rules.computed import Computed, bound_up
from seqlang.rules.conversion.premise import mismatch
from seqlang.rules.search import Search


def _least(program: Program, asked: ApproximateBound, step: Derivation) -> float | str:
    bound = step.premises[0].conclusion
    if not isinstance(bound, RenyiBound):
        return "its premise is no RDP bound"
    return _at(program, bound, asked.delta)


def _at(program: Program, bound: RenyiBound, delta: Fraction) -> float:
    # the bound holds for lower orders too, so for the float below its order
    return conversion.canonne(fraction_down(bound.order), bound_up(program, bound), fraction_down(delta))


def _symbolic(_: Program, step: Derivation) -> Formula | None:
    bound = step.premises[0].conclusion
    if not isinstance(bound, RenyiBound):
        return None
    return substitute(curves.converted(bound.epsilon), {ORDER.name: number(bound.order)})


_COMPUTED = Computed(
    "conversion/renyi_to_approximate",
    "RDP to (epsilon, delta)",
    """(a, eps)-RDP, in nats; a > 1, 0 < delta < 1
    ------------------------------------------------------------------------------------------------
    (max(0, eps + ln(1 - 1/a) - ln(a delta)/(a-1)), delta)-DP""",
    "Canonne, Kamath & Steinke 2020, Proposition 12",
    ApproximateBound,
    mismatch,
    _least,
    symbolic=_symbolic,
)


def suggest(program: Program, parts: Sequence[Derivation], delta: Fraction) -> Derivation | str | None:
    """The best of the given bounds (any orders, one set of gates each) at `delta`."""
    claims = [(part, claim) for part in parts if isinstance(claim := part.conclusion, RenyiBound)]
    if not claims:
        return None
    part, claim = min(claims, key=lambda known: _at(program, known[1], delta))
    because = f"order {float(claim.order):g} gives the smallest epsilon at delta {float(delta):g}"
    return _COMPUTED.offer(program, ApproximateBound(claim.gates, INFINITY, delta, claim.horizon), because, (part,))


RULE, SEARCH = _COMPUTED.rule, Search(_COMPUTED.rule.name, ("parts", "delta"), suggest)
