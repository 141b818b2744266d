"""Discrete Gaussian noise: the rho by hand and against exact Renyi divergences, its conditions, and both samplers."""

from __future__ import annotations

from math import exp, fsum, inf
from random import Random

import numpy as np
import pytest
from elaborated import elaborated

from seqlang.analyses.bounds import Bounds
from seqlang.analyses.prove import prove, size_of
from seqlang.backends.arrays.laws import make
from seqlang.backends.interpret.laws import make_law
from seqlang.model.program import Program
from seqlang.source import NOWHERE

BITS = "dataset x in {0, 1} size 50"


def bounds(*lines: str) -> tuple[Program, Bounds]:
    program = elaborated("\n".join(("algorithm t", *lines)))
    return program, prove(program)


def zcdp(*lines: str) -> float:
    program, found = bounds(*lines)
    return inf if found.zcdp is None else size_of(program, found.zcdp)


NOISE = "attach discrete_gaussian(4) to s"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ((BITS, "report s = sum(x)", "stop"), 1 / 32),
        ((BITS, "report s = sum(x)", "stop when step >= 3"), 3 / 32),
        ((BITS, "adjacent replace 2", "report s = sum(x)", "stop"), 4 / 32),
        ((BITS, "report s = 3 * sum(x)", "stop"), 9 / 32),
        (("stream x in 0..5", "report s = x"), 25 / 32),
        # one record in two counts of four: sqrt(2) in l2
        (("dataset x in {1, 2, 3, 4} size 50", "report s = [count(x[i] == k for i in records) for k in 1..4]", "stop"),
         2 / 32),
        ((BITS, "report s = sum(x) / 3", "stop"), inf),
        ((BITS, "report s = mean(x)", "stop"), inf),
        (("dataset x in [0, 1] size 50", "report s = sum(x)", "stop"), inf),
        (("dataset x in 0.. size 50", "report s = sum(x)", "stop"), inf),
        ((BITS, "report s = sum(x)"), inf),
    ],
)  # fmt: skip
def test_by_hand(lines: tuple[str, ...], expected: float) -> None:
    assert zcdp(*lines, NOISE) == pytest.approx(expected, rel=1e-9)


def test_a_factor_leaves_the_integers() -> None:
    lines = (BITS, "draw z ~ discrete_gaussian(4)", "report s = sum(x)", "stop")
    assert zcdp(*lines, "attach -z to s") == pytest.approx(1 / 32)
    assert zcdp(*lines, "attach 2 * z to s") == inf
    assert zcdp(*lines, "attach z / 2 to s") == inf


def test_no_curve_of_the_normal_law_is_used() -> None:
    _, found = bounds(BITS, "report s = sum(x)", "stop", NOISE)
    assert found.pure is None
    assert found.dp is not None and found.dp.rule == "conversion/discrete_gaussians_to_approximate"


@pytest.mark.parametrize("sd", [0.4, 1.0, 4.0])
@pytest.mark.parametrize("shift", [1, 3])
@pytest.mark.parametrize("order", [1.5, 2.0, 8.0])
def test_exact_divergences_stay_below(sd: float, shift: int, order: float) -> None:
    reach = int(40 * sd) + 40
    weights = {k: exp(-k * k / (2 * sd * sd)) for k in range(-reach, reach + 1)}
    total = fsum(weights.values())
    # exp((order - 1) D) over its bound, (order - 1) order shift^2 / (2 sd^2): the exponents are completed squares
    ratio = fsum(exp(-((k + (order - 1) * shift) ** 2) / (2 * sd**2)) / total for k in range(-reach, reach + 1))
    assert ratio <= 1 + 1e-9
    assert sd < 1 or ratio == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("sd", [0.3, 1.0, 2.5, 9.0])
def test_formulas_and_samples(sd: float) -> None:
    law = make_law("discrete_gaussian", (sd,), NOWHERE)
    support = np.arange(-200, 201)
    weights = np.exp(-(support**2) / (2 * sd**2))
    masses = weights / weights.sum()
    for k in (-30, -3, -1, 0, 1, 2, 17):
        assert law.pmf(k) == pytest.approx(masses[k + 200], rel=1e-12, abs=1e-300)
        assert law.cdf(k) == pytest.approx(masses[: k + 201].sum(), rel=1e-9, abs=1e-15)
    assert law.pmf(0.5) == 0
    random = Random(3)
    drawn = np.array([law.sample(random) for _ in range(20000)])
    variance = float((masses * support**2).sum())
    assert drawn.mean() == pytest.approx(0, abs=5 * (variance / 20000) ** 0.5)
    assert drawn.var() == pytest.approx(variance, rel=0.06)
    assert np.mean(drawn == 0) == pytest.approx(masses[200], abs=0.02)
    array = make("discrete_gaussian", sd)
    assert array.pmf(np.array([0.0, 2.0, 0.5])) == pytest.approx([masses[200], masses[202], 0], rel=1e-12)
