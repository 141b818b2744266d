"""Constant weights next to 0 that are computed from chances, as in {0: 1 - normal(0, 1).cdf(8), 1: ..}: exact
arithmetic knows no chances of most laws, and floats may know few digits of the difference of two."""

from __future__ import annotations

from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.values import EvaluationError
from seqlang.laws.numbers import LEAST_INSIDE
from seqlang.model.expression import Weights
from seqlang.model.program import Program, nodes_in


def has_tiny_weights(exact: Compiler, program: Program) -> bool:
    """Whether a law of the program has such a weight: nothing is decided by it."""
    smooth = exact.jumps.smooth
    for law in nodes_in((program.body, program.noises, program.models)):
        for _, weight in law.pairs if isinstance(law, Weights) else ():
            if not smooth.grids.is_constant(weight) or smooth.is_known(weight, None):
                continue
            try:
                if exact.constant(weight) < LEAST_INSIDE:
                    return True
            except EvaluationError:
                return True
    return False
