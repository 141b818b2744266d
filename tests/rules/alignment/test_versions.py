"""A memory above and below its update in one step is two numbers, wherever a rule compares two expressions."""

from __future__ import annotations

from math import inf

import pytest

from seqlang import driver
from seqlang.analyses.prove import prove, size_of
from seqlang.source import Source

HEAD = "algorithm a\nstream x in {0, 1}\nmemory m = 1\n"
CHANGED = "update m = if step % 2 == 1 then {} else 1"
END = "stop when step >= 1"


def _pure(*lines: str) -> float:
    model = driver.load(Source("<test>", HEAD + "\n".join((*lines, END, "")))).program
    found = prove(model, orders=()).pure
    return inf if found is None else size_of(model, found)


@pytest.mark.parametrize(
    ("lines", "loss"),
    [
        # A - B is x
        (("draw z ~ laplace(1)", "report A = m * x + z", CHANGED.format(0), "report B = m * x + z"), inf),
        # A and not B: z in [1, 1) or in [0, 2)
        (("draw z ~ laplace(1)", "report A when m * x + z >= 1", CHANGED.format("0 - 1"),
          "report B when m * x + z >= 1"), inf),
        # not A and B: z in [1/2, 1), or in [0, 0) but for the small noises
        (("draw z ~ laplace(1)", "draw w ~ gaussian(0.01)", "draw v ~ gaussian(0.01)",
          "report A when x + m * z + w >= 1", CHANGED.format(2), "report B when x + m * z + v >= 1"), 3.98),
        # z is drawn each time, one of them is enough
        (("draw z ~ laplace(1)", "draw v ~ laplace(1)", "report A = m * x + z", CHANGED.format(0),
          "report B = m * x + v"), 1.0),
    ],
)  # fmt: skip
def test_no_rule_takes_the_two_for_one(lines: tuple[str, ...], loss: float) -> None:
    assert _pure(*lines) >= loss
