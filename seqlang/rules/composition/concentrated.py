"""zCDP bounds add up."""

from __future__ import annotations

from collections.abc import Sequence

from seqlang.arithmetic.formula import INFINITY, ZERO, Formula
from seqlang.model.program import Program
from seqlang.proof.derivation import ConcentratedBound, Derivation
from seqlang.rules.composition.concurrent import gates_of, shortest, side_by_side
from seqlang.rules.computed import Computed
from seqlang.rules.search import Search


def _least(program: Program, asked: ConcentratedBound, step: Derivation) -> Formula | str:
    known = [part.conclusion.rho for part in step.premises if isinstance(part.conclusion, ConcentratedBound)]
    return sum(known, start=ZERO) if len(known) == len(step.premises) else "every part must be a zCDP bound"


_COMPUTED = Computed(
    "composition/concentrated",
    "Addition of zCDP",
    """Gates G_i with independent noise, G_i rho_i-zCDP
    ------------------------------------------------------------------------------------------------
    all gates together are (sum rho_i)-zCDP""",
    "Bun & Steinke 2016, Lemma 1.7; side by side: Lyu 2022",
    ConcentratedBound,
    side_by_side,
    _least,
)


def suggest(program: Program, parts: Sequence[Derivation]) -> Derivation | str | None:
    """zCDP bounds to one; None if there are none."""
    asked = ConcentratedBound(gates_of(parts), INFINITY, shortest(parts))
    return _COMPUTED.offer(program, asked, "zero-concentrated losses add up", tuple(parts)) if parts else None


RULE, SEARCH = _COMPUTED.rule, Search(_COMPUTED.rule.name, ("parts",), suggest)
