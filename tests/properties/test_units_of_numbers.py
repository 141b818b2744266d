"""A program in other units is the same program: its law does not change when all numbers are multiplied by a power of
ten, and no verdict becomes its opposite."""

from __future__ import annotations

from decimal import Decimal

import pytest
from one_value.verdicts import decided

import seqlang
from seqlang import SpecError

LETTERS = "algorithm a\nstream x in {{0, {one}, {three}}}\nmodel m: x ~ {{0: 0.5, {one}: 0.3, {three}: 0.2}}\n"
COIN = "algorithm a\nstream x in {{0, {one}}}\nmodel m: x ~ uniform({{0, {one}}})\n"
PROGRAMS = {
    "threshold once": LETTERS + "let T = {two}\nstop when x >= T return yes\nstop when step >= 6 return no\n"
    "attach laplace({one}) to T once\nattach laplace({half}) to x each step\n",
    "gaussian once": LETTERS + "let T = {two}\nstop when x >= T return yes\nstop when step >= 6 return no\n"
    "attach gaussian({one}) to T once\n",
    "two thresholds": LETTERS + "let T = {two}\nlet U = -{three}\nstop when x >= T return yes\n"
    "stop when x - {three} <= U return low\nstop when step >= 2 return no\nattach laplace({one}) to T once\n"
    "attach laplace({one}) to U once\nattach laplace({half}) to x each step\n",
    "sum": COIN + "statistic s = sum(x over steps)\nstop when s >= {three} return yes\nstop when step >= 6 return no\n"
    "attach laplace({one}) to s each step\n",
    "points": COIN + "statistic s = sum(x over steps)\ndraw z ~ geometric(0.5) once\n"
    "stop when s + {one} * z >= {three} return yes\nstop when step >= 6 return no\n",
    "window": LETTERS + "statistic s = mean(x over last 3)\nstop when s >= {two} return yes\n"
    "stop when step >= 6 return no\nattach exponential({one}) to s once\n",
    "cusum": COIN + "statistic w = max(0, previous(w, 0) + x - {half})\nstop when w >= {two} return yes\n"
    "stop when step >= 8 return no\nattach gaussian({half}) to w each step\n",
    "real": "algorithm a\nstream x in [-{three}, {three}]\nmodel m: x ~ uniform(-{three}, {three})\n"
    "stop when x >= {one} return yes\nstop when step >= 4 return no\nattach laplace({one}) to x each step\n",
    "drawn": COIN
    + "draw u ~ uniform(0, {three})\nstop when u >= {one} + x return yes\nstop when step >= 4 return no\n",
}
CLAIMS = """claim strong pure(2.5)
claim strong pure(9)
claim weak pure(2.5) under m
claim strong dp(0.3, 0.1)
claim weak dp(0.3, 0.05) under m
claim probability(yes) <= 0.5 under m
"""
POWERS = (-12, -17, -60, -290, 8, 17, 60)


def in_units(program: str, power: int) -> str:
    numbers = {"half": "0.5", "one": "1", "two": "2", "three": "3"}
    return program.format(**{name: str(Decimal(n).scaleb(power)).lower().replace("e+", "e") for name, n in
                             numbers.items()})  # fmt: skip


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_law_does_not_depend_on_the_unit(name: str, power: int) -> None:
    base = seqlang.solve(in_units(PROGRAMS[name], 0))[0]
    try:
        scaled = seqlang.solve(in_units(PROGRAMS[name], power))[0]
    except SpecError as error:
        assert {d.code for d in error.diagnostics} <= {"E0620", "E0623"}
    else:
        assert scaled.returns == pytest.approx(base.returns, abs=1e-9)


@pytest.mark.parametrize("power", (-17, -12, 12))
@pytest.mark.parametrize("name", PROGRAMS)
def test_no_verdict_is_turned_round(name: str, power: int) -> None:
    base, scaled = (decided(in_units(PROGRAMS[name], k) + CLAIMS) for k in (0, power))
    for one, other in zip(base, scaled, strict=bool(scaled)):
        assert {one, other} != {"proved", "refuted"}


@pytest.mark.parametrize("small", ["1e-13", "1e-16", "1e-30"])
def test_increments_that_differ_by_little_are_two(small: str) -> None:
    """The statistic is at least 2 small after n steps with more than (n + 3) / 2 ones, as with the unit 1."""
    chances = []
    for unit in ("1", small):
        text = f"algorithm a\nstream x in {{0, {unit}}}\nmodel m: x ~ uniform({{0, {unit}}})\n"
        text += f"statistic w = max(0, previous(w, 0) + x - 0.5 * {unit})\nstop when w >= 2 * {unit} return yes\n"
        text += f"stop when step >= 12 return no\nattach gaussian(0.5 * {unit}) to w each step\n"
        chances.append(seqlang.solve(text)[0].returns["yes"])
    assert chances[1] == pytest.approx(chances[0], abs=1e-9)
