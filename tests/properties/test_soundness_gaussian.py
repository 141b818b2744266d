"""Soundness of the bounds that are not pure: Renyi and (epsilon, delta), with Gaussian noise on either place."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import replace
from fractions import Fraction

import pytest
from instances import Gate, Instance, text
from noise_laws import NoiseLaw
from oracle import Outcome, exact_law, neighbours

from seqlang import driver
from seqlang.analyses.prove import prove
from seqlang.proof.derivation import ApproximateBound, RenyiBound
from seqlang.source import Source

LENGTH = 4
ORDERS = (1.5, 2.0, 4.0, 8.0)


def _instance(rng: random.Random) -> Instance:
    """Gaussian threshold with Gaussian, Laplace or exponential steps, or the other way round; one or two ends."""
    families = [("gaussian", "gaussian"), ("gaussian", "laplace"), ("gaussian", "exponential"), ("laplace", "gaussian")]
    z_family, w_family = rng.choice(families)
    z, w = NoiseLaw(z_family, rng.choice([0.5, 1.0, 2.0])), NoiseLaw(w_family, rng.choice([0.5, 1.0, 2.0]))
    kind = rng.choice(["sum", "signed sum", "window", "cusum", "single", "query"])
    gates = [Gate(1, float(rng.randint(0, 2)), 0, 1, 0)]
    persistent, fresh = [z], [w]
    if rng.random() < 0.5:
        shape = rng.choice(["independent", "opposite", "parallel"])
        if shape == "independent":
            persistent.append(NoiseLaw(z_family, rng.choice([0.5, 1.0])))
        shared = rng.random() < 0.4 and (shape != "independent" or (z_family, w_family) == ("gaussian", "gaussian"))
        if not shared:
            fresh.append(w)
        sign = 1 if shape == "parallel" else -1
        gates.append(Gate(-1, float(rng.randint(-2, 0)), 1 if shape == "independent" else 0, sign,
                          0 if shared else 1, 1 if shared else -1))  # fmt: skip
    bare = Instance(kind, tuple(gates), tuple(persistent), tuple(fresh))
    return replace(bare, text=text(bare))


def _renyi(p: dict[Outcome, float], q: dict[Outcome, float], order: float) -> float:
    total = 0.0
    for outcome, a in p.items():
        if a > 1e-12:
            b = q[outcome]
            if b < 1e-300:
                return math.inf
            total += a**order * b ** (1 - order)
    return math.log(total) / (order - 1)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "seed" in metafunc.fixturenames:
        first, count = (int(metafunc.config.getoption(name)) for name in ("--first-seed", "--instances"))
        metafunc.parametrize("seed", range(first, first + count // 5))


def test_bounds_cover_the_exact_divergence(seed: int) -> None:
    instance = _instance(random.Random(seed))
    length = 3 if instance.every else LENGTH
    program = driver.load(Source("<instance>", instance.text)).program
    delta = Fraction(1, random.Random(seed).choice([10, 100]))
    bounds = prove(program, delta=delta, horizon=length, orders=ORDERS)
    renyi = {d.conclusion.order: d.conclusion.epsilon for d in bounds.rdp if isinstance(d.conclusion, RenyiBound)}
    dp = bounds.dp.conclusion if bounds.dp is not None else None
    laws = {s: exact_law(instance, s) for s in {x for pair in neighbours(instance, length) for x in pair}}
    for first, second in itertools.chain.from_iterable(((a, b), (b, a)) for a, b in neighbours(instance, length)):
        p, q = laws[first], laws[second]
        for order, bound in renyi.items():
            exact = _renyi(p, q, order)
            assert exact <= bound + 1e-6, f"seed {seed} order {order}: exact {exact} > {bound}\n{instance.text}"
        if isinstance(dp, ApproximateBound):
            excess = sum(max(0.0, a - math.exp(dp.epsilon) * q[o]) for o, a in p.items())
            assert excess <= dp.delta + 1e-7, f"seed {seed}: {excess} > {dp.delta} at {dp.epsilon}\n{instance.text}"
