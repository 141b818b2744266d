"""Wide panels for smooth densities against the panels they replace, and nodes of two Laplace noises by difference."""

from __future__ import annotations

import numpy as np
import pytest

import seqlang
from seqlang.backends.solve.recursion import follow
from seqlang.backends.solve.spaces import space_of
from seqlang.backends.solve.threads import one_thread
from seqlang.backends.solve.together import by_difference

TEXT = """\
algorithm a "a"
stream x in [-1, 1]
model centred: x ~ uniform(-1, 1)
statistic total = sum(x over steps)
stop when total >= 4 return high
stop when total <= -5 return low
draw z ~ laplace(1) once
attach z to a, b
attach laplace(1) to total
"""


def test_wide_panels_give_the_same_law() -> None:
    text = TEXT.replace("stop when total >= 4", "stop when total >= b").replace("total <= -5", "total <= a")
    text = text.replace("stream x", "param a = -5\nparam b = 4\nstream x", 1)
    program = seqlang.load(text).loaded.program
    assert program is not None
    space = space_of(program, "centred")
    assert space.unforced is not None
    with one_thread():
        plain, packed = follow(space.make(1)), follow(space.unforced(1))
    steps = min(len(plain.table), len(packed.table))
    assert np.abs(plain.table[:steps] - packed.table[:steps]).sum() < 2e-7
    assert packed.steps == pytest.approx(plain.steps, rel=1e-7)


@pytest.mark.parametrize("scales", [(1.0, 1.0), (2.0, 2.0), (1.0, 1.5)])
def test_nodes_by_difference(scales: tuple[float, float]) -> None:
    u, v, weights = by_difference(*scales, level=2)
    assert weights @ (u * u) == pytest.approx(2 * scales[0] ** 2, rel=1e-8)
    assert weights @ np.abs(v) == pytest.approx(scales[1], rel=1e-8)
    assert weights @ (u * v) == pytest.approx(0.0, abs=1e-8)
