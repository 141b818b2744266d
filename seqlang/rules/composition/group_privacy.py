"""`adjacent replace K` and `add or remove K` from the bound for one entry."""

from __future__ import annotations

from fractions import Fraction
from math import inf

from seqlang.accounting import group
from seqlang.arithmetic.enclosure import exact_value
from seqlang.arithmetic.formula import INFINITY, ORDER, ZERO, Formula, as_formula, at_most, enclose, substitute
from seqlang.arithmetic.rounding import fraction_up
from seqlang.model.expression import Number
from seqlang.model.program import AddRemove, Program, Replace
from seqlang.proof.derivation import (
    ApproximateBound,
    ConcentratedBound,
    Derivation,
    Judgement,
    PureBound,
    RenyiBound,
    settled,
)
from seqlang.proof.replay import replay
from seqlang.proof.rule import Rule
from seqlang.record import replace
from seqlang.rules.composition.concurrent import horizon_covered, shortest
from seqlang.rules.computed import bound_up, implies, with_amount
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
    conclusion = _grown(program, part.conclusion, size)
    if conclusion is None:
        return None
    return Derivation(conclusion, NAME, evidence=part, because=_because(size), cite=CITE)


def orders_below(program: Program, order: Fraction) -> tuple[Fraction, ...]:
    """The orders at which RDP bounds of `single(program)` make one of the program at `order`."""
    asked: list[Fraction] = []

    def curve(at: Formula) -> Formula:
        asked.append(_value(at, order))
        return ZERO

    size = size_of(program)
    if size is not None and size <= MOST_STEPS:
        group.renyi(curve, size)
    return tuple(asked)


def _value(at: Formula, order: Fraction) -> Fraction:
    """An order that is a formula in ORDER, as a number."""
    exact = exact_value(at, {ORDER.name: order})
    assert exact is not None, "twice an order, or one less"
    return exact


def suggest_renyi(program: Program, parts: tuple[Derivation, ...], order: Fraction) -> Derivation | None:
    """`parts` are RDP bounds for `single(program)` at several orders; those that are needed become the evidence."""
    size = size_of(program)
    if size is None or size > MOST_STEPS or not parts:
        return None
    below = (_at(program, parts, at) for at in orders_below(program, order))
    needed = tuple(dict.fromkeys(part for part in below if part is not None))
    conclusion = RenyiBound(parts[0].conclusion.gates, order, _renyi(program, needed, order, size), shortest(needed))
    if not bound_up(program, conclusion) < inf:
        return None
    return Derivation(conclusion, NAME, evidence=needed, because=_because(size), cite=CITE)


def _because(size: int) -> str:
    return f"{size} changed entries are {size} neighbours in a row"


def _at(program: Program, parts: tuple[Derivation, ...], order: Fraction) -> Derivation | None:
    """The least of the bounds that hold at the order: divergences do not fall with it."""
    known = [p for p in parts if isinstance(p.conclusion, RenyiBound) and p.conclusion.order >= order]
    return min(known, key=lambda part: bound_up(program, part.conclusion), default=None)


def _renyi(program: Program, parts: tuple[Derivation, ...], order: Fraction, size: int) -> Formula:
    """The bound for the group at the order; infinite where the parts do not tell."""

    def curve(at: Formula) -> Formula:
        asked = _value(at, order)
        part = _at(program, parts, asked)
        if part is None or not isinstance(part.conclusion, RenyiBound):
            return INFINITY
        same = part.conclusion.order == asked
        return substitute(part.conclusion.epsilon, {ORDER.name: at}) if same else settled(part.conclusion)

    return group.renyi(curve, size)


def _grown(program: Program, claim: Judgement, size: int) -> Judgement | None:
    match claim:
        case PureBound(gates, epsilon):
            return PureBound(gates, epsilon * size)
        case ConcentratedBound(gates, rho, horizon):
            return ConcentratedBound(gates, rho * size * size, horizon)
        case ApproximateBound(gates, epsilon, delta, horizon):
            above = group.approximate(bound_up(program, claim), fraction_up(delta), size)
            return with_amount(ApproximateBound(gates, epsilon, Fraction(above[1]), horizon), above[0])
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
        good = implies(program, replace(claim, epsilon=_renyi(program, parts, claim.order, size)), claim)
    elif len(parts) > 1:
        return "one bound is enough"
    else:
        grown = _grown(program, parts[0].conclusion, size)
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
