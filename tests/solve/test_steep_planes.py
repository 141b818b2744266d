"""A threshold noise that is much wider than everything else: a test is then a step, which few nodes do not see."""

from __future__ import annotations

from itertools import pairwise, product

import pytest
from scipy import integrate, stats

from seqlang import driver
from seqlang.backends.solve import Solution, solve
from seqlang.source import Source

QUERY = """\
algorithm a
param T = {threshold}
stream x in real
adjacent every x within 1
model m: x ~ {law}
statistic q = {q}
stop when q >= T return high
stop when step >= {last} return low
attach {wide} to T once
{fresh}
"""


def solved(**parts: object) -> Solution:
    text = QUERY.format(**{"q": "x", "last": 1, "fresh": "", **parts})
    return solve(driver.load(Source("<text>", text), {}).program, "m")


def chance(solution: Solution, outcome: str) -> float:
    return float(solution.table.sum(axis=0)[solution.outcomes.index(outcome)])


@pytest.mark.parametrize("threshold", [5, 0.3, 50, 200])
@pytest.mark.parametrize("sd", [0.001, 0.1, 1, 50])
def test_a_narrow_fresh_noise(threshold: float, sd: float) -> None:
    found = solved(threshold=threshold, law="point(0)", wide="gaussian(1000)", fresh=f"attach gaussian({sd}) to q")
    exact = stats.norm.sf(threshold, scale=(1000**2 + sd**2) ** 0.5)
    assert abs(chance(found, "high") - exact) <= found.error + 1e-13
    assert found.error < 1e-6


@pytest.mark.parametrize(
    ("fresh", "sd"),
    [
        # a noise that is narrow beside the data takes seconds; the other way round it takes hundredths
        pytest.param(fresh, sd, marks=pytest.mark.long if fresh == 0.01 and sd >= 1 else ())
        for fresh in (0, 0.01, 1) for sd in (1e-4, 0.01, 1, 10)
    ],
)  # fmt: skip
def test_a_narrow_law_of_the_data(sd: float, fresh: float) -> None:
    noise = f"attach gaussian({fresh}) to q" if fresh else ""
    law = f"normal(3, {sd})"
    found = solved(threshold=5, law=law, wide="gaussian(1000)", fresh=noise, q="sum(x over steps)")
    exact = stats.norm.sf(2, scale=(1000**2 + fresh**2 + sd**2) ** 0.5)
    assert abs(chance(found, "high") - exact) <= found.error + 1e-11
    assert found.error < 1e-6


@pytest.mark.parametrize(("wide", "narrow"), [(5.0, 0.001), (100.0, 0.1), (100.0, 10.0)])
def test_a_rare_value_is_seen_too(wide: float, narrow: float) -> None:
    law = "{0: 0.999, 40: 0.001}"
    found = solved(threshold=0.4, law=law, wide=f"laplace({wide})", fresh=f"attach gaussian({narrow}) to q", last=2)

    def passes(z: float, x: float) -> float:
        return float(stats.norm.cdf(0.4 + z - x, scale=narrow))

    cuts = sorted({0.0, *(c + k * narrow for c in (-0.4, 39.6) for k in (-9, -3, 0, 3, 9)), -40 * wide, 40 * wide})
    exact = 0.0
    for x, y in product((0, 40), repeat=2):
        share = (0.999 if x == 0 else 0.001) * (0.999 if y == 0 else 0.001)
        for low, high in pairwise(cuts):
            exact += share * float(
                integrate.quad(
                    lambda z, x=x, y=y: stats.laplace.pdf(z, scale=wide) * passes(z, x) * passes(z, y), low, high,
                    epsabs=1e-13, limit=200,
                )[0]
            )  # fmt: skip
    assert abs(chance(found, "low") - exact) <= found.error + 1e-11
    assert found.error < 1e-5
