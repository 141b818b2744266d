"""Statistical audits: bounds below the known loss, the bounds' coverage, and programs without exact laws."""

from __future__ import annotations

import signal
from math import comb, inf, log

import pytest

from seqlang.analyses.audit import audit
from seqlang.analyses.audit.audit import clopper_pearson
from seqlang.analyses.audit.pairs import pairs
from seqlang.analyses.audit.runs import Sight, sample, seen
from seqlang.analyses.refute import lower_bound
from seqlang.analyses.witnesses.neighbours import are_neighbours
from seqlang.backends.montecarlo.progress import Teller
from seqlang.driver import check, load, read
from seqlang.model.program import Program
from seqlang.process.time_limit import OutOfTime, limited
from seqlang.record import replace
from seqlang.source import Source

RUNS = 20_000
"""On each input of the chosen pair: a number, not a time, so that the bound is the same on every machine."""


def program(text: str) -> Program:
    return load(Source("a.seq", "algorithm a\n" + text)).program


def tail(hits: int, runs: int, p: float) -> float:
    """P(Binomial(runs, p) >= hits)."""
    return sum(comb(runs, k) * p**k * (1 - p) ** (runs - k) for k in range(hits, runs + 1))


@pytest.mark.parametrize(("hits", "runs"), [(1, 20), (7, 20), (19, 20), (50, 400)])
@pytest.mark.parametrize("miss", [0.05, 0.0005])
def test_bounds_are_those_of_clopper_and_pearson(hits: int, runs: int, miss: float) -> None:
    low, high = clopper_pearson(hits, runs, miss)
    assert tail(hits, runs, low) == pytest.approx(miss, rel=1e-6)
    assert 1 - tail(hits + 1, runs, high) == pytest.approx(miss, rel=1e-6)


def test_no_hits_and_only_hits() -> None:
    assert clopper_pearson(0, 100, 0.01) == (0.0, pytest.approx(1 - 0.01**0.01))
    assert clopper_pearson(100, 100, 0.01) == (pytest.approx(0.01**0.01), 1.0)


@pytest.mark.parametrize(
    ("name", "truth", "least"),
    [("dwork2014/randomized_response", log(3), 0.9), ("dwork2014/laplace", 1.0, 0.7), ("tight/one_sided", 1.0, 0.5)],
)
def test_the_bound_is_below_the_truth_and_not_far(name: str, truth: float, least: float) -> None:
    found = audit(load(read("@" + name)).program, seconds=inf, runs=RUNS)
    assert found is not None
    assert least < found.epsilon < truth
    assert found.p_low <= found.hits[0] / found.runs
    assert found.q_high >= found.hits[1] / found.runs
    assert found.confidence == 0.999


FED_BACK = """stream x in {0, 1}
memory score = 0
report shown = x
attach laplace(1) to shown
update score = score + shown
stop when score >= 3 or score <= -3
"""


@pytest.mark.parametrize("text", [FED_BACK])
def test_programs_without_a_witness_search(text: str) -> None:
    """The score that is fed back reads released values of a density: one look costs 1, the sum of many looks more."""
    made = program(text)
    found = audit(made, seconds=inf, runs=RUNS)
    assert found is not None
    assert 0.3 < found.epsilon <= 1.0  # one entry, one Laplace release of scale 1
    exact = lower_bound(made)
    assert exact is None or exact.loss <= 1.0


def test_pairs_are_neighbours() -> None:
    for name in ("tight/one_sided", "dwork2014/laplace", "michel2025/outside_interval", "tight/blocks"):
        made = load(read("@" + name)).program
        found = pairs(made, 20, 10)
        assert len(found) >= 3
        assert all(are_neighbours(made, *pair) for pair in found)


def test_runs_see_the_stream_that_was_fixed() -> None:
    made = program("stream x in [0, 1]\nstatistic total = sum(x over steps)\nstop when total >= 2\n")
    samples = sample(made, (1.0, 0.5, 0.25, 0.25, 1.0), 16, 3)
    assert seen(samples, Sight((4, 4), True)).all()
    assert not seen(samples, Sight((1, 5), False)).any()


def test_the_same_seed_gives_the_same_event() -> None:
    made = load(read("@dwork2014/randomized_response")).program
    first, second = (audit(made, seconds=inf, runs=500, seed=5) for _ in range(2))
    assert first is not None
    assert second is not None
    assert replace(first, seconds=0.0) == replace(second, seconds=0.0)


def test_runs_that_were_interrupted_are_no_sample() -> None:
    """They are fewer than were asked for, and some were broken off: a chance taken of them may be any."""
    given = program("stream x in {0, 1}\nstatistic s = sum(x over steps)\nstop when s >= 40 return high\n")
    with limited(1e-9), pytest.raises(OutOfTime):
        sample(given, (1,) * 50, 4000, 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Teller, "look", lambda self: signal.raise_signal(signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            sample(given, (1,) * 50, 4000, 1)
    assert sample(given, (1,) * 50, 4000, 1).runs == 4000


def test_an_audit_without_time_is_left_out() -> None:
    result = check(load(read("@refuted/no_noise")), audit=5, time_limit=1e-9)
    assert result.audit is None and "the audit by simulated runs" in result.cut_short
