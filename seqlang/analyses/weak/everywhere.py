"""Bounds that hold at every position, from proofs about the program: they end the scan and bound what is beyond tables.

A strong bound for replaced entries bounds the laws for every fixed choice of the other entries; pure losses and Renyi
divergences of mixtures are at most the largest of the parts (quasi-convexity), so it holds for weak privacy too.
"""

from __future__ import annotations

from math import inf

from seqlang.analyses.bounds import Bounds
from seqlang.analyses.prove import size_of
from seqlang.analyses.weak.later import Everywhere
from seqlang.model.program import Program, Replace
from seqlang.proof.derivation import ConcentratedBound


def everywhere(program: Program, strong: Bounds | None) -> Everywhere:
    """What the proved bounds say of any two values of one entry; nothing if the adjacency is not about that."""
    if strong is None or not isinstance(program.adjacency, Replace):
        return Everywhere()
    pure = inf if strong.pure is None else size_of(program, strong.pure)
    concentrated = strong.zcdp
    if concentrated is None or not isinstance(concentrated.conclusion, ConcentratedBound):
        return Everywhere(pure)
    if concentrated.conclusion.horizon is not None:
        return Everywhere(pure)
    rho = size_of(program, concentrated)
    return Everywhere(pure, lambda order: min(pure, rho * order))
