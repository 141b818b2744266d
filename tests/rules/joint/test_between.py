"""BetweenThresholds: the hockey-stick divergence of all transcripts, by quadrature over the noise that is kept."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product
from random import Random

import numpy as np
import pytest

from seqlang import driver
from seqlang.analyses.prove import prove
from seqlang.arithmetic.formula import DELTA, enclose
from seqlang.proof.replay import replay
from seqlang.rules.joint.between import SEARCH, epsilon_of
from seqlang.source import Source

NAMES = ("left", "right")
TEXT = """algorithm between
param T = {T}
param b1 > 0 = {b1}
param b2 > 0 = {b2}
stream q in real
adjacent every q within {r}
statistic lower = 0
statistic upper = T
report left when lower > {scale} * q
report right when {scale} * q > upper
stop when {stop} return between
draw z ~ laplace(b1) once
attach z to lower
attach {sign}z to upper
attach laplace(b2) to q
{more}
"""
USUAL = {
    "T": "12",
    "b1": "0.5",
    "b2": "1",
    "r": "1",
    "scale": "1",
    "stop": "not left and not right",
    "sign": "-",
    "more": "",
}


def program(**given: str):
    return driver.load(Source("between.seq", TEXT.format(**{**USUAL, **given}))).program


def epsilon(delta: float, **given: str) -> float | str:
    exact = Fraction(delta)
    found = epsilon_of(program(**given), NAMES, exact)
    return found if isinstance(found, str) else enclose(found, {**_values(given), DELTA.name: exact}).high


def _values(given: dict[str, str]) -> dict[str, Fraction]:
    return {name: Fraction({**USUAL, **given}[name]) for name in ("T", "b1", "b2")}


# ---- the oracle


def below(x: np.ndarray, b: float) -> np.ndarray:
    """The distribution function of Laplace(b)."""
    tail = np.exp(-np.abs(x) / b) / 2
    return np.where(x < 0, tail, 1 - tail)


def law(queries: list[float], T: float, b1: float, b2: float) -> dict[tuple[str, ...], float]:
    """The probability of each transcript: `l`, `r`, `x` (both) go on, `n` (neither) ends."""
    edges = np.unique([*np.arange(-36 * b1, 36 * b1, min(b1, b2)), 0.0, T / 2, *queries, *(T - x for x in queries)])
    nodes, weights = np.polynomial.legendre.leggauss(12)
    z = np.concatenate([(a + b) / 2 + (b - a) / 2 * nodes for a, b in pairwise(edges)])
    w = np.concatenate([(b - a) / 2 * weights for a, b in pairwise(edges)])
    w = w * np.exp(-np.abs(z) / b1) / (2 * b1)
    answers = []
    for q in queries:
        low, high = below(z - q, b2), below(T - z - q, b2)
        crossed = z > T - z
        answers.append({
            "l": np.minimum(low, high), "r": 1 - np.maximum(low, high),
            "x": np.where(crossed, low - high, 0.0), "n": np.where(crossed, 0.0, high - low),
        })  # fmt: skip
    found: dict[tuple[str, ...], float] = {}
    for length in range(1, len(queries) + 1):
        for front in product("lrx", repeat=length - 1):
            for last in "lrxn" if length == len(queries) else "n":
                chance = w.copy()
                for step, answer in enumerate((*front, last)):
                    chance = chance * answers[step][answer]
                found[(*front, last)] = float(chance.sum())
    assert sum(found.values()) == pytest.approx(1, abs=1e-9)
    return found


def divergence(first: list[float], second: list[float], T: float, b1: float, b2: float, eps: float) -> float:
    p, q = law(first, T, b1, b2), law(second, T, b1, b2)
    return sum(max(0.0, p[t] - np.exp(eps) * q[t]) for t in p)


SETTINGS = [(25.0, 2.0, 1.0, 0.01), (45.0, 2.0, 6.0, 1e-4), (9.0, 0.5, 2.0, 1e-3)]


@pytest.mark.parametrize(("T", "b1", "b2", "delta"), SETTINGS)
def test_no_pair_loses_more(T: float, b1: float, b2: float, delta: float) -> None:
    given = {"T": str(T), "b1": str(b1), "b2": str(b2)}
    bound = epsilon(delta, **given)
    assert not isinstance(bound, str), bound
    assert bound == pytest.approx(
        1 / b1 + np.log1p(np.expm1(2 / b2) / -np.expm1(-(T + 2 * b1 * np.log(2 * delta) - 2) / b2)), rel=1e-12
    )
    random = Random(5)
    for _ in range(60):
        first = [
            random.choice((-3.0, -1.0, 0.5, T / 2, T - 0.5, T + 1.0, T + 4.0)) for _ in range(random.randint(1, 3))
        ]
        second = [x + random.choice((-1.0, 1.0)) for x in first]
        assert divergence(first, second, T, b1, b2, bound) <= delta


def test_parts_of_the_bound_are_needed() -> None:
    """The bound is r/b1 + 2 r/b2 = 2. One pair loses 1.86: more than without the first term (1), or with one r/b2
    (1.5): three answers near the lower threshold, of which the neighbour's lie nearer, and a last one out of reach."""
    T, b1, b2, delta = 60.0, 1.0, 2.0, 1e-9
    bound = epsilon(delta, T="60", b1="1", b2="2")
    assert bound == pytest.approx(2, rel=1e-3)
    assert divergence([5.0, 5.0, 5.0, -3.0], [6.0, 6.0, 6.0, -4.0], T, b1, b2, 1.85) > delta


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"T": "3"}, "too near"),
        ({"stop": "not left and step > 3"}, "need not end"),
        ({"stop": "left and right"}, "need not end"),
        ({"sign": ""}, "do not move the thresholds"),
        ({"sign": "-2 * "}, "do not move the thresholds"),
        ({"more": "report seen = z"}, ""),  # a gate that is not public
        ({"more": "report seen = q > 3"}, ""),
    ],
)
def test_what_it_refuses(given: dict[str, str], why: str) -> None:
    found = epsilon(0.01, **given)
    assert isinstance(found, str)
    assert why in found


def test_where_a_weaker_stop_ends_as_well() -> None:
    assert epsilon(0.01, stop="not left") == epsilon(0.01)
    assert epsilon(0.01, scale="2") > epsilon(0.01)
    assert isinstance(epsilon(0.6), str)


def test_it_is_found_and_replayed() -> None:
    given = program(T="40")
    delta = Fraction(1, 10**6)
    offered = SEARCH.suggest(given, NAMES, delta)
    assert not isinstance(offered, str)
    assert not replay(given, offered)
    assert prove(given, delta=delta).dp is not None
    smaller = type(offered)(type(offered.conclusion)(NAMES, offered.conclusion.epsilon / 2, delta, None), offered.rule)
    assert replay(given, smaller)
