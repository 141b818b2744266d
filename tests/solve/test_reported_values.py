"""Whether a report was made and what it says are two things: a truth value is reported in steps where it is false."""

from __future__ import annotations

import math

import pytest
from thorough import several

import seqlang

READINGS = {
    "update w = w + 1 when R\nstop when w >= 2 return r0": 0.5,
    "update w = w + (if R then 1 else 0)\nstop when w >= 2 return r0": 0.5,
    "stop when R return r0": 7 / 8,
    "stop when not R return r0": 7 / 8,
    "stop when count(R over steps) >= 2 return r0": 0.5,
    "stop when sum(1 where R over steps) >= 2 return r0": 0.5,
    "report S when R\nstop when count(S over steps) >= 2 return r0": 0.5,
    "report S = R\nstop when S return r0": 7 / 8,
    # from here on it matters that R is made in every step, whatever it says
    "stop when sum(1 since R) >= 2 return r0": 0.0,
    "stop when length(history(step, R)) >= 2 return r0": 1.0,
    "stop when z == 1 return r0": 7 / 8,
}
"""What is read, and the chance of r0 in three flips of a coin (drawn anew in each step: x, and z, which R renews)."""


def program(report: str, reading: str) -> str:
    coin = "draw z ~ bernoulli(0.5) each R\n" if "z ==" in reading else ""
    return f"""algorithm a
stream x in {{0, 1}}
memory w = 0
{coin}{report}
{reading}
stop when step >= 3
model m: x ~ bernoulli(0.5)
"""


def simulated_chance(text: str, engine: str, runs: int) -> float:
    (result,) = seqlang.run(text, runs=runs, seed=1, engine=engine)
    return float(result.to_dict()["returns"].get("r0", {"probability": 0.0})["probability"])


def solved_chance(text: str) -> float:
    (result,) = seqlang.solve(text)
    solution = result.solution
    return float(sum(c for o, c in zip(solution.outcomes, solution.table.sum(axis=0), strict=True) if o == "r0"))


@pytest.mark.parametrize("reading", READINGS)
def test_a_reported_truth_value_is_read_as_it_is(reading: str) -> None:
    text = program("report R = x > 0", reading)
    true = READINGS[reading]
    assert solved_chance(text) == pytest.approx(true, abs=1e-12)
    for engine, runs in (("interpreter", several(100, 600)), ("numpy", 20_000)):
        assert abs(simulated_chance(text, engine, runs) - true) <= 5 * math.sqrt(true * (1 - true) / runs) + 1e-12


def test_a_choice_between_two_numbers_is_read_as_it_is() -> None:
    """R is 2 where x is 1 and 1 elsewhere: w reaches 4 in three steps unless all of them are 1."""
    text = program("report R = if x > 0 then 2 else 1", "update w = w + R\nstop when w >= 4 return r0")
    assert solved_chance(text) == pytest.approx(7 / 8, abs=1e-12)
    assert simulated_chance(text, "interpreter", 600) == pytest.approx(7 / 8, abs=0.07)


def test_a_list_of_windows_beside_a_noise_that_is_kept() -> None:
    """A step reports with chance c e^-z, c = 0.625 + 0.375 / e, at a threshold noise z of mean 2, for which E e^-z is
    1/3 and E e^-2z is 1/5; so the mean of the steps is 1 + (1 - c/3) + (1 - 2c/3 + c^2/5). The list is not read."""
    (result,) = seqlang.solve(
        """algorithm a
param T = 1
stream x in {0, 1}
statistic l = [sum(j over last 2) for j in 0..2]
statistic s = x
report high when s > T
stop when step >= 3 or count(high over steps) >= 1
attach exponential(1) to s
attach exponential(2) to T once
model m: x ~ {0: 0.375, 1: 0.625}
"""
    )
    steps = sum((t + 1) * float(row.sum()) for t, row in enumerate(result.solution.table))
    c = 0.625 + 0.375 / math.e
    assert steps == pytest.approx(3 - c + c * c / 5, abs=1e-9)


@pytest.mark.parametrize("engine", ["numpy", pytest.param("compiled", marks=pytest.mark.long), "interpreter"])
def test_flips_of_a_value_that_nothing_shown_depends_on(engine: str) -> None:
    """No gate has its letters 0, 1 and 2; each is kept with chance 0.7: 0, 1 and 2 by 0.15, 0.15 and 0.7."""
    text = """algorithm a
stream x in {0, 1}
statistic s = if x >= 0 then 2 else (if x >= 1 then 1 else 0)
attach randomized_response(0.7) to s
statistic n = max(s over steps)
stop when step >= 1
model m: x ~ bernoulli(0.5)
"""
    (result,) = seqlang.run(text, runs=2000, seed=1, engine=engine)
    assert result.to_dict()["statistics"]["n"]["mean"] == pytest.approx(1.55, abs=0.09)
