"""Sets and ranges whose elements change have the elements that exact arithmetic gives."""

from __future__ import annotations

from typing import Any

import pytest

import seqlang
from seqlang import SpecError

TENTHS = "algorithm a\nstream x in {0, 0.1}\nmodel m: x ~ uniform({0, 0.1})\n"

SETS = [
    ("", "count(true for k in {step * 0.1, 0.3}) == 1", 3, 1.0),
    ("", "count(true for k in {3 * x, 0.3}) == 1", 3, 0.5),
    ("statistic s = sum(x over steps)\n", "count(true for k in {s, 0.3}) == 1", 3, 0.125),
    ("statistic s = mean(x over steps)\n", "count(true for k in {s, 0.1}) == 1", 3, 0.125),
    ("memory w = 1\nupdate w = w * 0.9\n", "count(true for k in {w, 0.729}) == 1", 3, 1.0),
    ("draw y ~ uniform({0.1, 0.2})\n", "count(true for k in {y * 3, 0.3}) == 1", 3, 0.5),
    ("draw z ~ {k: 1 for k in {step * 0.1, 0.3, 0.5}}\n", "z == 0.5", 3, 0.5),
    ("draw z ~ bernoulli(sum(1 for k in {step * 0.1, 0.3}) / 2)\n", "z == 0", 3, 0.5),
    ("statistic s = count(true where count(true for k in {3 * x, 0.3}) == 1 over steps)\n", "s == 3", 3, 0.125),
    ("statistic s = sum(x over steps)\n", "sum(k for k in {s, 0.3}) < 0.5", 3, 0.625),
    ("", "count(true for k in 1..(step * 0.07 * 100 / 7)) == 7", 7, 1.0),
    ("", "count(true for k in 1..(3 * x * 10)) == 3", 3, 0.5),
    ("statistic s = sum(x over steps)\n", "count(true for k in 1..(s * 10)) == 3", 3, 0.125),
]


@pytest.mark.parametrize(("head", "condition", "step", "chance"), SETS)
def test_sets_and_ranges_that_change(head: str, condition: str, step: int, chance: float) -> None:
    text = f"{TENTHS}{head}stop when step >= {step} and {condition} return yes\nstop when step >= {step} return no\n"
    engines: tuple[Any, ...] = ("interpreter", "numpy", "compiled")
    try:
        assert seqlang.solve(text)[0].returns["yes"] == pytest.approx(chance)
    except SpecError as error:
        assert "E0623" in str(error)
    for engine in engines:
        try:
            found = seqlang.run(text, runs=400, seed=1, engine=engine)[0].returns
        except SpecError as error:
            assert engine != "interpreter" and "E0622" in str(error)
            continue
        assert found.get("yes", 0.0) == pytest.approx(chance, abs=0.1)
