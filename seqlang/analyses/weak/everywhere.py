"""Bounds that hold at every position, from proofs about the program: they end the scan and bound what is beyond tables.
They are strong bounds that hold for weak privacy too, see `rules/average_case`."""

from __future__ import annotations

from fractions import Fraction
from math import inf

from seqlang.analyses.bounds import Bounds
from seqlang.analyses.prove import size_of
from seqlang.analyses.weak.later import Everywhere
from seqlang.model.program import Program
from seqlang.proof.derivation import ApproximateBound, ConcentratedBound
from seqlang.rules.average_case import not_on_average
from seqlang.rules.claims import longest_run


def everywhere(program: Program, model: str, strong: Bounds | None) -> Everywhere:
    """What the proved bounds say of any two values of one entry under the model; nothing if they are not about that."""
    if strong is None or not_on_average(program, model) is not None:
        return Everywhere()
    pure = inf if strong.pure is None else size_of(program, strong.pure)
    concentrated = strong.zcdp
    if concentrated is None or not isinstance(concentrated.conclusion, ConcentratedBound):
        return Everywhere(pure)
    if concentrated.conclusion.horizon is not None:
        return Everywhere(pure)
    rho = size_of(program, concentrated)
    return Everywhere(pure, lambda order: min(pure, rho * order))


def epsilon_everywhere(program: Program, model: str, strong: Bounds | None, delta: Fraction) -> float:
    """What the proved bounds say of the weak epsilon at `delta` under the model (inf: nothing)."""
    if strong is None or not_on_average(program, model) is not None:
        return inf
    pure = inf if strong.pure is None else size_of(program, strong.pure)
    found, end = strong.dp, longest_run(program)
    if found is None or not isinstance(found.conclusion, ApproximateBound) or found.conclusion.delta > delta:
        return pure
    horizon = found.conclusion.horizon
    holds = horizon is None or (end is not None and end <= horizon)
    return min(pure, size_of(program, found)) if holds else pure
