"""eps-DP is eps^2/2-zCDP."""

from __future__ import annotations

from seqlang.arithmetic.formula import INFINITY, Formula
from seqlang.model.program import Program
from seqlang.proof.derivation import ConcentratedBound, Derivation, PureBound
from seqlang.rules.computed import Computed
from seqlang.rules.conversion.premise import mismatch
from seqlang.rules.search import Search


def _least(program: Program, asked: ConcentratedBound, step: Derivation) -> Formula | str:
    bound = step.premises[0].conclusion
    return bound.epsilon * bound.epsilon / 2 if isinstance(bound, PureBound) else "its premise is no pure bound"


_COMPUTED = Computed(
    "conversion/pure_to_concentrated",
    "Pure DP to zCDP",
    """eps-DP, in nats
    ------------------------------------------------------------------------------------------------
    (eps^2/2)-zCDP""",
    "Bun & Steinke 2016, Proposition 1.4",
    ConcentratedBound,
    mismatch,
    _least,
)


def suggest(program: Program, part: Derivation) -> Derivation | str:
    because = "a pure bound eps is zero-concentrated with eps^2/2"
    return _COMPUTED.offer(program, ConcentratedBound(part.conclusion.gates, INFINITY, None), because, (part,))


RULE, SEARCH = _COMPUTED.rule, Search(_COMPUTED.rule.name, ("part",), suggest)
