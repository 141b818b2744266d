"""Inputs at the edge: nothing hangs, nothing is guessed. Expected values are worked out by hand."""

from __future__ import annotations

import math

import pytest

import seqlang
from seqlang.results.solve import SolveResult

WALK = """\
algorithm walk
stream x in {{0, 1}}
model coin: x ~ bernoulli({p})
statistic s = sum({increment} over steps)
{stops}
"""


def _walk(p: object, increment: str, *stops: str) -> SolveResult:
    (result,) = seqlang.solve(seqlang.load(WALK.format(p=p, increment=increment, stops="\n".join(stops))))
    return result


def test_a_sum_that_cannot_move_never_stops() -> None:
    found = _walk(0, "x", "stop when s >= 3 return high")
    assert found.solution.never == pytest.approx(1, abs=1e-12)
    assert found.returns == {"high": 0}
    assert found.expected_steps == math.inf
    assert "never" in str(found)


def test_a_condition_that_cannot_hold() -> None:
    found = _walk(0.5, "x", "stop when x >= 2 return high")
    assert found.solution.never == pytest.approx(1, abs=1e-12)
    assert found.to_dict()["expected_steps"] == "inf"


def test_drift_away_from_the_only_end() -> None:
    """P(a walk with up-probability p < 1/2 ever reaches 3) = (p/q)^3: what is not resolved is said to be so."""
    found = _walk(0.3, "2 * x - 1", "stop when s >= 3 return high")
    assert found.returns["high"] == pytest.approx((0.3 / 0.7) ** 3, abs=1e-6)
    left = found.solution.unresolved + found.solution.lost
    assert left == pytest.approx(1 - (0.3 / 0.7) ** 3, abs=1e-6)
    assert found.expected_steps is None or found.expected_steps == math.inf


def test_a_symmetric_walk_with_infinite_mean_ends_with_a_partial_answer() -> None:
    found = _walk(0.5, "2 * x - 1", "stop when s >= 1 return high")
    solution = found.solution
    assert solution.unresolved > 1e-6
    assert found.expected_steps is None
    assert found.steps_so_far > 10
    assert found.returns["high"] + solution.unresolved + solution.lost == pytest.approx(1, abs=1e-9)


def test_crossed_from_the_start() -> None:
    found = _walk(0.5, "x", "stop when s >= 0 return high")
    assert found.returns == {"high": pytest.approx(1)}
    assert found.expected_steps == pytest.approx(1)
    assert found.quantile(0.95) == 1


def test_both_ends_crossed_at_once_the_first_stop_wins() -> None:
    found = _walk(0.5, "x", "stop when s >= -5 return high", "stop when s <= 5 return low")
    assert found.returns == {"high": pytest.approx(1), "low": pytest.approx(0)}


@pytest.mark.parametrize(("operator", "steps"), [(">=", 3), (">", 4)])
def test_ties_of_whole_numbers(operator: str, steps: int) -> None:
    found = _walk(1, "x", f"stop when s {operator} 3")
    assert found.expected_steps == pytest.approx(steps)


@pytest.mark.parametrize(("operator", "steps"), [(">=", 2), (">", 3)])
def test_ties_of_logarithms(operator: str, steps: int) -> None:
    """log 9 is exactly twice log 3, whatever the last bits of their doubles say."""
    found = _walk(1, "(if x == 1 then log(3) else -log(3))", f"stop when s {operator} log(9)")
    assert found.expected_steps == pytest.approx(steps)


@pytest.mark.parametrize(("operator", "steps"), [(">=", 10), (">", 11)])
def test_ties_of_decimals(operator: str, steps: int) -> None:
    """Ten times 0.1 is 1, though ten additions of the double are not."""
    found = _walk(1, "x / 10", f"stop when s {operator} 1")
    assert found.expected_steps == pytest.approx(steps)


def test_certain_coins() -> None:
    assert _walk(1, "x", "stop when s >= 7 return high").expected_steps == pytest.approx(7)
    assert _walk(0, "1 - x", "stop when s >= 7 return high").expected_steps == pytest.approx(7)


def test_a_geometric_stopping_time() -> None:
    found = _walk(0.125, "x", "stop when s >= 1 return high")
    assert found.expected_steps == pytest.approx(8, rel=1e-9)
    assert found.sd_steps == pytest.approx(math.sqrt(0.875) / 0.125, rel=1e-9)
    assert found.quantile(0.5) == 6  # 1 - (7/8)^6 = .551, 1 - (7/8)^5 = .487


TINY = """\
algorithm tiny
param scale > 0 = 1e-9
stream x in {0, 1}
model coin: x ~ bernoulli(0.5)
statistic s = sum(2 * x - 1 over steps)
stop when s >= 2.5 return high
stop when s <= -2.5 return low
attach laplace(scale) to s
"""


def test_a_noise_that_is_nearly_none() -> None:
    """Of a walk between -3 and 3 the expected time is 9."""
    (found,) = seqlang.solve(seqlang.load(TINY))
    assert found.expected_steps == pytest.approx(9, rel=1e-9)
    assert found.returns["high"] == pytest.approx(0.5, rel=1e-9)


ZERO = TINY.replace("param scale > 0 = 1e-9", "param scale in [0, 1] = 0")


def test_a_scale_of_zero_is_refused_with_its_place() -> None:
    with pytest.raises(seqlang.SpecError) as refused:
        seqlang.solve(seqlang.load(ZERO))
    assert any(d.primary is not None for d in refused.value.diagnostics)


def test_what_has_no_exact_law_says_so_and_names_run() -> None:
    with pytest.raises(seqlang.SpecError) as refused:
        seqlang.solve("@tight/window")
    (diagnostic,) = refused.value.diagnostics
    assert diagnostic.code == "E0623"
    assert "seqlang run" in (diagnostic.help or "")


@pytest.mark.parametrize(
    "values, stop, steps",
    [
        ("{0: 1, 1: 1}", "sum(x over steps) >= 3.0000000001", 8),  # no tie: four ones are needed
        ("{0: 1, 1: 1}", "sum(x over steps) + 1000000000 >= 1000000003", 6),
        ("{1: 1, 1.0000000001: 1}", "x > 1", 2),
        ("{1: 1, 1.0000000001: 1}", "min(x over last 2) > 1", 4),
        ("{0: 1, 0.0000000000001: 1}", "sum(x over steps) >= 0.0000000000003", 6),
        ("{0: 1, 0.1: 1}", "sum(x over steps) >= 0.3", 6),  # a tie: 0.1 + 0.1 + 0.1 > 0.3 in floats
        ("{0: 1, 0.1: 1}", "sum(x over steps) > 0.3", 8),
    ],
)
def test_what_is_close_is_no_tie(values: str, stop: str, steps: float) -> None:
    text = f"algorithm a\nstream x in real\nmodel m: x ~ {values}\nstop when {stop}\n"
    (found,) = seqlang.solve(seqlang.load(text))
    assert found.expected_steps == pytest.approx(steps, rel=1e-9)


def test_increments_of_very_different_size_are_told_apart() -> None:
    text = """algorithm a
stream x in real
model m: x ~ {0: 0.5, 1: 0.4, 10000000000000: 0.1}
statistic s = sum(x over steps)
stop when s >= 3 and s <= 1000 return small
stop when s >= 5 return big
"""
    (found,) = seqlang.solve(seqlang.load(text))
    assert found.returns["small"] == pytest.approx(0.8**3, rel=1e-12)


def test_a_rare_stop_is_not_never() -> None:
    far = "algorithm a\nstream x in {0}\nmodel m: x ~ point(0)\ndraw w ~ gaussian(1)\n"
    (found,) = seqlang.solve(seqlang.load(far + "statistic s = sum(x over steps)\nstop when s + w >= 10\n"))
    assert found.solution.never == 0
    read = """algorithm a
stream x in {0}
model m: x ~ point(0)
memory k = 0
statistic y = x
report r = y
update k = if r >= 25 then 1 else 0
stop when k >= 1
attach geometric(0.1) to y
"""
    (found,) = seqlang.solve(seqlang.load(read))
    assert found.solution.never == 0
