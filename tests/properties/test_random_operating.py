"""Random programs whose claims on error rates and steps lie just above and just below the truth."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from random_programs.operating_claims import EVERY_KIND, judge
from random_programs.stop_laws import law_of
from random_programs.ways_to_stop import Compared, Noise, Program, Stop

MANY = 46
"""Programs of each kind: 506 in all."""


def _false(kind: str, seeds: range) -> list[str]:
    found = [one for i in seeds for one in judge(f"{kind} {i}", kind)]
    return [f"{one.seed}: {one.false}\n{one.text}{one.asked}\n{one.because}" for one in found if one.false]


@pytest.mark.parametrize("kind", ["kept", "kept for ever", "late", "kept and fresh", "rare"])
def test_no_verdict_contradicts_the_law(kind: str) -> None:
    assert not _false(kind, range(1))


@pytest.mark.long
@pytest.mark.parametrize("kind", EVERY_KIND)
def test_no_verdict_contradicts_the_law_of_many(kind: str) -> None:
    assert not _false(kind, range(1000, 1000 + MANY))


def test_the_law_of_a_kept_noise_agrees_with_runs() -> None:
    """s - z >= 1/2 or x + w > 2, run 200,000 times as written."""
    up = Stop(("compare", Compared((("s", 1.0), ("z", -1.0)), ">=", 0.5)), "a")
    far = Stop(("compare", Compared((("x", 1.0), ("w", 1.0)), ">", 2.0)), "b")
    half = Fraction(1, 2)
    noises = (Noise("z", ("laplace", 1.0), True), Noise("w", ("exponential", 1.0), False))
    law = law_of(Program("kept", ((0, half), (1, half)), noises, (up, far), 3, True))
    rng, runs = random.Random(7), 200_000
    seen = {"a": 0, "b": 0, "late": 0}
    for _ in range(runs):
        z, s = rng.expovariate(1) * rng.choice([-1, 1]), 0
        for step in (1, 2, 3):
            x = rng.randrange(2)
            s += x
            end = "a" if s - z >= 0.5 else "b" if x + rng.expovariate(1) > 2 else "late" if step == 3 else None
            if end is not None:
                seen[end] += 1
                break
    for label, count in seen.items():
        assert law.chance(label) == pytest.approx(count / runs, abs=0.006)
