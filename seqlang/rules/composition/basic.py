"""Losses of several mechanisms add up."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from seqlang.arithmetic.formula import INFINITY, ZERO, Formula
from seqlang.model.program import Program
from seqlang.proof.derivation import ApproximateBound, Derivation, PureBound, settled
from seqlang.rules.composition.concurrent import gates_of, shortest, side_by_side
from seqlang.rules.computed import Computed
from seqlang.rules.search import Search


def _least(_: Program, asked: PureBound | ApproximateBound, step: Derivation) -> Formula | str:
    claims = [part.conclusion for part in step.premises]
    serve = PureBound if isinstance(asked, PureBound) else (PureBound, ApproximateBound)
    if not all(isinstance(claim, serve) for claim in claims):
        return "a part is not a pure or (epsilon, delta) bound, or a pure bound has other parts"
    if isinstance(asked, ApproximateBound) and not _deltas(step.premises) <= asked.delta < 1:
        return "the deltas add up to more, or to 1"
    return sum(map(settled, claims), start=ZERO)


def _deltas(parts: Sequence[Derivation]) -> Fraction:
    found = (part.conclusion.delta for part in parts if isinstance(part.conclusion, ApproximateBound))
    return sum(found, start=Fraction(0))


_COMPUTED = Computed[PureBound | ApproximateBound](
    "composition/basic",
    "Basic composition",
    """Gates G_i with independent noise, G_i (eps_i, delta_i)-DP (delta_i = 0: pure), in nats
    ------------------------------------------------------------------------------------------------
    all gates together are (sum eps_i, sum delta_i)-DP""",
    "Dwork & Roth 2014, Theorem 3.16; side by side: Vadhan & Wang 2021, Lyu 2022",
    (PureBound, ApproximateBound),
    side_by_side,
    _least,
)


def suggest(program: Program, parts: Sequence[Derivation]) -> Derivation | str:
    """Pure bounds to a pure bound; pure and approximate ones to an approximate bound."""
    gates = gates_of(parts)
    asked: PureBound | ApproximateBound = PureBound(gates, INFINITY)
    if not all(isinstance(part.conclusion, PureBound) for part in parts):
        asked = ApproximateBound(gates, INFINITY, _deltas(parts), shortest(parts))
    return _COMPUTED.offer(program, asked, "the losses of independent mechanisms add up", tuple(parts))


RULE, SEARCH = _COMPUTED.rule, Search(_COMPUTED.rule.name, ("parts",), suggest)
