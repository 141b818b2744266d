"""An RDP bound at one order, as an (epsilon, delta) bound."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

from seqlang.accounting import conversion
from seqlang.model.program import Program
from seqlang.proof.derivation import ApproximateBound, Derivation, RenyiBound
from seqlang.rules.computed import Computed
from seqlang.rules.conversion.premise import mismatch
from seqlang.rules.search import Search


def _least(program: Program, asked: ApproximateBound, step: Derivation) -> float | str:
    bound = step.premises[0].conclusion
    if not isinstance(bound, RenyiBound):
        return "its premise is no RDP bound"
    return conversion.canonne(bound.order, bound.epsilon, asked.delta)


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
)


def suggest(program: Program, parts: Sequence[Derivation], delta: float) -> Derivation | str | None:
    """The best of the given bounds (any orders, one set of gates each) at `delta`."""
    claims = [(part, claim) for part in parts if isinstance(claim := part.conclusion, RenyiBound)]
    if not claims:
        return None
    part, claim = min(claims, key=lambda known: conversion.canonne(known[1].order, known[1].epsilon, delta))
    because = f"order {claim.order:g} gives the smallest epsilon at delta {delta:g}"
    return _COMPUTED.offer(program, ApproximateBound(claim.gates, nan, delta, claim.horizon), because, (part,))


RULE, SEARCH = _COMPUTED.rule, Search(_COMPUTED.rule.name, ("parts", "delta"), suggest)
