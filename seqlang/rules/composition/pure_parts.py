"""Rules that put pure bounds together to one at a delta."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import inf

from seqlang.arithmetic.formula import INFINITY, Formula
from seqlang.arithmetic.rounding import fraction_down
from seqlang.model.program import Program
from seqlang.proof.derivation import ApproximateBound, Derivation, PureBound
from seqlang.proof.rule import Rule
from seqlang.rules.composition.concurrent import gates_of, side_by_side, value_up
from seqlang.rules.computed import Computed
from seqlang.rules.search import Search


def at_delta(
    name: str, title: str, statement: str, cite: str, because: str,
    together: Callable[[Sequence[float], float], float],
    symbolic: Callable[[Sequence[Formula]], Formula],
) -> tuple[Rule, Search]:  # fmt: skip
    """`together(epsilons, delta)` is what mechanisms with these finite epsilons are at that delta, rounded up;
    `symbolic(epsilons)` the same as a formula over DELTA, for reports."""

    def least(program: Program, asked: ApproximateBound, step: Derivation) -> float | str:
        claims = [part.conclusion for part in step.premises]
        epsilons = [value_up(program, claim.epsilon) for claim in claims if isinstance(claim, PureBound)]
        if len(epsilons) != len(claims) or not epsilons:
            return "every part must be a pure bound"
        return together(epsilons, fraction_down(asked.delta)) if max(epsilons) < inf else "a part has no finite epsilon"

    def of_parts(_: Program, step: Derivation) -> Formula | None:
        return symbolic([claim.epsilon for part in step.premises if isinstance(claim := part.conclusion, PureBound)])

    made = Computed(name, title, statement, cite, ApproximateBound, side_by_side, least, symbolic=of_parts)

    def suggest(program: Program, parts: Sequence[Derivation], delta: Fraction) -> Derivation | str:
        return made.offer(program, ApproximateBound(gates_of(parts), INFINITY, delta, None), because, tuple(parts))

    return made.rule, Search(name, ("parts", "delta"), suggest)
