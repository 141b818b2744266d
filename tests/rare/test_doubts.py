"""An estimate that is wrong says so: proposals that cannot lead to the return, and laws no proposal here fits."""

from __future__ import annotations

import numpy as np
import pytest
from lattice_oracle import Case, Noise, chance_of_reject, spec_of
from rare_programs import LAPLACE, NOISY, SUMMED, program
from thorough import several

from seqlang.backends.rare import estimate
from seqlang.backends.rare.trust import Half, doubts, tail_shape
from seqlang.diagnostics import SpecError

SEEDS = (0, pytest.param(1, marks=pytest.mark.long))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("case", [pytest.param(NOISY, marks=pytest.mark.long), LAPLACE[4.0]])
def test_tilting_alone_is_not_trusted_beside_noisy_thresholds(case: Case, seed: int) -> None:
    """With the drawn threshold left as it is, the estimate is too small; it must not look sharp."""
    found = estimate(program(spec_of(case)), "null", "reject", runs=several(2000, 5000), seed=seed, noise=False)
    exact = SUMMED.get(case) or chance_of_reject(case)
    assert not found.trusted or abs(found.probability - exact) < 4 * found.se, (found, exact)


@pytest.mark.parametrize("seed", SEEDS)
def test_moving_the_noise_alone_is_not_trusted_beside_a_walk(seed: int) -> None:
    case = Case((-1, 1), (0.7, 0.3), 8.0, 30.0, "high", Noise("gaussian", 1.0), "walk", Noise("gaussian", 1.0))
    found = estimate(program(spec_of(case)), "null", "reject", runs=several(3000, 10_000), seed=seed, data=False)
    exact = chance_of_reject(case)
    assert not found.trusted or abs(found.probability - exact) < 4 * found.se, (found, exact)


def test_a_burst_at_an_unknown_time() -> None:
    """Twelve ones in a row within 300 steps: one tilt for all steps is a poor proposal. The chance by the recursion on
    the length of the present row."""
    text = "algorithm a\nstream x in {0, 1}\nmodel m: x ~ bernoulli(0.1)\nstatistic s = sum(x over last 12)\n"
    p = program(text + "stop when s >= 12 return hit\nstop when step >= 300 return quiet\n")
    state = np.zeros(13)
    state[0] = 1.0
    for _ in range(300):
        new = np.zeros(13)
        new[12] = state[12] + 0.1 * state[11]
        new[1:12] = 0.1 * state[:11]
        new[0] = 0.9 * state[:12].sum()
        state = new
    found = estimate(p, "m", "hit", runs=several(5000, 20_000))
    assert not found.trusted or abs(found.probability - state[12]) < 4 * found.se


def test_what_cannot_happen_is_an_error() -> None:
    text = "algorithm a\nstream x in {0, 1}\nmodel m: x ~ bernoulli(0.1)\nstatistic s = x\n"
    p = program(text + "stop when s >= 2 return never\nstop return always\n")
    with pytest.raises(SpecError, match="E0650"):
        estimate(p, "m", "never", runs=1000)


def test_returns_are_known_by_name() -> None:
    p = program(spec_of(NOISY))
    with pytest.raises(SpecError, match="E0651"):
        estimate(p, "null", "rejects", runs=1000)


def test_the_shape_of_pareto_tails() -> None:
    """Pareto laws of known shape: the largest 3 sqrt(n) of n values show it."""
    u = (np.arange(200_000) + 0.5) / 200_000
    for shape in (0.3, 0.7, 1.2):
        assert tail_shape(u**-shape) == pytest.approx(shape, abs=0.1)
    assert tail_shape(np.ones(1000)) == 0.0
    assert tail_shape(u) < 0


def test_doubts_of_weights() -> None:
    same = np.zeros(1000, dtype=np.intp)
    even = Half.of(np.zeros(1000), same)
    assert doubts([even, even], even, 0.0, 0.0) == ()
    one = np.zeros(1000)
    one[3] = 5.0
    lonely = Half.of(one, same)
    assert any("one run" in d for d in doubts([lonely], lonely, lonely.se, 0.0))
    twice = Half.of(np.full(1000, 1.0), same)
    assert any("disagree" in d for d in doubts([even, twice], even, 0.0, 0.0))
    assert any("not stopped" in d for d in doubts([even], even, 0.0, 0.5))
