"""Privacy losses of all parts, added up as laws: numerically tight, and an upper bound.

It is asked where it gains most: of subsampled Gaussian releases, of Gaussian ones together with others, and where a dp
claim of the file is not reached by what needs no Fourier transform (numpy takes longer to import than most checks).
"""

from __future__ import annotations

from collections.abc import Sequence

from seqlang.accounting.numeric import search
from seqlang.accounting.numeric.parts import Gaussian, Part, Subsampled
from seqlang.arithmetic.formula import enclose
from seqlang.model.program import Program
from seqlang.proof.derivation import ApproximateBound, Derivation, RenyiBound
from seqlang.proof.rule import Rule
from seqlang.rules.conversion.ingredients import ingredients
from seqlang.rules.conversion.premise import mismatch
from seqlang.rules.search import Search
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values

NAME = "conversion/losses_to_approximate"
CITE = "Zhu, Dong & Wang 2022, Theorem 10; discretisation: Doroshenko, Ghazi, Kamath, Kumar & Manurangsi 2022"


def suggest(program: Program, parts: Sequence[Derivation], delta: float) -> Derivation | None:
    """An (epsilon, delta) bound from an RDP bound whose parts are known; None where it would gain little."""
    for part in parts:
        claim = part.conclusion
        found = ingredients(program, part)
        if isinstance(claim, RenyiBound) and not isinstance(found, str) and _worth_it(program, found, delta):
            epsilon = search.epsilon(found, delta)
            because = "the privacy losses of all parts, added up as laws on a grid, every error on the safe side"
            conclusion = ApproximateBound(claim.gates, epsilon, delta, claim.horizon)
            return Derivation(conclusion, NAME, (part,), because=because, cite=CITE)
    return None


def _worth_it(program: Program, parts: tuple[Part, ...], delta: float) -> bool:
    if any(isinstance(part, Subsampled) for part in parts):
        return True
    if sum(1 if isinstance(part, Gaussian) else part.count for part in parts) < 2:
        return False
    return any(isinstance(part, Gaussian) for part in parts) or _claims_less(program, parts, delta)


def _claims_less(program: Program, parts: tuple[Part, ...], delta: float) -> bool:
    """Does the file claim dp at this delta, with an epsilon that the RDP curves do not reach?"""
    values = parameter_values(program)
    for claim in program.claims:
        if claim.privacy is None or claim.privacy.notion != "dp":
            continue
        goal = [formula_of(program, argument) for argument in claim.privacy.arguments]
        if (
            goal[0] is None
            or goal[1] is None
            or not enclose(goal[1], values).low <= delta <= enclose(goal[1], values).high
        ):
            continue
        if enclose(goal[0], values).low < search.by_orders(parts, delta)[0]:
            return True
    return False


def holds(program: Program, derivation: Derivation) -> str | None:
    problem = mismatch(derivation)
    if problem is not None:
        return problem
    claim = derivation.conclusion
    found = ingredients(program, derivation.premises[0])
    if isinstance(found, str):
        return found
    if not isinstance(claim, ApproximateBound) or not found:
        return "it concludes an (epsilon, delta) bound of some parts"
    epsilon = search.epsilon(found, claim.delta)
    return None if epsilon <= claim.epsilon else f"only epsilon {epsilon:.6g} follows at delta {claim.delta:g}"


STATEMENT = """
    a bound for gates with independent noise, made of parts dominated by pairs (P_i, Q_i), the i-th used k_i times
    sum over l > t of A(l) (1 - e^(t - l)) <= delta,  A at least the law of the sum of all losses log(P_i/Q_i)
    ----------------------------------------------------------------------------------------------------------------
    (t, delta)-DP, in nats

A is computed by Fourier transform on a grid: losses between two points are split between them, losses above it count as
infinite, what the transform folds over or rounds is added.
"""

RULE = Rule(NAME, "Privacy losses to (epsilon, delta)", STATEMENT, CITE, holds)

SEARCH = Search(NAME, ("parts", "delta"), suggest)
