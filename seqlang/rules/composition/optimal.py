"""Optimal composition of k pure mechanisms; where their epsilons differ, of as many with the largest."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from seqlang.accounting import homogeneous
from seqlang.model.program import Program
from seqlang.proof.derivation import ApproximateBound, Derivation, PureBound
from seqlang.proof.rule import Rule
from seqlang.rules.composition.concurrent import value_up, why_not_concurrent
from seqlang.rules.search import Search

NAME = "composition/optimal"
CITE = "Kairouz, Oh & Viswanath 2015, Theorem 3.3"


def _epsilon(program: Program, parts: Sequence[Derivation], delta: float) -> float | str:
    epsilons = [value_up(program, p.conclusion.epsilon) for p in parts if isinstance(p.conclusion, PureBound)]
    if len(epsilons) != len(parts) or not epsilons:
        return "every part must be a pure bound"
    if max(epsilons) == inf:
        return "a part has no finite epsilon"
    return homogeneous.optimal_of(epsilons, delta)


def suggest(program: Program, parts: Sequence[Derivation], delta: float) -> Derivation | None:
    """Pure bounds to an (epsilon, delta) bound; None if they cannot be put together."""
    epsilon = _epsilon(program, parts, delta)
    if isinstance(epsilon, str):
        return None
    gates = tuple(gate for part in parts for gate in part.conclusion.gates)
    made = Derivation(
        ApproximateBound(gates, epsilon, delta, None), NAME, tuple(parts),
        because="k-fold randomised response is the worst case", cite=CITE,
    )  # fmt: skip
    return made if holds(program, made) is None else None


def holds(program: Program, derivation: Derivation) -> str | None:
    claim = derivation.conclusion
    if not isinstance(claim, ApproximateBound):
        return "it concludes an (epsilon, delta) bound"
    problem = why_not_concurrent(program, claim, derivation.premises)
    if problem is not None:
        return problem
    epsilon = _epsilon(program, derivation.premises, claim.delta)
    if isinstance(epsilon, str):
        return epsilon
    return None if epsilon <= claim.epsilon else f"only epsilon {epsilon:.6g} follows at delta {claim.delta:g}"


RULE = Rule(
    NAME,
    "Optimal composition",
    """k gates with independent noise, G_i eps_i-DP, in nats; eps the largest eps_i; 0 < delta < 1
    max_L sum_(l < L) C(k,l) [p^(k-l) q^l - e^t p^l q^(k-l)] <= delta,  p = e^eps/(1+e^eps), q = 1 - p
    ------------------------------------------------------------------------------------------------
    all gates together are (t, delta)-DP; (sum eps_i, delta)-DP where that is less""",
    CITE,
    holds,
)

SEARCH = Search(NAME, ("parts", "delta"), suggest)
