"""Bounds whose amounts are floats, and amounts as floats, for tests that compare numbers."""

from __future__ import annotations

from fractions import Fraction

from seqlang.arithmetic.formula import number
from seqlang.model.program import Program
from seqlang.proof.derivation import ApproximateBound, Judgement, RenyiBound
from seqlang.record import replace
from seqlang.rules.computed import bound_up


def renyi_bound(gates: tuple[str, ...], order: float, epsilon: float, horizon: int | None) -> RenyiBound:
    return RenyiBound(gates, Fraction(order), number(Fraction(epsilon)), horizon)


def approximate_bound(gates: tuple[str, ...], epsilon: float, delta: float, horizon: int | None) -> ApproximateBound:
    return ApproximateBound(gates, number(Fraction(epsilon)), Fraction(delta), horizon)


def size(program: Program, bound: Judgement) -> float:
    """Its epsilon or rho at the parameter values, rounded up."""
    return bound_up(program, bound)


def scaled(bound: Judgement, factor: float) -> Judgement:
    """The same bound with its epsilon multiplied."""
    return replace(bound, epsilon=bound.epsilon * Fraction(factor))
