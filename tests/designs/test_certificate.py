"""Enclosures against closed forms and long floats."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest

from seqlang.designs.blocks.blocks import Blocks, walk_lattice
from seqlang.designs.blocks.mechanism import Geometric, NoNoise
from seqlang.designs.blocks.policy import Policy, Row
from seqlang.designs.bounds.certificate import certificate, enclosed_policy
from seqlang.designs.bounds.enclosed import ONE, exponential
from seqlang.designs.bounds.enclosed_blocks import EnclosedBlocks, released
from seqlang.designs.bounds.enclosed_data import arm_levels
from seqlang.designs.find import best_design
from seqlang.designs.problem.entry import coin
from seqlang.designs.problem.privacy import Privacy
from seqlang.designs.problem.problem import Problem


@pytest.mark.parametrize("x", [Fraction(1), Fraction(1, 10), Fraction(100), Fraction(7, 3)])
def test_exp_is_enclosed(x: Fraction) -> None:
    low, high = exponential(x)
    with mpmath.workdps(80):
        true = mpmath.exp(-mpmath.mpf(x.numerator) / x.denominator) * ONE
        assert low <= true <= high
    assert high - low <= 2 + (high >> 100)


def test_walds_walk_is_enclosed() -> None:
    """From 0 to 3 or -3 in steps of 1, up with chance 3/10: up first with 1 / (1 + (7/3)^3), in 3 (1 - 2 P) / 0.4
    steps."""
    problem = Problem(coin(Fraction(3, 10)), coin(Fraction(7, 10)), Fraction(1, 10), Fraction(1, 10), Privacy("none"))
    blocks = Blocks(problem, NoNoise())
    policy = Policy(walk_lattice(blocks[1]), (Row(0, -2, (1,) * 5),))
    arms = arm_levels(problem.null, None)
    assert not isinstance(arms, str)
    error, steps = enclosed_policy(policy, EnclosedBlocks(blocks, policy.lattice, arms), 1)
    true = 1 / (1 + Fraction(7, 3) ** 3)
    needed = 3 * (1 - 2 * true) / Fraction(2, 5)
    assert error[0] <= true <= error[1] < error[0] + Fraction(1, 10**13)
    assert steps[0] <= needed <= steps[1] < steps[0] + Fraction(1, 10**11)


def test_the_noisy_block_is_enclosed() -> None:
    """Against sums of long floats over all sums and noises."""
    arms = arm_levels(coin(Fraction(3, 10)), None)
    assert not isinstance(arms, str)
    found = released(arms[0], 3, Geometric(Fraction(1, 2)))
    with mpmath.workdps(70):
        p, q = mpmath.mpf(3) / 10, mpmath.exp(mpmath.mpf(-1) / 2)
        seen = [mpmath.mpf(0)] * 4
        for s in range(4):
            chance = math.comb(3, s) * p**s * (1 - p) ** (3 - s)
            for k in range(-320, 321):
                seen[min(3, max(0, s + k))] += chance * (1 - q) / (1 + q) * q ** abs(k)
        for low, high, true in zip(*found, seen, strict=True):
            assert low <= true * ONE <= high
            assert high - low < ONE >> 120


def test_a_design_is_enclosed() -> None:
    """The float figures of an independent linear system lie within the enclosures, up to their own rounding."""
    privacy = Privacy("pure", (Fraction(1),))
    design, blocks, _ = best_design(
        Problem(coin(Fraction(1, 5)), coin(Fraction(4, 5)), Fraction(1, 20), Fraction(1, 10), privacy)
    )
    found = certificate(design, blocks)
    assert not isinstance(found, str)
    for side, wrong in (("null", "reject"), ("alternative", "accept")):
        low, high = found[side].error
        assert low - 1e-14 <= design.mean(side, wrong) <= high + 1e-14
        assert high - low < 1e-13
        low, high = found[side].steps
        assert low - 1e-12 <= design.mean(side, "steps") <= high + 1e-12
        assert high - low < 1e-11
    assert found["null"].error[1] <= 0.05
