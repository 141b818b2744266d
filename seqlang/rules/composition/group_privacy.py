"""`adjacent replace K` and `add or remove K` from the bound for one entry."""

from __future__ import annotations

from fractions import Fraction
from math import inf

from seqlang.accounting import group
from seqlang.arithmetic.formula import as_formula, at_most, enclose
from seqlang.model.expression import Number
from seqlang.model.program import AddRemove, Program, Replace
from seqlang.proof.derivation import ApproximateBound, ConcentratedBound, Derivation, Judgement, PureBound, RenyiBound
from seqlang.proof.replay import replay
from seqlang.proof.rule import Rule
from seqlang.record import replace
from seqlang.rules.composition.concurrent import horizon_covered, shortest
from seqlang.rules.computed import implies
from seqlang.rules.search import Search
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values

NAME = "composition/group_privacy"
CITE = "Dwork & Roth 2014, Theorem 2.2; Bun & Steinke 2016, Proposition 1.9; Mironov 2017, Proposition 11"
MOST_STEPS = 8
"""RDP bounds of larger groups would be asked at orders beyond 2^8 times their own."""


def size_of(program: Program) -> int | None:
    """K, the number of entries in which neighbours differ; None if it is not a known whole number."""
    adjacency = program.adjacency
    formula = formula_of(program, adjacency.count) if isinstance(adjacency, Replace | AddRemove) else None
    if formula is None:
        return None
    values = parameter_values(program)
    around = enclose(formula, values)
    high = round(around.low) if 0.5 < around.low <= around.high < 1e9 else None
    return high if high is not None and at_most(as_formula(high), formula, values) else None


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
    return Derivation(conclusion, NAME, evidence=part, because=_because(size), cite=CITE)


def orders_below(program: Program, order: float) -> tuple[float, ...]:
    """The orders at which RDP bounds of `single(program)` make one of the program at `order`."""
    asked: list[float] = []

    def curve(at: float) -> float:
        asked.append(at)
        return 0.0

    size = size_of(program)
    if size is not None and size <= MOST_STEPS:
        group.renyi(order, curve, size)
    return tuple(asked)


def suggest_renyi(program: Program, parts: tuple[Derivation, ...], order: float) -> Derivation | None:
    """`parts` are RDP bounds for `single(program)` at several orders; those that are needed become the evidence."""
    size = size_of(program)
    if size is None or size > MOST_STEPS or not parts:
        return None
    needed = tuple(dict.fromkeys(p for at in orders_below(program, order) if (p := _at(parts, at)) is not None))
    epsilon = _renyi(needed, order, size)
    if not epsilon < inf:
        return None
    conclusion = RenyiBound(parts[0].conclusion.gates, order, epsilon, shortest(needed))
    return Derivation(conclusion, NAME, evidence=needed, because=_because(size), cite=CITE)


def _because(size: int) -> str:
    return f"{size} changed entries are {size} neighbours in a row"


def _at(parts: tuple[Derivation, ...], order: float) -> Derivation | None:
    """The least of the bounds that hold at the order: divergences do not fall with it."""
    known = [(p.conclusion.epsilon, p) for p in parts if isinstance(p.conclusion, RenyiBound)
             and p.conclusion.order >= order]  # fmt: skip
    return min(known, key=lambda pair: pair[0], default=(0.0, None))[1]


def _renyi(parts: tuple[Derivation, ...], order: float, size: int) -> float:
    """The bound for the group at the order; infinite where the parts do not tell."""

    def curve(at: float) -> float:
        part = _at(parts, at)
        return part.conclusion.epsilon if part is not None and isinstance(part.conclusion, RenyiBound) else inf

    return group.renyi(order, curve, size)


def _grown(claim: Judgement, size: int) -> Judgement | None:
    match claim:
        case PureBound(gates, epsilon):
            return PureBound(gates, epsilon * size)
        case ConcentratedBound(gates, rho, horizon):
            return ConcentratedBound(gates, rho * size * size, horizon)
        case ApproximateBound(gates, epsilon, delta, horizon):
            return ApproximateBound(gates, *group.approximate(epsilon, delta, size), horizon)
    return None  # RDP takes bounds at several orders


def holds(program: Program, derivation: Derivation) -> str | None:
    evidence, one, size = derivation.evidence, single(program), size_of(program)
    parts = (evidence,) if isinstance(evidence, Derivation) else evidence
    if not isinstance(parts, tuple) or not parts or not all(isinstance(part, Derivation) for part in parts):
        return "the evidence is a derivation for one changed entry, or several of them"
    if derivation.premises:
        return "it has no premises: its evidence is about another program"
    if one is None or size is None:
        return "the adjacency does not count entries"
    claim = derivation.conclusion
    for part in parts:
        problems = replay(one, part)
        if problems:
            return f"the bound for one entry does not hold: {problems[0]}"
        if set(claim.gates) != set(part.conclusion.gates):
            return "the bound for one entry is for other gates"
    if not horizon_covered(claim, parts):
        return "the bound for one entry holds for fewer steps"
    if isinstance(claim, RenyiBound):
        if size > MOST_STEPS:
            return "too many entries"
        good = _renyi(parts, claim.order, size) <= claim.epsilon
    elif len(parts) > 1:
        return "one bound is enough"
    else:
        grown = _grown(parts[0].conclusion, size)
        good = grown is not None and implies(program, grown, claim)
    return None if good else "the bound for the group is larger, or of another kind"


RULE = Rule(
    NAME,
    "Group privacy",
    """for neighbours that differ in one entry: eps-DP, or (eps, delta)-DP, or rho-zCDP
    ------------------------------------------------------------------------------------------------
    for K entries: K eps-DP, or (K eps, delta (1 + e^eps + .. + e^((K-1) eps)))-DP, or K^2 rho-zCDP

RDP: D_a over k + 1 neighbours is at most (a - 1/2)/(a - 1) D_2a of one step and D_(2a - 1) over the other k.""",
    CITE,
    holds,
    Derivation,
)

SEARCH = Search(NAME, ("part",), suggest)
