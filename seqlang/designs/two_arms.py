"""Warnings about a design of two arms: at which rates its error holds, and which arm it ignores."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from seqlang.designs.problem.decimal import decimal
from seqlang.designs.problem.problem import Problem
from seqlang.results.design import EqualRates

MUCH = Fraction(1, 20)
"""The report warns of an error that is larger than what was asked for by more than this part."""


def warnings(problem: Problem, equal: EqualRates | None) -> Iterator[str]:
    """That the null's error is much larger at other equal rates, and that the outcomes of an arm earn no score.
    `equal`: None where it was not computed in time."""
    (null_first, null_second), (first, second) = (
        tuple(chances[1] for chances in side.arms) for side in (problem.null, problem.alternative)
    )
    if equal is not None and null_first == null_second and equal.largest > problem.alpha * (1 + MUCH):
        yield (
            f"the error of {decimal(problem.alpha)} holds where both rates are {decimal(null_first)}, and not at all "
            f"equal rates: where both rates are {equal.at:.4g}, the test rejects with chance {equal.largest:.4g}"
        )
    sides = zip(problem.arms, reversed(problem.arms), (null_first, null_second), (first, second), strict=True)
    for name, other, null, alternative in sides:
        if null == alternative:
            mean = decimal((first + second) / 2)
            yield (
                f"both hypotheses give {name} the same chance, {decimal(null)}: its outcomes earn no score, and half "
                f"of the entries tell nothing. The test compares {other} with what was stated, and not with {name}. To "
                f"compare the arms, state a null in which {name} differs too, such as {mean} in both arms"
            )
