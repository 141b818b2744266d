"""Lists that show elements above a threshold: chances of observed ranges beside a listed law."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from seqlang import driver
from seqlang.backends.transcript.follow import Follower, Phase
from seqlang.backends.transcript.integrals.quadrature import FINE
from seqlang.source import Source

TEXT = """algorithm shown
dataset x in 1..3 size 6
statistic counts = [count(x[i] == c for i in records) for c in 1..3]
statistic noisy = counts
report shown = [if counts[c] > 0 and noisy[c] >= 3 then noisy[c] else 2 - c for c in 1..3]
stop
attach geometric(1 / 2) to noisy
"""


def chance(count: int, default: int, seen: object) -> Fraction:
    """Of one element: every value of the noise between -60 and 60, which leaves out 2^-60."""
    total = Fraction(0)
    for z in range(-60, 61):
        shown = count + z if count > 0 and count + z >= 3 else default
        low, high = seen if isinstance(seen, tuple) else (-math.inf, math.inf)
        total += Fraction(1, 3) * Fraction(1, 2) ** abs(z) * (low <= shown <= high)
    return total


@pytest.mark.parametrize("seed", range(6))
def test_chances_of_ranges(seed: int) -> None:
    rng = random.Random(seed)
    follower = Follower(driver.load(Source("shown.seq", TEXT)).program)
    for _ in range(20):
        data = tuple(rng.choice((1, 1, 2, 3)) for _ in range(6))
        ends = [sorted((rng.choice((-math.inf, -1, 0, 1, 3, 4)), rng.choice((0, 1, 4, 5, math.inf)))) for _ in data[:3]]
        seen = tuple(True if rng.random() < 0.3 else (low, high) for low, high in ends)
        phases = [Phase({"x": data}, {"shown": seen, "stop": (1, None)}, 1)]
        found = follower.log_probability(phases, FINE)
        counts = [data.count(c) for c in (1, 2, 3)]
        wanted = math.prod(chance(n, 1 - c, one) for c, (n, one) in enumerate(zip(counts, seen, strict=True)))
        assert math.exp(found.log) == pytest.approx(float(wanted), abs=1e-12)
