"""Privacy losses of all parts, added up as laws: numerically tight, and an upper bound.

It is asked where it gains most: of subsampled Gaussian releases, of Gaussian ones together with others, and where a dp
claim of the file is not reached by what needs no Fourier transform (numpy takes longer to import than most checks).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from seqlang.accounting.numeric.parts import Gaussian, Part, Subsampled
from seqlang.arithmetic.formula import enclose
from seqlang.arithmetic.rounding import fraction_down
from seqlang.model.program import Program
from seqlang.proof.derivation import Derivation, RenyiBound
from seqlang.rules.conversion.conversion import at_delta
from seqlang.rules.conversion.ingredients import ingredients
from seqlang.rules.search import Offer, Search
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values


def _epsilon(program: Program, part: Derivation, delta: float) -> float | str:
    from seqlang.accounting.numeric import search

    found = ingredients(program, part)
    if isinstance(found, str):
        return found
    return search.epsilon(found, delta) if found else "a bound of some parts"


def suggest(program: Program, parts: Sequence[Derivation], delta: Fraction) -> Offer:
    """An (epsilon, delta) bound from an RDP bound whose parts are known; None where it would gain little."""
    for part in parts:
        found = ingredients(program, part)
        if (
            isinstance(part.conclusion, RenyiBound)
            and not isinstance(found, str)
            and _worth_it(program, found, fraction_down(delta))
        ):
            return _of_part.suggest(program, part, delta)
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
        from seqlang.accounting.numeric import search

        if enclose(goal[0], values).low < search.by_orders(parts, delta)[0]:
            return True
    return False


STATEMENT = """
    a bound for gates with independent noise, made of parts dominated by pairs (P_i, Q_i), the i-th used k_i times
    sum over l > t of A(l) (1 - e^(t - l)) <= delta,  A at least the law of the sum of all losses log(P_i/Q_i)
    ----------------------------------------------------------------------------------------------------------------
    (t, delta)-DP, in nats

A is computed by Fourier transform on a grid: losses between two points are split between them, losses above it count as
infinite, what the transform folds over or rounds is added.
"""

RULE, _of_part = at_delta(
    "conversion/losses_to_approximate",
    "Privacy losses to (epsilon, delta)",
    STATEMENT,
    "Zhu, Dong & Wang 2022, Theorem 10; discretisation: Doroshenko, Ghazi, Kamath, Kumar & Manurangsi 2022",
    "the privacy losses of all parts, added up as laws on a grid, every error on the safe side",
    _epsilon,
)
SEARCH = Search(RULE.name, ("parts", "delta"), suggest)
