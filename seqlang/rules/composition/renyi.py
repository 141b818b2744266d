"""RDP bounds at one order add up."""

from __future__ import annotations

from collections.abc import Sequence

from seqlang.arithmetic.formula import INFINITY, Formula, total
from seqlang.model.program import Program
from seqlang.proof.derivation import Derivation, RenyiBound
from seqlang.rules.composition.concurrent import gates_of, shortest, side_by_side
from seqlang.rules.computed import Computed
from seqlang.rules.search import Search


def _least(_: Program, asked: RenyiBound, step: Derivation) -> Formula | str:
    claims = [part.conclusion for part in step.premises]
    known = [c.epsilon for c in claims if isinstance(c, RenyiBound) and c.order == asked.order]
    return total(known) if len(known) == len(claims) else f"every part must be an RDP bound at order {asked.order}"


_COMPUTED = Computed(
    "composition/renyi",
    "Addition of RDP",
    """Gates G_i with independent noise, G_i (a, eps_i)-RDP, in nats
    ------------------------------------------------------------------------------------------------
    all gates together are (a, sum eps_i)-RDP""",
    "Mironov 2017, Proposition 1; side by side: Lyu 2022",
    RenyiBound,
    side_by_side,
    _least,
)


def suggest(program: Program, parts: Sequence[Derivation]) -> Derivation | str | None:
    """RDP bounds of one order to one RDP bound; None if there are none."""
    first = parts[0].conclusion if parts else None
    if not isinstance(first, RenyiBound):
        return None
    asked = RenyiBound(gates_of(parts), first.order, INFINITY, shortest(parts))
    return _COMPUTED.offer(program, asked, "Renyi divergences at one order add up", tuple(parts))


RULE, SEARCH = _COMPUTED.rule, Search(_COMPUTED.rule.name, ("parts",), suggest)
