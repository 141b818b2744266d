"""Ending when an interval is narrow enough, and how often the interval then holds."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from every_digit import every_digit

import seqlang
from seqlang.backends.montecarlo.chunks import block_end
from seqlang.backends.montecarlo.simulate import simulate
from seqlang.backends.montecarlo.until import looks

COIN = "algorithm coin\nparam p = 0.3\nstream x in {0, 1}\nmodel m: x ~ bernoulli(p)\n"
LABELS = COIN + "stop when x == 1 return one\nstop return zero\n"
NUMBER = COIN + "stop return x\n"
STEPS = COIN + "stop when x == 1\n"


def program(text, **values):
    return seqlang.load(text, **values).loaded.program


def test_looks_are_ends_of_blocks_and_grow():
    found = list(looks(10_000_000))
    assert found[:6] == [1024, 2048, 3072, 4096, 5120, 6144] and found[-1] == 10_000_000
    ends, at = set(), 0
    while at < 10_000_000:
        at = block_end(at)
        ends.add(at)
    assert set(found[:-1]) <= ends
    late = [b / a for a, b in pairwise(found[:-1]) if a >= 8192]
    assert min(late) >= 1.125 and max(late) <= 1.25 + 1 / 8
    assert len(found) < 50
    assert list(looks(1)) == [1]


def test_it_ends_at_the_first_look_that_is_narrow_enough():
    found = simulate(program(LABELS), None, runs=10**6, seed=1, until_ci=0.02)
    low, high = found.summary()["returns"]["one"]["ci95"]
    assert high - low <= 0.02 and found.until.reached and found.until.of == "returns"
    # 2 * 1.96 * sqrt(0.3 * 0.7 / n) = 0.02 has n = 8067; the look after it is at 8192 or soon after it.
    assert found.runs in list(looks(10**6)) and 7168 <= found.runs <= 10240
    assert found.until.looks == 1 + list(looks(10**6)).index(found.runs)
    fewer = list(looks(10**6))[found.until.looks - 2]
    before = simulate(program(LABELS), None, runs=fewer, seed=1).summary()["returns"]["one"]["ci95"]
    assert before[1] - before[0] > 0.02


def test_the_same_runs_as_without():
    found = simulate(program(LABELS), None, runs=10**6, seed=3, until_ci=0.05)
    same = simulate(program(LABELS), None, runs=found.runs, seed=3, batch=100)
    assert every_digit(found.tally) == every_digit(same.tally)
    again = simulate(program(LABELS), None, runs=10**6, seed=3, until_ci=0.05, batch=77)
    assert every_digit(again.tally) == every_digit(found.tally) and again.until == found.until


def test_too_few_runs_are_said():
    found = simulate(program(LABELS), None, runs=1500, seed=1, until_ci=0.001)
    assert found.runs == 1500 and not found.until.reached and found.until.looks == 2
    assert found.summary()["until_ci"]["reached"] is False
    (result,) = seqlang.run(seqlang.load(LABELS), runs=1500, until_ci=0.001)
    assert "not yet at most 0.001 wide" in str(result)


def test_what_is_judged_without_labels():
    number = simulate(program(NUMBER), None, runs=10**6, seed=1, until_ci=0.04)
    assert number.until.of == "return_value" and number.until.reached
    assert number.until.widest == pytest.approx(2 * 1.96 * (0.21 / number.runs) ** 0.5, rel=0.05)
    steps = simulate(program(STEPS), None, runs=10**6, seed=1, until_ci=0.04)
    assert steps.until.of == "steps" and steps.until.reached
    # A geometric law: the standard deviation is sqrt(1 - p) of the mean.
    assert steps.until.widest == pytest.approx(2 * 1.96 * (0.7 / steps.runs) ** 0.5, rel=0.05)


def test_reports_say_that_it_is_a_stopping_rule():
    (result,) = seqlang.run(seqlang.load(LABELS), until_ci=0.1)
    assert result.to_dict()["until_ci"]["looks"] == 1
    assert "This is itself a stopping rule" in " ".join(str(result).split())


@pytest.mark.parametrize(
    ("width", "code"), [(0, "E0603"), (-1, "E0603"), (float("nan"), "E0602"), (float("inf"), "E0602")]
)
def test_no_width(width, code):
    with pytest.raises(seqlang.SpecError, match=code):
        seqlang.run(seqlang.load(LABELS), until_ci=width)


@pytest.mark.parametrize(("p", "width"), [(0.5, 0.02), (0.05, 0.01), (0.002, 0.003)])
def test_intervals_hold_about_as_often_as_they_say(p, width):
    """20,000 times: binomial counts at the looks, the end as `--until-ci` chooses it."""
    rng, z = np.random.default_rng(1), 1.959963984540054
    counts, last, open_ = np.zeros(20_000), 0, np.ones(20_000, dtype=bool)
    holds = np.zeros(20_000, dtype=bool)
    for n in looks(10**8):
        rows = np.flatnonzero(open_)
        if not len(rows):
            break
        counts[rows] += rng.binomial(n - last, p, len(rows))
        last, share = n, counts[rows] / n
        half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
        middle = (share + z * z / (2 * n)) / (1 + z * z / n)
        ends = 2 * half <= width
        holds[rows[ends]] = (np.abs(middle - p) <= half)[ends]
        open_[rows[ends]] = False
    assert 0.94 < holds.mean() < 0.97


RARE_ONE = "algorithm rare\nstream x in {0, 1}\nmodel m: x ~ bernoulli(0.002)\nstop return x\n"
RARE_LONG = "algorithm rare\nstream x in {0, 1}\nmodel m: x ~ bernoulli(0.002)\nstop when x == 0 or step >= 30\n"
ALIKE = "algorithm alike\nstream x in {0, 1}\nmodel m: x ~ bernoulli(0.5)\nstop when step >= 3 return 7\n"


def test_a_mean_is_not_narrow_while_few_runs_make_up_its_scatter():
    """A number that is 1 in one run of 500, else 0. Among the first 1024 runs there is none with probability 0.13: the
    standard error is then 0, and so is the width. No seed may end before 20 runs differ; the interval holds for 93 % of
    1000 seeds. False alarm of the count: 16 or fewer of 40 hold with probability below 1e-15."""
    p, hold = program(RARE_ONE), 0
    for seed in range(1, 41):
        found = simulate(p, None, runs=10**6, seed=seed, until_ci=0.004)
        values = found.tally.values
        assert found.until.reached and round(float(values.mean) * values.count) >= 20, seed
        hold += abs(float(values.mean) - 0.002) <= 1.96 * float(values.se)
    assert hold > 32


def test_steps_that_are_rarely_long():
    """One run in 500 makes a second step, one in 250,000 a third. Where no run of 2000 does, it may end."""
    for seed in range(1, 6):
        found = simulate(program(RARE_LONG), None, runs=10**6, seed=seed, until_ci=0.01)
        made = found.tally.made
        longer = made.total - made.runs
        assert found.until.reached and (longer >= 20 or (longer == 0 and made.runs >= 2000)), seed


def test_numbers_that_are_all_alike_end_it():
    """20 runs of n could have been otherwise unseen: 20 / n is 0.01 at n = 2000, and the look after it is at 2048."""
    found = simulate(program(ALIKE), None, runs=10**6, seed=1, until_ci=0.07)
    assert found.until.of == "return_value" and found.until.reached and found.runs == 2048
    steps = simulate(program(ALIKE.replace(" return 7", "")), None, runs=10**6, seed=1, until_ci=0.01)
    assert steps.until.of == "steps" and steps.until.reached and steps.runs == 2048
