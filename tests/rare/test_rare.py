"""Chances of rare returns against closed forms and independent sums."""

from __future__ import annotations

import math

import numpy as np
import pytest
from lattice_oracle import Case, chance_of_reject, spec_of
from rare_programs import LAPLACE, NOISY, SPRT, SUMMED, program, random_test
from scipy.special import ndtr
from thorough import several

from seqlang.backends.montecarlo.simulate import simulate
from seqlang.backends.rare import Estimate, estimate

Z = 4.0


def _agrees(found: Estimate, exact: float, relative: float = 0.01) -> None:
    assert found.trusted, found.warnings
    assert found.relative_error <= relative
    assert abs(found.probability - exact) <= Z * found.se + found.left_over, (found.probability, exact, found.se)


@pytest.mark.long
def test_plain_sprt() -> None:
    """Gambler's ruin: with q/p = 3/2 and the ends 99 steps of log(3/2) away, the chance is 1/(1 + 1.5^99) = 3.7e-18."""
    exact = 1 / (1 + 1.5**99)
    assert exact == pytest.approx(3.7e-18, rel=0.01)
    _agrees(estimate(program(SPRT), "null", "reject", runs=8000), exact, 0.002)


@pytest.mark.long
def test_very_rare() -> None:
    """The same with q/p = 9 and ends 305 steps away: 9^-305 = 1e-291."""
    exact = 1 / float(1 + 9**305)
    assert 1e-292 < exact < 1e-290
    _agrees(estimate(program(SPRT, p0=0.1, p1=0.9, h=669), "null", "reject", runs=4000), exact)


def test_noisy_thresholds() -> None:
    """A drawn threshold and fresh noise, 6.8e-15: neither the walk alone nor the noise alone does it."""
    exact = chance_of_reject(NOISY)
    assert exact == pytest.approx(6.8e-15, rel=0.02)
    _agrees(estimate(program(spec_of(NOISY)), "null", "reject", runs=several(4000, 20_000)), exact, 0.03)


@pytest.mark.parametrize(
    "size", [pytest.param(0.3, marks=pytest.mark.long), 1.18, pytest.param(4.0, marks=pytest.mark.long)]
)
def test_laplace_threshold_beside_the_walk(size: float) -> None:
    """The walk climbs at a cost of log(0.7/0.3) = 0.85 a unit, the threshold comes down at 1/size a unit: around
    size = 1.18 both share the work, and no single shift is right."""
    exact = SUMMED.get(LAPLACE[size]) or chance_of_reject(LAPLACE[size])
    _agrees(estimate(program(spec_of(LAPLACE[size])), "null", "reject", runs=several(3000, 8000)), exact, 0.04)


@pytest.mark.long
@pytest.mark.parametrize("case", SUMMED)
def test_what_was_summed_is_summed_again(case: Case) -> None:
    assert chance_of_reject(case) == pytest.approx(SUMMED[case], rel=1e-9)


def test_one_noise_alone() -> None:
    """stop when 0 >= 30 + z with z normal, in the first step: a tail of the normal law."""
    text = "algorithm a\nstream x in {0}\nmodel flat: x ~ point(0)\nlet b = 30\nstop when x >= b return hit\n"
    text += "stop return miss\nattach gaussian(2) to b once\nstatistic s = x\n"
    _agrees(estimate(program(text), "flat", "hit", runs=4000), float(ndtr(-15.0)))


def test_normal_data() -> None:
    """The walk of normal steps over one sharp end: Siegmund's correction is not exact, a fine grid is."""
    text = "algorithm a\nstream x in real\nmodel null: x ~ normal(-0.5, 1)\nstatistic s = sum(x over steps)\n"
    text += "stop when s >= 25 return reject\nstop when s <= -6 return accept\n"
    edges, h = np.linspace(-6, 25, 1551, retstep=True)
    middles = (edges[:-1] + edges[1:]) / 2
    kernel = np.exp(-((middles[None, :] - middles[:, None] + 0.5) ** 2) / 2) / math.sqrt(2 * math.pi) * h
    tail = np.asarray(ndtr(middles - 25.5))
    value = np.linalg.solve(np.eye(len(middles)) - kernel, tail)
    start = np.exp(-((middles + 0.5) ** 2) / 2) / math.sqrt(2 * math.pi) * h
    exact = float(start @ value + ndtr(-25.5))
    assert exact < 1e-10
    _agrees(estimate(program(text), "null", "reject", runs=several(4000, 20_000)), exact, 0.03)


def test_flip_on_the_return() -> None:
    """A rare flip of a sure return."""
    text = (
        "algorithm a\nstream x in {0, 1}\nmodel m: x ~ bernoulli(0.5)\nstatistic s = x\nstop when s >= 0 return yes\n"
    )
    text += "stop when s >= 9 return no\nattach randomized_response(0.9999999) to return\n"
    _agrees(estimate(program(text), "m", "no", runs=1000), 1e-7)


def test_noise_on_a_summed_input_beside_a_drawn_threshold() -> None:
    """What a stop reads is noisy itself, and its threshold too. The flipped coins are of bias .2 * .7 + .8 * .3, and
    their sum only grows: it reaches a threshold within five steps if it is there at the fifth."""
    text = "algorithm a\nparam b = 5\nstream x in {0, 1}\nmodel m: x ~ bernoulli(0.2)\n"
    text += "statistic s = sum(x over steps)\nstop when s >= b return hit\nstop when step >= 5 return miss\n"
    text += "attach gaussian(1) to b once\nattach randomized_response(0.7) to x\n"
    exact = sum(math.comb(5, k) * 0.38**k * 0.62 ** (5 - k) * float(ndtr(k - 5)) for k in range(6))
    found = estimate(program(text), "m", "hit", runs=20_000)
    assert abs(found.probability - exact) <= Z * found.se < exact / 4


def test_not_so_rare_agrees_with_simulation() -> None:
    """p = 0.0326, by weighted and by plain runs."""
    p = program(SPRT, p0=0.3, p1=0.7, h="2.944")
    found = estimate(p, "null", "reject", runs=20_000)
    plain = simulate(p, "null", runs=100_000, seed=5).summary()["returns"]["reject"]
    error = math.hypot(found.se, math.sqrt(plain["probability"] / 100_000))
    assert found.trusted
    assert abs(found.probability - plain["probability"]) < Z * error


def test_within_a_cap() -> None:
    """All of 30 coins show heads: 0.1^30."""
    text = "algorithm a\nstream x in {0, 1}\nmodel m: x ~ bernoulli(0.1)\nstatistic s = sum(x over steps)\n"
    p = program(text + "stop when s >= 30 return full\n")
    _agrees(estimate(p, "m", "full", runs=20_000, cap=30), 1e-30)
    _agrees(estimate(p, "m", "stops", runs=20_000, cap=31), 1e-30 + 30 * 0.1 * 0.9 * 0.1**29)


@pytest.mark.long
def test_the_same_seed_gives_the_same_numbers() -> None:
    p = program(SPRT, h=10)
    one, two, other = (estimate(p, "null", "reject", runs=200, seed=s) for s in (3, 3, 4))
    assert (one.probability, one.se) == (two.probability, two.se)
    assert one.probability != other.probability


@pytest.mark.parametrize("programs", [5, pytest.param(40, marks=pytest.mark.long)])
def test_random_programs(programs: int) -> None:
    """No trusted estimate is far off, and the 95 % intervals hold about as often as they say."""
    scores = []
    for seed in range(programs):
        case = random_test(seed)
        if sum(v * p for v, p in zip(case.letters, case.chances, strict=True)) > -0.05:
            continue  # it hardly ends, and so does the sum to compare with
        exact = chance_of_reject(case)
        found = estimate(program(spec_of(case)), "null", "reject", runs=2000, seed=seed)
        if found.trusted:
            scores.append((found.probability - exact) / found.se)
            assert abs(scores[-1]) < 5, (seed, case, exact, found)
    assert len(scores) >= 3 * programs // 4
    assert np.mean(np.abs(scores) < 1.96) > 0.85
