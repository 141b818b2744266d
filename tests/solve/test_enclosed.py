"""Enclosed laws against the brute-force oracle, which shares nothing with them: the truth lies inside, always."""

from __future__ import annotations

import math

import numpy as np
import pytest
from law_oracle import Case, TooLarge, exact_table, random_case
from scipy import stats
from thorough import several

from seqlang import driver
from seqlang.backends.solve.enclosed.drift import expected_steps
from seqlang.backends.solve.enclosed.law import EnclosedLaw, enclosed
from seqlang.backends.solve.enclosed.outcomes import probability_of_outcomes
from seqlang.backends.solve.enclosed.stopping_time import stopping_time
from seqlang.backends.solve.enclosed.walk import floored
from seqlang.backends.solve.mesh.increments import increments_of
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model import expression as ir
from seqlang.model.program import Program
from seqlang.source import Source

ORACLE = 1e-9
"""The oracle's own error, by quadrature that converges geometrically between all kinks."""


def program_of(text: str) -> Program:
    loaded = driver.load(Source("case.seq", text))
    assert loaded.program is not None
    return loaded.program


def by_outcome(law: EnclosedLaw, names: tuple[str, ...]) -> np.ndarray:
    """The table with its columns in this order."""
    found = np.zeros((len(law.table), len(names)))
    for place, name in enumerate(names):
        if name in law.outcomes:
            found[:, place] = law.table[:, law.outcomes.index(name)]
    return found


def check_table(case: Case, panels: int) -> float | None:
    """No sum of entries is above the truth; returns what is undecided, None where nothing is enclosed."""
    try:
        law = enclosed(program_of(case.text()), "m", panels=panels)
    except Unsolved:
        return None
    try:
        truth, names = exact_table(case), case.outcomes
    except TooLarge:
        return None
    steps = min(len(truth), len(law.table))
    found = by_outcome(law, names)[:steps]
    above = np.maximum(found - truth[:steps], 0.0).sum()
    assert above <= law.rounding + ORACLE, (case.text(), above)
    assert found.sum() + law.undecided >= 1 - 1e-12 or law.open > 0
    return law.undecided


@pytest.mark.parametrize("seed", range(several(12, 400)))
def test_tables_are_lower_bounds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    case = random_case(rng, seed % 3, reports=seed % 4 == 3)
    check_table(case, 60)


@pytest.mark.parametrize("seed", range(several(8, 300)))
def test_more_panels_decide_more(seed: int) -> None:
    case = random_case(np.random.default_rng(1000 + seed), 1)
    few, many = check_table(case, 20), check_table(case, 400)
    assert few is None or many is None or many <= few + 1e-9


@pytest.mark.parametrize("seed", range(several(10, 400)))
def test_outcomes_of_programs_that_only_stop(seed: int) -> None:
    case = random_case(np.random.default_rng(2000 + seed), 1 + seed % 2)
    try:
        truth = exact_table(case).sum(axis=0)
    except TooLarge:
        return
    late = 1.0 - truth.sum()  # what the oracle does not follow may have any outcome
    program = program_of(case.text())
    for place, name in enumerate(case.outcomes):
        try:
            found = probability_of_outcomes(program, "m", lambda o, name=name: o == name, panels=100, clear=True)
        except Unsolved:
            continue
        assert found.low <= truth[place] + late + ORACLE, (case.text(), name)
        assert found.high >= truth[place] - ORACLE, (case.text(), name)


def test_a_kept_noise_by_hand() -> None:
    """P(stop in step 1) = P(w - z >= 1) for independent Laplace noises of scale 1: e^-1 (1/2 + 1/4)."""
    text = "algorithm a\nstream x in {0}\nmodel m: x ~ point(0)\ndraw z ~ laplace(1) once\ndraw w ~ laplace(1)\n"
    text += "stop when x + w - z >= 1 return up\nstop when step >= 1 return no\n"
    found = probability_of_outcomes(program_of(text), "m", lambda o: o == "up", panels=2000, clear=True)
    truth = math.exp(-1) * 0.75
    assert found.low <= truth <= found.high
    assert found.high - found.low < 2e-3


WALK = """algorithm a
stream x in real
model m: x ~ normal(0.3, 1)
statistic s = sum(x over steps)
stop when abs(s) >= 2 and step >= 3 return out
stop when step >= 4 return no
"""


def test_a_first_look_after_hundreds_of_steps() -> None:
    """Nothing stops before it; the chances are those of a binomial law."""
    text = """algorithm a
stream x in {0, 1}
model m: x ~ bernoulli(0.3)
statistic n = sum(x over steps)
stop when step >= 700 and n >= 220 return many
stop when step >= 700 return few
"""
    law = enclosed(program_of(text), "m", panels=1)
    found = by_outcome(law, ("many", "few")).sum(axis=0)
    expected = stats.binom.sf(219, 700, 0.3)
    assert law.undecided < 1e-9
    assert found == pytest.approx([expected, 1 - expected], abs=1e-9)


def test_a_walk_of_normal_numbers() -> None:
    """|S_3| >= 2, or else |S_4| >= 2: by the law of two normal numbers."""
    found = probability_of_outcomes(program_of(WALK), "m", lambda o: o == "out", panels=4000, clear=True)
    third, fourth = (stats.norm(0.3 * n, math.sqrt(n)) for n in (3, 4))
    both = stats.multivariate_normal([0.9, 1.2], [[3, 3], [3, 4]])
    inside = both.cdf([2, 2]) - both.cdf([-2, 2]) - both.cdf([2, -2]) + both.cdf([-2, -2])
    assert third.cdf(2) - third.cdf(-2) > inside < fourth.cdf(2) - fourth.cdf(-2)
    assert found.low - 1e-5 <= 1 - inside <= found.high + 1e-5  # the reference is good to five digits
    assert found.high - found.low < 5e-3


def test_floors_of_an_increment_keep_all_mass() -> None:
    program = program_of(WALK)
    found = increments_of(program, "m", ir.Field("x"))
    first, chances = floored(found, 0.125)
    ends = (first + np.arange(len(chances) + 1)) * 0.125
    np.testing.assert_allclose(chances, np.diff(stats.norm(0.3, 1).cdf(ends)), atol=1e-14)


@pytest.mark.parametrize("p", [0.2, 0.5, 0.9])
def test_expected_steps_of_a_finite_chain(p: float) -> None:
    """The first 1 comes after 1 / p steps on average."""
    text = f"algorithm a\nstream x in {{0, 1}}\nmodel m: x ~ bernoulli({p})\nstop when x >= 1\n"
    found = stopping_time(program_of(text), "m", None, clear=True)
    assert found.surely
    assert 1 / p <= found.high <= (1 / p) * (1 + 1e-6)


def test_runs_that_may_be_trapped_have_no_expected_step() -> None:
    trap = "algorithm a\nstream x in {0, 1}\nmodel m: x ~ bernoulli(1/2)\ndraw u ~ geometric(0.1)\n"
    trap += "statistic bad = max(if abs(u) >= 11 then 1 else 0 over steps)\nstop when x == 1 and bad == 0\n"
    found = stopping_time(program_of(trap), "m", None, clear=True)
    assert not found.surely
    assert math.isinf(found.high)


DRIFTS = """algorithm a
stream x in {0, 1}
model up: x ~ bernoulli(0.8)
model down: x ~ bernoulli(0.2)
model fair: x ~ bernoulli(0.5)
statistic s = sum(2 * x - 1 over steps)
"""


def test_a_walk_to_one_bound_takes_bound_over_drift_steps() -> None:
    """Wald's identity without overshoot: E[T] = 5 / 0.6."""
    program = program_of(DRIFTS + "stop when s >= 5\n")
    found, _ = expected_steps(program, "up", 10)
    assert found.low <= 5 / 0.6 <= found.high
    assert found.high - found.low < 1e-6
    for model in ("down", "fair"):  # it may never come there, or after an infinite expected time
        with pytest.raises(Unsolved):
            expected_steps(program, model, 10)


def test_a_walk_to_a_noisy_bound() -> None:
    """E[T] = E[max(5 + ceil(z) ..)]: a walk that goes up by 1 in each step reaches 5 + z after max(1, ceil(5 + z))."""
    text = "algorithm a\nstream x in {1, 2}\nmodel m: x ~ point(1)\nstatistic s = sum(x over steps)\n"
    text += "draw z ~ laplace(2) once\ndraw w ~ uniform(-1/1000, 1/1000)\nstop when s + w >= 5 + z\n"
    found, _ = expected_steps(program_of(text), "m", 2000)
    z = stats.laplace(scale=2)
    truth = 1 + sum(z.sf(n - 5) for n in range(1, 200))  # P(T > n) = P(z > n - 5), up to a thousandth
    assert found.low - 1e-3 <= truth <= found.high + 1e-3
    assert found.high - found.low < 0.1


@pytest.mark.parametrize("seed", range(several(4, 100)))
def test_expected_steps_of_random_drifts(seed: int) -> None:
    """Against the law by steps of a walk with fresh noise, computed here with numpy."""
    rng = np.random.default_rng(seed)
    p, bound, scale = rng.uniform(0.6, 0.95), int(rng.integers(1, 8)), rng.uniform(0.3, 3)
    text = DRIFTS.replace("0.8", f"{p:.6f}") + f"draw w ~ laplace({scale:.6f})\nstop when s + w >= {bound}\n"
    p, scale = round(p, 6), round(scale, 6)
    found, _ = expected_steps(program_of(text), "up", 10)
    mass, truth, places = np.zeros(8001), 0.0, np.arange(-4000, 4001)
    mass[4000] = 1.0
    for _ in range(4000):
        truth += mass.sum()
        mass = p * np.roll(mass, 1) + (1 - p) * np.roll(mass, -1)
        mass *= stats.laplace.cdf(bound - places, scale=scale)
        if mass.sum() < 1e-14:
            break
    assert found.low <= truth * (1 + 1e-9)
    assert truth <= found.high * (1 + 1e-9)
    assert found.high - found.low < 1e-4 * truth + 1e-4
