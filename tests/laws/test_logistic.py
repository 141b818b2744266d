"""The law `logistic` from the text of a spec to every engine's answer and to proofs.

One file, seqlang/laws/families/logistic.py, is all that knows it. The oracle is mpmath.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import mpmath
import numpy as np
import pytest

from seqlang import driver
from seqlang.backends.montecarlo.simulate import simulate
from seqlang.backends.rare import estimate
from seqlang.backends.transcript.follow import NOTHING, Follower, Phase
from seqlang.backends.transcript.integrals.quadrature import FINEST
from seqlang.model.program import Program
from seqlang.source import Source

STEPS = 3
TEXT = """algorithm a "Three noisy looks at one number"
param lz > 0 = 1.5
param lw > 0 = 0.8
param b      = 1.2
stream x in [0, 1]
adjacent every x within 1
model still: x ~ point(0.5)
stop when x >= b return high
attach logistic(lz) to b once
attach logistic(lw) to x
stop when step >= 3 return low
"""


def program(text: str) -> Program:
    found = driver.load(Source("a.seq", text))
    assert found.program is not None, found.diagnostics
    return found.program


@cache
def low(x: float = 0.5, lz: float = 1.5, lw: float = 0.8, b: float = 1.2) -> float:
    """P(no look is above the threshold): E F(b + Z - x)^3 with F and Z logistic."""

    def inside(z: Any) -> Any:
        density = mpmath.exp(-z / lz) / (lz * (1 + mpmath.exp(-z / lz)) ** 2)
        return density / (1 + mpmath.exp(-(b + z - x) / lw)) ** STEPS

    return float(mpmath.quad(inside, [-60, -10, -3, 0, 3, 10, 60]))


@pytest.mark.parametrize(("engine", "runs"), [("interpreter", 3000), ("numpy", 40_000), ("compiled", 40_000)])
def test_simulation(engine: Any, runs: int) -> None:
    found = simulate(program(TEXT), program(TEXT).models[0], runs=runs, seed=5, engine=engine)
    assert found.engine == engine
    share = float(np.mean(found.codes == found.labels.index("low")))
    assert abs(share - low()) < 4.5 * math.sqrt(low() * (1 - low()) / runs)


def test_solve() -> None:
    (found,) = driver.solve(driver.load(Source("a.seq", TEXT)), models=("still",), tolerance=1e-11)
    assert found.returns == pytest.approx({"low": low(), "high": 1 - low()}, abs=1e-9)


def test_rare() -> None:
    """Far above the data: high is rare."""
    text = TEXT.replace("b      = 1.2", "b      = 14")
    found = estimate(program(text), "still", "high", runs=20_000, seed=2)
    exact = 1 - low(b=14.0)
    assert exact < 1e-3
    assert abs(found.probability - exact) < 5 * found.se and found.se < 0.2 * exact


def test_the_chance_of_a_transcript() -> None:
    for x in (0.0, 1.0):
        quiet = [Phase({"x": x}, NOTHING, 1) for _ in range(2)]
        found = Follower(program(TEXT)).log_probability([*quiet, Phase({"x": x}, {"stop": (2, "low")}, 1)], FINEST)
        assert math.exp(found.log) == pytest.approx(low(x), rel=1e-7)


def claims(text: str) -> list[str]:
    result = driver.check(driver.load(Source("a.seq", text)))
    return [v.verdict for v in result.verdicts]


def test_noisy_comparisons_are_proved_as_with_laplace_noise() -> None:
    """The threshold moves by 1, the look that decides by 2; every smaller claim is not proved."""
    assert claims(TEXT + "claim strong pure(1 / lz + 2 / lw)\n") == ["proved"]
    assert claims(TEXT + "claim strong pure(0.99 * (1 / lz + 2 / lw))\n") != ["proved"]


def test_a_claim_that_is_false_is_refuted() -> None:
    """One input moves by 1, and 0.05 is far below the loss of the event `low`."""
    assert low(0.0) / low(1.0) > math.exp(0.05)
    assert claims(TEXT + "claim strong pure(0.05)\n") == ["refuted"]


RELEASE = """algorithm a
param s > 0 = 2
dataset x in [0, 1] size 10
adjacent replace one
statistic total = sum(x)
stop return total
attach logistic(s) to total
"""


def test_a_release() -> None:
    assert claims(RELEASE + "claim strong pure(1 / s)\n") == ["proved"]
    assert claims(RELEASE + "claim strong pure(0.9 / s)\n") == ["refuted"]


def test_what_is_not_known_of_it_is_not_claimed() -> None:
    """Its Renyi curve and its exact loss are not those of Laplace noise: only what follows from the pure bound."""
    assert claims(RELEASE + "claim strong zcdp(1 / (2 * s ^ 2))\n") == ["proved"]
    sharp = "claim strong dp(0.45, 0.0255)\n"  # Laplace: 1 - e^-0.025 = 0.0247; what the pure bound gives: 0.0304
    assert claims(RELEASE.replace("logistic", "laplace") + sharp) == ["proved"]
    assert claims(RELEASE + sharp) == ["unknown"]


def test_a_noisy_maximum() -> None:
    text = """algorithm a
param s > 0 = 2
dataset x in [0, 1] size 10
adjacent replace one
statistic scores = [sum(x[i] for i in records where x[i] >= t) for t in [0.2, 0.5, 0.9]]
attach logistic(s) to scores
stop return argmax(scores)
claim strong pure(2 / s)
"""
    assert claims(text) == ["proved"]


def test_data_by_the_law() -> None:
    """As the law of a field, with its density as a statistic."""
    text = """algorithm a
stream x in real
model m: x ~ logistic(2)
statistic s = log(logistic(2).pdf(x))
statistic c = logistic(2).cdf(x)
stop when step >= 1 return done
"""
    for engine in ("numpy", "compiled"):
        found = simulate(program(text), program(text).models[0], runs=20_000, seed=3, engine=engine)
        assert found.engine == engine
        # E log f = -2 - log 2 for the scale 2, and its distribution function is uniform
        s, c = found.statistics["s"], found.statistics["c"]
        assert float(np.mean(s)) == pytest.approx(-2 - math.log(2), abs=5 * float(np.std(s)) / math.sqrt(20_000))
        assert float(np.mean(c)) == pytest.approx(0.5, abs=5 / math.sqrt(12 * 20_000))
