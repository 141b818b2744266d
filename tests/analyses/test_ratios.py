"""How near the witnesses of the quick search come to the proved bounds."""

from __future__ import annotations

from fractions import Fraction
from math import exp, inf, log

import pytest
from thorough import spread

from seqlang.analyses.prove import prove, size_of
from seqlang.analyses.refute import lower_bound, lower_dp
from seqlang.analyses.witnesses.confirm import excess
from seqlang.driver import load, read
from seqlang.source import Source

SHARED = """algorithm shared_fresh
param lz > 0 = 1
param lw > 0 = 1
param a = -10
param b = 10
stream x in [-1 / 2, 1 / 2]
statistic total = sum(x over steps)
stop when total >= b return high
stop when total <= a return low
attach laplace(lz) to a, b once
attach laplace(lw) to total
"""


def ratio(source: Source, settings: dict[str, Fraction]) -> float:
    program = load(source, settings).program
    bound = prove(program, delta=Fraction(1, 10**6), horizon=None).pure
    proved = inf if bound is None else size_of(program, bound)
    witness = lower_bound(program, enough=proved)
    assert witness is not None
    assert witness.loss <= proved
    return witness.loss / proved


@pytest.mark.parametrize(
    ("name", "settings", "least"),
    spread(
        [
            ("tight/one_sided", {}, 0.999),
            ("tight/one_sided", {"lw": 4}, 0.999),
            ("tight/one_sided", {"lz": 4}, 0.999),
            ("dwork2014/above_noisy_threshold", {}, 0.999),
            ("zhang2022/above_threshold", {}, 0.999),
            ("tight/two_sided", {}, 0.999),
            ("tight/two_sided", {"lw": 4}, 0.999),
            ("tight/two_sided", {"lz": 4}, 0.999),
            ("michel2025/outside_interval", {}, 0.999),
            ("michel2025/dp_sprt", {}, 0.999),
            ("zhang2022/sprt_laplace", {}, 0.999),
            ("tight/cusum", {}, 0.999),
            ("tight/cusum", {"lw": 4}, 0.99),
            ("tight/cusum", {"lz": 4}, 0.99),
            ("tight/window", {}, 0.99),
            ("tight/window", {"lw": 4}, 0.91),
            ("tight/repeated_kept", {}, 0.99),
            ("tight/repeated_refreshed", {}, 0.99),
            ("tight/repeated_restarted", {}, 0.999),
            ("tight/blocks", {}, 0.999),
        ],
        9,
    ),
)
def test_library(name: str, settings: dict[str, int], least: float) -> None:
    assert ratio(read("@" + name), {k: Fraction(v) for k, v in settings.items()}) >= least


@pytest.mark.parametrize("settings", [{}, {"lw": 4}, pytest.param({"lz": 4}, marks=pytest.mark.long)])
def test_two_thresholds_that_share_a_fresh_noise(settings: dict[str, int]) -> None:
    assert ratio(Source("a.seq", SHARED), {k: Fraction(v) for k, v in settings.items()}) >= 0.999


@pytest.mark.parametrize(("name", "truth"), [("dwork2014/laplace", 1.0), ("dwork2014/randomized_response", log(3))])
@pytest.mark.parametrize("delta", [1e-6, 1e-2])
def test_epsilon_at_a_delta(name: str, truth: float, delta: float) -> None:
    """The event of probability p = 1/2 (3/4) refutes epsilon = log((p - delta) / q), never the pure truth."""
    found = lower_dp(load(read("@" + name)).program, delta)
    assert found is not None
    p = 0.5 if name == "dwork2014/laplace" else 0.75
    least = log((p - delta) / (p / exp(truth)))
    assert least - 1e-9 <= found[0] < truth
    assert excess(found[1], found[0] - 1e-9) > delta
