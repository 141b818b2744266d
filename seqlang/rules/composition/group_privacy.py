"""`adjacent replace K` and `add or remove K` from the bound for one entry."""

from __future__ import annotations

from fractions import Fraction

from seqlang.accounting import group
from seqlang.arithmetic.formula import as_formula, at_most
from seqlang.model.expression import Number
from seqlang.model.program import AddRemove, Program, Replace
from seqlang.proof.derivation import ApproximateBound, ConcentratedBound, Derivation, Judgement, PureBound
from seqlang.proof.replay import replay
from seqlang.proof.rule import Rule
from seqlang.record import replace
from seqlang.rules.composition.joint import horizon_covered
from seqlang.rules.sensitivity.formulas import formula_of, parameter_values

NAME = "composition/group_privacy"
CITE = "Dwork & Roth 2014, Theorem 2.2; Bun & Steinke 2016, Proposition 1.9"


def size_of(program: Program) -> int | None:
    """K, the number of entries in which neighbours differ; None if it is not a known whole number."""
    adjacency = program.adjacency
    if not isinstance(adjacency, (Replace, AddRemove)):
        return None
    formula = formula_of(program, adjacency.count)
    if formula is None:
        return None
    values = parameter_values(program)
    high = _least_integer_above(program)
    return high if high is not None and at_most(as_formula(high), formula, values) else None


def _least_integer_above(program: Program) -> int | None:
    from seqlang.arithmetic.formula import enclose

    adjacency = program.adjacency
    assert isinstance(adjacency, (Replace, AddRemove))
    formula = formula_of(program, adjacency.count)
    if formula is None:
        return None
    around = enclose(formula, parameter_values(program))
    return round(around.low) if 0.5 < around.low <= around.high < 1e9 else None


def single(program: Program) -> Program | None:
    """The same program with neighbours that differ in one entry: prove that, then call `suggest`."""
    match program.adjacency:
        case Replace():
            return replace(program, adjacency=Replace(Number(Fraction(1))))
        case AddRemove():
            return replace(program, adjacency=AddRemove(Number(Fraction(1))))
    return None


def suggest(program: Program, part: Derivation) -> Derivation | None:
    """`part` is a derivation for `single(program)`; it becomes the evidence, replayed there."""
    size = size_of(program)
    if size is None:
        return None
    conclusion = _grown(part.conclusion, size)
    if conclusion is None:
        return None
    because = f"{size} changed entries are {size} neighbours in a row"
    return Derivation(conclusion, NAME, evidence=part, because=because, cite=CITE)


def _grown(claim: Judgement, size: int) -> Judgement | None:
    match claim:
        case PureBound(gates, epsilon):
            return PureBound(gates, epsilon * size)
        case ConcentratedBound(gates, rho, horizon):
            return ConcentratedBound(gates, rho * size * size, horizon)
        case ApproximateBound(gates, epsilon, delta, horizon):
            return ApproximateBound(gates, *group.approximate(epsilon, delta, size), horizon)
    return None  # RDP at one order does not grow by a simple factor


def holds(program: Program, derivation: Derivation) -> str | None:
    part, one, size = derivation.evidence, single(program), size_of(program)
    if not isinstance(part, Derivation) or derivation.premises:
        return "the evidence is a derivation for one changed entry"
    if one is None or size is None:
        return "the adjacency does not count entries"
    problems = replay(one, part)
    if problems:
        return f"the bound for one entry does not hold: {problems[0]}"
    claim, grown = derivation.conclusion, _grown(part.conclusion, size)
    if set(claim.gates) != set(part.conclusion.gates):
        return "the bound for one entry is for other gates"
    if not horizon_covered(claim, (part,)):
        return "the bound for one entry holds for fewer steps"
    values = parameter_values(program)
    match grown, claim:
        case PureBound(epsilon=a), PureBound(epsilon=b):
            return None if at_most(a, b, values) else "the bound for the group is larger"
        case ConcentratedBound(rho=a), ConcentratedBound(rho=b):
            return None if at_most(a, b, values) else "the bound for the group is larger"
        case ApproximateBound(epsilon=e, delta=d), ApproximateBound(epsilon=larger, delta=wider):
            return None if e <= larger and d <= wider else "the bound for the group is larger"
    return "the kinds of bound differ"


RULE = Rule(
    NAME,
    "Group privacy",
    """for neighbours that differ in one entry: eps-DP, or (eps, delta)-DP, or rho-zCDP
    ------------------------------------------------------------------------------------------------
    for K entries: K eps-DP, or (K eps, delta (1 + e^eps + .. + e^((K-1) eps)))-DP, or K^2 rho-zCDP""",
    CITE,
    holds,
    Derivation,
)
