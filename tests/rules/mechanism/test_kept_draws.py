"""Draws that are kept for a life: what they have read ended before they are shown."""

from __future__ import annotations

from math import exp, log

import pytest
from elaborated import elaborated

from seqlang.analyses.prove import prove, size_of


def pure(draw: str) -> float:
    lines = (
        "algorithm t", "stream x in [0, 1]", draw, "report R when step % 2 == 0", "report g = y when step % 3 == 0",
        "stop when step >= 6",
    )  # fmt: skip
    program = elaborated("\n".join(lines))
    bound = prove(program).pure
    assert bound is not None
    return size_of(program, bound)


def test_windows_that_lie_closer_together_than_the_showings() -> None:
    """Shown are y_3 at step 3, y_5 at step 6: x_3 is in both windows, steps 1 to 3 and 3 to 5. All others are 1."""

    def answer_1(total: float) -> float:
        return 1 / (1 + exp(total))

    loss = 2 * log(answer_1(2) / answer_1(3))
    assert loss > 1.8
    assert pure("draw y ~ {0: exp(sum(x over last 3)), 1: exp(0 * x)} each R") >= loss


def test_draws_of_every_step() -> None:
    """The windows of steps 3 and 6 are disjoint."""
    assert pure("draw y ~ {0: exp(sum(x over last 3)), 1: exp(0 * x)}") == pytest.approx(1)
