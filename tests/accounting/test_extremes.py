"""Extreme arguments, all allowed: every function of accounting returns a number that is not below 0, or infinity.

What is tried: denormal numbers, the largest floats, powers that overflow, orders next to 1, integers beyond any float.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction

import pytest
from formulas_of_orders import at_order
from thorough import several

from seqlang.accounting import advanced, concentrated, conversion, gaussian, group, homogeneous, pure, renyi
from seqlang.accounting import subsampled_gaussian as subsampled
from seqlang.accounting.noisy_test import mixed, shared, threshold
from seqlang.accounting.numeric import search
from seqlang.accounting.numeric.parts import Gaussian, Laplace, Part, Pure, Subsampled

POSITIVE = (
    5e-324, 1e-310, 1e-300, 1e-160, 1e-18, 1e-9, 1e-6, 0.1, 0.5, 1.0, 2.0, 16.0, 40.0, 400.0, 700.0, 710.0, 745.0, 1e4,
    1e6, 1e18, 1e154, 1e160, 1e300, 1.7e308,
)  # fmt: skip
ORDERS = (1 + 2.0**-52, 1 + 1e-12, 1 + 1e-6, 1.01, 1.5, 2.0, 2.5, 32.0, 1e3, 1e6, 1e12, 1e18, 1e160, 1.7e308)
DELTAS = (5e-324, 1e-310, 1e-300, 1e-100, 1e-18, 1e-6, 0.1, 0.5, 0.9, 1 - 2.0**-53)
COUNTS = (1, 2, 10**4, 10**6, 2**53 + 1, 10**18, 10**300, 10**400)


class Draws:
    """Extreme arguments at random."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    @property
    def positive(self) -> float:
        return self.rng.choice(POSITIVE)

    @property
    def any(self) -> float:
        return self.rng.choice((0.0, math.inf, *POSITIVE))

    @property
    def order(self) -> float:
        return self.rng.choice(ORDERS)

    @property
    def delta(self) -> float:
        return self.rng.choice(DELTAS)

    @property
    def count(self) -> int:
        return self.rng.choice(COUNTS)

    @property
    def few(self) -> int:
        return self.rng.choice((1, 2, 3, 10, 41, 100))

    @property
    def rate(self) -> float:
        return self.rng.choice((1.0, *DELTAS))

    @property
    def part(self) -> Part:
        sampled = Subsampled(self.rate, self.positive, self.rng.random() < 0.5, self.count)
        return self.rng.choice(
            (Gaussian(self.positive), Laplace(self.positive, self.count), Pure(self.positive, self.count), sampled)
        )


FUNCTIONS: dict[str, Callable[[Draws], float]] = {
    "basic": lambda d: pure.basic_composition([d.any, d.any, d.any]),
    "self": lambda d: pure.self_composition(d.any, d.count),
    "tanh_form": lambda d: advanced.tanh_form([d.any, d.any], d.delta),
    "zcdp curve": lambda d: concentrated.renyi(d.any, d.order),
    "zcdp to dp": lambda d: conversion.optimised(lambda a, rho=d.any: concentrated.renyi(rho, a), d.delta)[0],
    "between orders": lambda d: concentrated.between_orders([(1.5, d.any), (2.0, d.any), (32.0, d.any)], d.any),
    "canonne": lambda d: conversion.canonne(d.order, d.any, d.delta),
    "delta_at": lambda d: conversion.delta_at(d.order, d.any, d.any),
    "profile": lambda d: gaussian.profile(d.rng.choice((-1, 1)) * d.positive, d.positive),
    "gaussian delta": lambda d: gaussian.delta(d.any, d.positive, d.positive, d.count),
    "gaussian epsilon": lambda d: gaussian.epsilon(d.delta, d.positive, d.positive, d.count),
    "gaussian sigma": lambda d: gaussian.sigma(d.positive, d.delta, d.positive, d.count),
    "group dp": lambda d: group.approximate(d.any, d.rng.choice((0.0, d.delta)), d.count)[1],
    "group rdp": lambda d: at_order(group.renyi(lambda a: a * Fraction(1, 2 * 10**6), d.few), d.order),
    "optimal": lambda d: homogeneous.optimal(d.positive, d.few, d.delta),
    "optimal_of": lambda d: homogeneous.optimal_of([d.any, d.any], d.delta),
    "rdp gaussian": lambda d: renyi.gaussian(d.positive, d.order, d.positive),
    "rdp laplace": lambda d: renyi.laplace(d.positive, d.order, d.positive),
    "rdp pure": lambda d: renyi.pure(d.any, d.order),
    "rdp bounded range": lambda d: renyi.bounded_range(d.any, d.order),
    "subsampled": lambda d: subsampled.renyi(d.rate, d.positive, d.order),
    "subsampled replace": lambda d: subsampled.renyi_replace(d.rate, d.positive, d.order),
    "threshold": lambda d: threshold.renyi(d.order, d.positive, d.any),
    "mixed rdp": lambda d: mixed.two_ends_renyi(d.order, d.positive, d.any),
    "shared": lambda d: shared.surcharge(d.order, d.any, d.count),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_number_or_infinity(name: str) -> None:
    draws = Draws(5)
    for _ in range(several(8, 60)):
        assert FUNCTIONS[name](draws) >= 0


@pytest.mark.parametrize("seed", [1, 2])
def test_composed_parts(seed: int) -> None:
    draws = Draws(seed)
    for _ in range(25):
        part = draws.part
        assert search.epsilon((part,), draws.delta) >= 0, part
        assert 0 <= search.delta((part,), draws.positive) <= 1, part


@pytest.mark.long
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_number_or_infinity_many_times(name: str) -> None:
    draws = Draws(6)
    for _ in range(3000):
        assert FUNCTIONS[name](draws) >= 0
