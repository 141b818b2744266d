"""A negative radius turns a vector round: its size counts, not its sign."""

from __future__ import annotations

import math

import pytest

from seqlang.analyses.prove import prove, size_of
from seqlang.backends.interpret.operators import OTHER
from seqlang.driver import load
from seqlang.source import Source

PROGRAM = """algorithm t
public side in {-1, 1}
stream x in ball(5, 2)
report g = clip_norm(x, 2) - REST
attach l2_laplace(1) to g
"""


@pytest.mark.parametrize(
    "other", ["clip_norm(x, side)", "project(x, ball(side, 2))", "clip_norm(x, 1 - 2 * (side + 1))"]
)
def test_bounds_hold_for_both_signs(other: str) -> None:
    radii = [1 - 2 * (side + 1) if "1 -" in other else side for side in (-1, 1)]
    worst = 0.0
    for radius in radii:
        ends = []
        for x in ((5.0, 0.0), (-5.0, 0.0)):
            two, turned = (OTHER["clip_norm"](x, r) for r in (2, radius))
            ends.append([a - b for a, b in zip(two, turned, strict=True)])
        worst = max(worst, math.dist(*ends))
    program = load(Source("t.seq", PROGRAM.replace("REST", other))).program
    found = prove(program).pure
    assert found is not None
    assert size_of(program, found) >= worst >= 6
