"""The oracle itself: it must be right before it judges anything."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from instances import Gate, Instance, random_instance
from noise_laws import NoiseLaw
from oracle import exact_law, exact_loss


@pytest.mark.parametrize("law", [NoiseLaw(f, s) for f, s in (("laplace", 2.0), ("exponential", 0.5), ("geometric", 0.5),
                                                             ("staircase", 1.0), ("gaussian", 1.5))])  # fmt: skip
def test_quadrature_agrees_with_the_distribution_function(law: NoiseLaw) -> None:
    x, w = law.quadrature()
    assert w.sum() == pytest.approx(1, abs=1e-10)
    for edge in (-1.5, -0.5, 0.0, 0.5, 2.0):
        at = edge - 1e-7 if law.family == "geometric" else edge
        assert w[x >= at].sum() == pytest.approx(float(law.at_least(np.array(edge))), abs=1e-9)


def test_every_law_adds_up_to_one() -> None:
    rng = random.Random(5)
    for _ in range(200):
        instance = random_instance(rng)
        for stream in ((0.0, 1.0, 1.0), (1.0, 0.0, 1.0, 0.0)):
            assert sum(exact_law(instance, stream).values()) == pytest.approx(1, abs=1e-9), instance.text


def test_against_simulation() -> None:
    rng = np.random.default_rng(7)
    z, w = NoiseLaw("laplace", 1.0), NoiseLaw("exponential", 2.0)
    instance = Instance("sum", (Gate(1, 2.0, 0, 1, 0), Gate(-1, -1.0, 0, -1, 0)), (z,), (w,))
    stream = (1.0, 0.0, 1.0)
    n = 400_000
    zs = rng.laplace(0, 1, n)
    alive = np.ones(n, bool)
    law = exact_law(instance, stream)
    for t, level in enumerate(np.cumsum(stream), 1):
        noisy = level + rng.exponential(2, n)
        first = alive & (noisy >= 2 + zs)
        second = alive & ~first & (noisy <= -1 - zs)
        assert first.mean() == pytest.approx(law[((t, 0),)], abs=5e-3)
        assert second.mean() == pytest.approx(law[((t, 1),)], abs=5e-3)
        alive &= ~first & ~second


def test_known_losses() -> None:
    """One-sided, uniform shift, Laplace: at most max(1/lz, 1/lw), and not far below it at length 8."""
    one = Instance("sum", (Gate(1, 2.0, 0, 1, 0),), (NoiseLaw("laplace", 1.0),), (NoiseLaw("laplace", 2.0),))
    loss = exact_loss(one, 7)
    assert 0.8 < loss <= 1 + 1e-9
    bare = Instance("sum", (Gate(1, 2.0, 0, 1, None),), (NoiseLaw("laplace", 1.0),), ())
    assert exact_loss(bare, 4) == math.inf


def test_streams_that_are_equal_have_equal_laws() -> None:
    rng = random.Random(11)
    instance = random_instance(rng)
    for stream in itertools.product((0.0, 1.0), repeat=3):
        assert exact_law(instance, stream) == exact_law(instance, stream)


def test_two_kept_noises_and_a_shared_fresh_one_against_simulation() -> None:
    """Both tests read the same noisy statistic: the law of Gaussian noise needs nodes in a plane."""
    rng = np.random.default_rng(3)
    a, b, w = NoiseLaw("gaussian", 1.0), NoiseLaw("gaussian", 0.5), NoiseLaw("gaussian", 2.0)
    instance = Instance("sum", (Gate(1, 1.0, 0, 1, 0), Gate(-1, -1.0, 1, -1, 0)), (a, b), (w,))
    stream, n = (1.0, 0.0, 1.0), 400_000
    za, zb = rng.normal(0, 1, n), rng.normal(0, 0.5, n)
    alive = np.ones(n, bool)
    law = exact_law(instance, stream)
    assert sum(law.values()) == pytest.approx(1, abs=1e-9)
    for t, level in enumerate(np.cumsum(stream), 1):
        noisy = level + rng.normal(0, 2, n)
        first = alive & (noisy >= 1 + za)
        second = alive & ~first & (noisy <= -1 - zb)
        assert first.mean() == pytest.approx(law[((t, 0),)], abs=5e-3)
        assert second.mean() == pytest.approx(law[((t, 1),)], abs=5e-3)
        alive &= ~first & ~second
