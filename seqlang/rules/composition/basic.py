"""Losses of several mechanisms add up."""

from __future__ import annotations

from collections.abc import Sequence

from seqlang.arithmetic.formula import ZERO, at_most
from seqlang.arithmetic.rounding import sum_up
from seqlang.model.program import Program
from seqlang.proof.derivation import ApproximateBound, Derivation, PureBound
from seqlang.proof.rule import Rule
from seqlang.rules.composition.concurrent import horizon_covered, shortest, value_up, why_not_concurrent
from seqlang.rules.search import Search
from seqlang.rules.sensitivity.facts.formulas import parameter_values

NAME = "composition/basic"
CITE = "Dwork & Roth 2014, Theorem 3.16; side by side: Vadhan & Wang 2021, Lyu 2022"


def suggest(program: Program, parts: Sequence[Derivation]) -> Derivation | None:
    """Pure bounds to a pure bound; pure and approximate ones to an approximate bound."""
    gates = tuple(gate for part in parts for gate in part.conclusion.gates)
    claims = [part.conclusion for part in parts]
    conclusion: PureBound | ApproximateBound
    pure = [claim for claim in claims if isinstance(claim, PureBound)]
    if len(pure) == len(claims):
        conclusion = PureBound(gates, sum((claim.epsilon for claim in pure), start=ZERO))
    elif all(isinstance(claim, (PureBound, ApproximateBound)) for claim in claims):
        epsilon, delta = _totals(program, parts)
        conclusion = ApproximateBound(gates, epsilon, delta, shortest(parts))
    else:
        return None
    made = Derivation(conclusion, NAME, tuple(parts), because="the losses of independent mechanisms add up", cite=CITE)
    return made if holds(program, made) is None else None


def _totals(program: Program, parts: Sequence[Derivation]) -> tuple[float, float]:
    epsilons, deltas = [], []
    for part in parts:
        match part.conclusion:
            case PureBound(epsilon=formula):
                epsilons.append(value_up(program, formula))
            case ApproximateBound(epsilon=epsilon, delta=delta):
                epsilons.append(epsilon)
                deltas.append(delta)
    return sum_up(epsilons), sum_up(deltas)


def holds(program: Program, derivation: Derivation) -> str | None:
    claim, parts = derivation.conclusion, derivation.premises
    problem = why_not_concurrent(program, claim, parts)
    if problem is not None:
        return problem
    match claim:
        case PureBound(epsilon=formula):
            pure = [p.conclusion for p in parts if isinstance(p.conclusion, PureBound)]
            if len(pure) != len(parts):
                return "a pure bound needs pure parts"
            total = sum((p.epsilon for p in pure), start=ZERO)
            return None if at_most(total, formula, parameter_values(program)) else "the sum of the parts is larger"
        case ApproximateBound(epsilon=epsilon, delta=delta):
            if any(not isinstance(p.conclusion, (PureBound, ApproximateBound)) for p in parts):
                return "a part is not a pure or (epsilon, delta) bound"
            if not horizon_covered(claim, parts):
                return "a part holds for fewer steps"
            total_epsilon, total_delta = _totals(program, parts)
            if not total_delta < 1:
                return "the deltas add up to 1 or more"
            return None if total_epsilon <= epsilon and total_delta <= delta else "the sum of the parts is larger"
    return "it concludes a pure or (epsilon, delta) bound"


RULE = Rule(
    NAME,
    "Basic composition",
    """Gates G_i with independent noise, G_i (eps_i, delta_i)-DP (delta_i = 0: pure), in nats
    ------------------------------------------------------------------------------------------------
    all gates together are (sum eps_i, sum delta_i)-DP""",
    CITE,
    holds,
)

SEARCH = Search(NAME, ("parts",), suggest)
