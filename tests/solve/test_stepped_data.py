"""Data with a density of which programs read a step function only: chances of the steps, by scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from seqlang.backends.solve.solution import Solution
from seqlang.backends.solve.solve import solve
from seqlang.backends.solve.step.integration_plan import integration_plan
from seqlang.backends.solve.step.stepped_data import stepped
from seqlang.driver.loading import load
from seqlang.model import expression as ir
from seqlang.model.program import Program
from seqlang.source import Source

SPEC = """
algorithm steps
stream x in real
model data: x ~ {law}
memory total = 0
report shown = {read}
update total = total + shown
stop when total >= 3 return high
stop when total <= -2 return low
{rest}
"""
NORMAL = stats.norm(0.3, 1.2)


def program(read: str, law: str = "normal(0.3, 1.2)", rest: str = "") -> Program:
    return load(Source("steps", SPEC.format(read=read, law=law, rest=rest))).program


def table(asked: Program) -> list[float] | None:
    """The chances of the steps, in the order of their values; None where the law is not replaced."""
    (model,) = stepped(asked, "data", integration_plan(asked).needed).models
    ((_, law),) = model.laws
    return [float(w.value) for _, w in law.pairs if isinstance(w, ir.Number)] if isinstance(law, ir.Weights) else None


@pytest.mark.parametrize(
    ("read", "jumps"),
    [
        ("floor(4 * clip((x + 1) / 2, 0, 1) + 1 / 2)", [-0.75, -0.25, 0.25, 0.75]),
        ("ceil(clip(-3 * x, -1, 2))", [-1 / 3, 0, 1 / 3]),
        ("floor(clip(x / 2, -1, 1)) + ceil(clip(x + 1 / 3, 0, 1))", [-1 / 3, 0, 2]),
    ],
)
def test_steps_have_the_chances_of_what_lies_on_them(read: str, jumps: list[float]) -> None:
    found = table(program(read))
    assert found is not None
    chances = np.diff(NORMAL.cdf([-np.inf, *jumps, np.inf]))
    assert found == pytest.approx([c for c in chances if c > 0], abs=1e-15)


@pytest.mark.parametrize("read", ["floor(x * x)", "x", "floor(x) + x", "clip(x, 0, 1)", "floor(abs(x))"])
def test_what_is_no_monotone_step_function_is_left_alone(read: str) -> None:
    assert table(program(read)) is None


def law(found: Solution) -> dict[str, float]:
    sums = found.table.sum(axis=0) + (0 if found.tail is None else found.tail.outcomes)
    return dict(zip(found.outcomes, sums.tolist(), strict=True))


def test_a_walk_of_steps_by_hand() -> None:
    """From 0 to 3 or -2 in steps of 1: up where x > 0.5, so with p = P(x > 0.5), else down. Gambler's ruin."""
    found = solve(program("2 * floor(clip(x + 1 / 2, 0, 1)) - 1"), "data")
    up = float(NORMAL.sf(0.5))
    r = (1 - up) / up
    assert law(found)["high"] == pytest.approx((1 - r**2) / (1 - r**5), rel=1e-10)
