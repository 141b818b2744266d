"""The zCDP bound of a noisy test against its exact laws."""

from __future__ import annotations

import numpy as np
import pytest
from noisy_runs import gaussian_tail, one_end, renyi

from seqlang.arithmetic.formula import enclose
from seqlang.elaborate import elaborate
from seqlang.proof.derivation import ConcentratedBound
from seqlang.rules.stopping import concentrated
from seqlang.source import Source
from seqlang.syntax import parse

TEXT = """algorithm one
param T = 10
stream x in [0, 1]
statistic q = sum(x over steps)
stop when q >= T
attach gaussian(2) to T once
attach gaussian(3) to q
"""
LEVELS = np.array([-1.0, -0.5, 0.0, 0.5])


@pytest.mark.parametrize("order", [1.2, 2.0, 3.3, 8.0, 20.0])
def test_it_is_above_the_exact_divergence(order: float) -> None:
    """Levels that rise or fall by 1 from some look on, by quadrature over the threshold noise."""
    tree, _ = parse(Source("<test>", TEXT))
    assert tree is not None
    program, _ = elaborate(tree, {})
    assert program is not None
    found = concentrated.suggest(program, len(LEVELS))
    assert isinstance(found.conclusion, ConcentratedBound)
    rho = enclose(found.conclusion.rho, {}).high
    worst = 0.0
    for start in range(len(LEVELS)):
        for move in (1.0, -1.0):
            moved = LEVELS.copy()
            moved[start:] += move
            laws = [one_end(list(at), 2.0, gaussian_tail(3.0)) for at in (LEVELS, moved)]
            worst = max(worst, renyi(laws[0], laws[1], order))
    assert 0.02 * rho * order < worst <= rho * order
