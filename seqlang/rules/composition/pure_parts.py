"""Rules that put pure bounds together to one at a delta."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, nan

from seqlang.model.program import Program
from seqlang.proof.derivation import ApproximateBound, Derivation, PureBound
from seqlang.proof.rule import Rule
from seqlang.rules.composition.concurrent import gates_of, side_by_side, value_up
from seqlang.rules.computed import Computed
from seqlang.rules.search import Search


def at_delta(
    name: str, title: str, statement: str, cite: str, because: str,
    together: Callable[[Sequence[float], float], float],
) -> tuple[Rule, Search]:  # fmt: skip
    """`together(epsilons, delta)` is what mechanisms with these finite epsilons are at that delta, rounded up."""

    def least(program: Program, asked: ApproximateBound, step: Derivation) -> float | str:
        claims = [part.conclusion for part in step.premises]
        epsilons = [value_up(program, claim.epsilon) for claim in claims if isinstance(claim, PureBound)]
        if len(epsilons) != len(claims) or not epsilons:
            return "every part must be a pure bound"
        return together(epsilons, asked.delta) if max(epsilons) < inf else "a part has no finite epsilon"

    made = Computed(name, title, statement, cite, ApproximateBound, side_by_side, least)

    def suggest(program: Program, parts: Sequence[Derivation], delta: float) -> Derivation | str:
        return made.offer(program, ApproximateBound(gates_of(parts), nan, delta, None), because, tuple(parts))

    return made.rule, Search(name, ("parts", "delta"), suggest)
