"""Samplers of the run-time, compiled, against the laws' distribution functions as scipy and closed forms give them."""

from __future__ import annotations

import hashlib
import importlib.util
import math
import os
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from seqlang.backends.kernels.runtime.collect import source_of
from seqlang.laws.law import law as law_of_family
from seqlang.laws.variates import ziggurat

numba = pytest.importorskip("numba")

Floats = NDArray[np.float64]

LEAST_P = 1e-5
"""About 300 of these are asked for: with sound samplers one seed in 300 would fail."""

NUMBERS = {  # law: how many arguments
    "standard_normal": 0,
    "standard_exponential": 0,
    "laplace": 1,
    "logistic": 1,
    "exponential": 1,
    "gumbel": 1,
    "normal": 2,
    "gaussian": 1,
    "uniform": 2,
    "staircase": 3,
    "geometric": 1,
    "discrete_gaussian": 1,
    "bernoulli": 1,
    "binomial": 2,
    "poisson": 1,
    "standard_gamma": 1,
}


def variate(name: str) -> str | None:
    return None if name.startswith("standard") else law_of_family(name).variate


def drawn(law: str, count: int) -> str:
    """As kernels draw: from a standard variate of one word, or by a function of the law's own."""
    arguments, kind = ("a", "b", "c")[:count], variate(law)
    if kind is None:
        return f"sample_{law}({', '.join(('s', *arguments))})"
    return f"from_variate_{law}({', '.join((f'{kind}_of_word(next_word(s))', *arguments))})"


def driver() -> str:
    """One function for all laws of numbers, as compiling many takes longer; and one for those of vectors."""
    lines = ["@njit(cache=True)", "def draw(law, out, start, run, a, b, c):", "    s = np.empty(4, np.uint64)"]
    lines += ["    seed_stream(s, start, run)"]
    for i, (law, count) in enumerate(NUMBERS.items()):
        lines += [
            f"    if law == {i}:",
            "        for i in range(len(out)):",
            f"            out[i] = {drawn(law, count)}",
        ]
    lines += """
@njit(cache=True)
def draw_parts(part, out, start, run, a):
    s = np.empty(4, np.uint64)
    seed_stream(s, start, run)
    if part == 0:
        for i in range(len(out)):
            sample_l2_laplace(s, out[i], a[0])
    elif part == 1:
        for i in range(len(out)):
            sample_uniform_ball(s, out[i], a[0])
    elif part == 2:
        for i in range(len(out)):
            out[i, 0] = sample_weights(s, a)
    elif part == 3:
        for i in range(len(out)):
            out[i, 0] = normal_tail(s)
    elif part == 4:
        for i in range(len(out)):
            word = next_word(s)
            while normal_accepted(word):
                word = next_word(s)
            out[i, 0] = normal_rejected(s, word)
    elif part == 5:
        for i in range(len(out)):
            word = next_word(s)
            out[i, 0] = float(word & np.uint64(1023))
            out[i, 1] = exponential_value(word) if exponential_accepted(word) else exponential_rejected(s, word)
""".splitlines()
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def compiled(pytestconfig: pytest.Config) -> Any:
    """The generated module, kept on disk between test runs under the hash of its text."""
    parts = ["seed_stream", "sample_l2_laplace", "sample_uniform_ball", "sample_weights", "normal_tail", "next_word"]
    parts += ["normal_accepted", "normal_rejected", "exponential_value", "exponential_accepted", "exponential_rejected"]
    for law in NUMBERS:
        kind = variate(law)
        parts += [f"sample_{law}"] if kind is None else [f"from_variate_{law}", f"{kind}_of_word"]
    text = source_of(parts) + driver()
    name = "samplers_" + hashlib.sha256(f"{numba.__version__} {sys.version} {text}".encode()).hexdigest()[:16]
    folder = Path(str(pytestconfig.cache.mkdir("kernels"))) if pytestconfig.cache else Path()
    path = folder / f"{name}.py"
    if not path.exists():
        draft = folder / f"{name}.{os.getpid()}"
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


Draw = Callable[..., Floats]


@pytest.fixture(scope="module")
def draw(compiled: Any) -> Draw:
    def numbers(law: str, *arguments: float, count: int = 200_000, run: int = 1) -> Floats:
        out = np.empty(count)
        padded = [*map(float, arguments), 0.0, 0.0, 0.0][:3]
        compiled.draw(list(NUMBERS).index(law), out, np.uint64(20240229), run, *padded)
        return out

    return numbers


@pytest.fixture(scope="module")
def parts(compiled: Any) -> Draw:
    def rows(part: int, *arguments: float, columns: int = 2, count: int = 200_000) -> Floats:
        out = np.empty((count, columns))
        compiled.draw_parts(part, out, np.uint64(11), 3, np.array(arguments, dtype=float))
        return out

    return rows


def assert_continuous(values: Floats, cdf: Callable[[Floats], Any]) -> None:
    """Kolmogorov's test, and a chi-square test in 500 cells, which sees narrow faults and tails."""
    assert np.isfinite(values).all()
    u = np.sort(np.asarray(cdf(values)))
    n = len(u)
    distance = max((np.arange(1, n + 1) / n - u).max(), (u - np.arange(n) / n).max())
    assert stats.kstwobign.sf(math.sqrt(n) * distance) > LEAST_P
    assert_chances(np.bincount(np.minimum((u * 500).astype(int), 499), minlength=500), np.full(500, 1 / 500))


def assert_chances(counts: Any, chances: Any) -> None:
    """Chi-square; cells that expect fewer than 10 are put together from both ends, and nothing else is missing."""
    counts, expected = np.asarray(counts, float), np.asarray(chances) * np.sum(counts)
    assert abs(expected.sum() / counts.sum() - 1) < 1e-9
    big = np.flatnonzero(expected >= 10)
    first, last = big[0], big[-1] + 1
    ends = [(counts[:first].sum(), expected[:first].sum()), (counts[last:].sum(), expected[last:].sum())]
    for count, mean in ends:
        assert count <= mean + 10 + 6 * math.sqrt(mean)
    if len(big) > 1:
        scale = counts[first:last].sum() / expected[first:last].sum()
        assert stats.chisquare(counts[first:last], expected[first:last] * scale).pvalue > LEAST_P


def assert_discrete(values: Floats, pmf: Callable[[Any], Any], low: int, high: int) -> None:
    """`low` .. `high` must carry all but a negligible mass."""
    assert (values == np.floor(values)).all()
    assert low <= values.min() and values.max() <= high
    at = np.arange(low, high + 1)
    assert_chances(np.bincount((values - low).astype(int), minlength=len(at)), pmf(at))


@pytest.mark.parametrize(
    ("law", "arguments", "exact"),
    [
        ("standard_normal", (), stats.norm()),
        ("standard_exponential", (), stats.expon()),
        ("laplace", (2.5,), stats.laplace(scale=2.5)),
        ("logistic", (2.5,), stats.logistic(scale=2.5)),
        ("exponential", (0.1,), stats.expon(scale=0.1)),
        ("gumbel", (3.0,), stats.gumbel_r(scale=3.0)),
        ("normal", (-2.0, 0.5), stats.norm(-2, 0.5)),
        ("gaussian", (7.0,), stats.norm(0, 7)),
        ("uniform", (-1.0, 3.0), stats.uniform(-1, 4)),
        ("standard_gamma", (1.0,), stats.gamma(1)),
        ("standard_gamma", (3.5,), stats.gamma(3.5)),
        ("standard_gamma", (500.0,), stats.gamma(500)),
    ],
)
def test_continuous(draw: Draw, law: str, arguments: tuple[float, ...], exact: Any) -> None:
    assert_continuous(draw(law, *arguments, count=1_000_000 if law.startswith("standard") else 200_000), exact.cdf)


@pytest.mark.parametrize(("eps", "width", "gamma"), [(1.0, 2.0, 0.3), (0.2, 0.5, 0.0), (3.0, 1.0, 1.0)])
def test_staircase(draw: Draw, eps: float, width: float, gamma: float) -> None:
    """The stair is geometric, its higher step has the odds gamma : (1 - gamma) exp(-eps), the place is uniform."""
    values = draw("staircase", eps, width, gamma)
    at = np.abs(values) / width
    stair, inside = np.floor(at), at - np.floor(at)
    assert_discrete(stair, lambda k: stats.geom.pmf(k + 1, -math.expm1(-eps)), 0, 400)
    b, high = math.exp(-eps), inside < gamma
    assert stats.binomtest(int(high.sum()), len(high), gamma / (gamma + (1 - gamma) * b)).pvalue > LEAST_P
    if gamma > 0:
        assert_continuous(inside[high] / gamma, lambda u: u)
    if gamma < 1:
        assert_continuous((inside[~high] - gamma) / (1 - gamma), lambda u: u)
    assert stats.binomtest(int((values > 0).sum()), len(values)).pvalue > LEAST_P
    assert abs(np.corrcoef([values > 0, stair, inside])[np.triu_indices(3, 1)]).max() < 0.2
    assert stats.ks_2samp(values[values > 0], -values[values < 0]).pvalue > LEAST_P


@pytest.mark.parametrize("ratio", [1e-300, 0.01, 0.5, 0.97])
def test_geometric(draw: Draw, ratio: float) -> None:
    assert_discrete(draw("geometric", ratio), lambda k: (1 - ratio) / (1 + ratio) * ratio ** abs(k), -900, 900)


def test_geometric_of_a_fine_scale(draw: Draw) -> None:
    """Where ratio is close to 1 the law is Laplace's, up to steps of 1 in 1e7."""
    ratio = math.exp(-1e-7)
    assert_continuous(draw("geometric", ratio) * 1e-7, stats.laplace().cdf)


@pytest.mark.parametrize("sd", [0.2, 0.8, 1.0, 2.7, 30.0])
def test_discrete_gaussian(draw: Draw, sd: float) -> None:
    reach = math.ceil(12 * sd) + 2
    weights = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * sd * sd))
    assert_discrete(draw("discrete_gaussian", sd), lambda k: weights / weights.sum(), -reach, reach)


def test_discrete_gaussian_of_a_fine_scale(draw: Draw) -> None:
    assert_continuous(draw("discrete_gaussian", 1e8) * 1e-8, stats.norm().cdf)


@pytest.mark.parametrize(
    ("n", "p"), [(1, 0.5), (12, 0.3), (12, 0.9), (2000, 0.002), (25, 0.4), (40, 0.5), (300, 0.2), (5000, 0.97)]
)
def test_binomial(draw: Draw, n: int, p: float) -> None:
    assert_discrete(draw("binomial", n, p), stats.binom(n, p).pmf, 0, n)


@pytest.mark.parametrize(("n", "p"), [(10**12, 0.3), (10**15, 0.5)])
def test_binomial_of_many(draw: Draw, n: int, p: float) -> None:
    """By now it is normal, up to terms of order 1 / sd."""
    sd = math.sqrt(n * p * (1 - p))
    assert_continuous((draw("binomial", n, p) - n * p + 0.5) / sd, stats.norm().cdf)


@pytest.mark.parametrize("mean", [0.03, 1.0, 9.99, 10.0, 15.5, 400.0])
def test_poisson(draw: Draw, mean: float) -> None:
    assert_discrete(draw("poisson", mean), stats.poisson(mean).pmf, 0, math.ceil(mean + 20 * math.sqrt(mean) + 20))


def test_poisson_of_many(draw: Draw) -> None:
    assert_continuous((draw("poisson", 1e12) - 1e12) / 1e6, stats.norm().cdf)


@pytest.mark.parametrize("p", [0.0, 1e-3, 0.5, 1.0, 1 + 1e-13])
def test_bernoulli(draw: Draw, p: float) -> None:
    assert_discrete(draw("bernoulli", p), stats.bernoulli(min(p, 1.0)).pmf, 0, 1)


@pytest.mark.parametrize(
    ("law", "arguments", "value"),
    [
        ("normal", (3.5, 0.0), 3.5),
        ("gaussian", (0.0,), 0.0),
        ("geometric", (0.0,), 0.0),
        ("binomial", (0.0, 0.5), 0.0),
        ("binomial", (9.0, 0.0), 0.0),
        ("binomial", (9.0, 1.0), 9.0),
        ("binomial", (1e9, 1 + 1e-13), 1e9),
        ("poisson", (0.0,), 0.0),
    ],
)
def test_laws_of_one_value(draw: Draw, law: str, arguments: tuple[float, ...], value: float) -> None:
    assert set(draw(law, *arguments, count=100)) == {value}


@pytest.mark.parametrize(
    ("law", "arguments"),
    [
        ("gumbel", (math.inf,)),
        ("staircase", (1.0, 1.0, 2.0)),
        ("geometric", (1.0,)),
        ("discrete_gaussian", (0.0,)),
        ("binomial", (2.5, 0.5)),
        ("poisson", (-1.0,)),
    ],
)
def test_what_is_no_law_gives_nan(draw: Draw, law: str, arguments: tuple[float, ...]) -> None:
    assert np.isnan(draw(law, *arguments, count=3)).all()


def test_tail_of_the_normal_ziggurat(parts: Draw) -> None:
    values = parts(3)[:, 0]
    edge = stats.norm.sf(ziggurat.NORMAL_EDGE)
    assert_continuous(values, lambda x: 1 - stats.norm.sf(x) / edge)


def test_after_a_rejected_word(parts: Draw) -> None:
    """What is left of the normal density between strips' inner parts, and beyond the edge: chances by areas."""
    values = parts(4, count=500_000)[:, 0]
    edges = ziggurat.NORMAL_EDGES
    tail = math.sqrt(math.pi / 2) * math.erfc(edges[1] / math.sqrt(2))
    area = edges[1] * math.exp(-(edges[1] ** 2) / 2) + tail  # of one strip
    accepted = area * (edges[1:] / edges[:-1])
    # A first word that was rejected is followed by a fresh law with the chance that its second test fails too.
    cut = np.array([0.0, 0.3, 1.0, 2.0, edges[1], math.inf])
    outright = np.array(
        [
            (accepted * np.clip((np.minimum(edges[1:], b) - a) / np.maximum(edges[1:], 1e-300), 0, None)).sum()
            for a, b in pairwise(cut)
        ]
    )
    whole = math.sqrt(math.pi / 2) * np.diff(stats.norm.cdf(cut)) * 2
    wedges, rejected = whole - outright, area * len(accepted) - accepted.sum()
    fresh = rejected - wedges.sum()
    chances = (wedges + fresh * np.diff(stats.norm.cdf(cut)) * 2) / rejected
    assert_chances(np.histogram(np.abs(values), cut)[0], chances)
    assert stats.binomtest(int((values > 0).sum()), len(values)).pvalue > LEAST_P


@pytest.mark.parametrize(
    ("law", "exact"),
    [("standard_normal", stats.norm()), ("standard_exponential", stats.expon())],
)
def test_far_tails_and_neighbours(draw: Draw, law: str, exact: Any) -> None:
    values = draw(law, count=4_000_000, run=2)
    u = exact.cdf(values)
    for bar in (1e-3, 1e-4, 1e-5):
        assert stats.binomtest(int((exact.sf(np.abs(values)) < bar).sum()), len(u), exact.sf(exact.isf(bar)) * (
            1 if law == "standard_exponential" else 2)).pvalue > LEAST_P  # fmt: skip
    # fine cells see the strips; pairs of successive draws see what the generator leaves
    assert_chances(np.bincount((u * 5000).astype(int), minlength=5000), np.full(5000, 1 / 5000))
    pairs = (u[:-1:2] * 40).astype(int) * 40 + (u[1::2] * 40).astype(int)
    assert_chances(np.bincount(pairs, minlength=1600), np.full(1600, 1 / 1600))


def test_sign_size_and_low_digits_are_independent(draw: Draw) -> None:
    values = draw("standard_normal", count=4_000_000, run=5)
    size = (2 * stats.norm.cdf(np.abs(values)) - 1) * 100
    digit = np.floor(np.abs(values) * 2.0**40).astype(np.int64) % 8
    cells = (values > 0) * 800 + np.minimum(size.astype(int), 99) * 8 + digit
    assert_chances(np.bincount(cells, minlength=1600), np.full(1600, 1 / 1600))


def test_within_a_strip_the_place_is_uniform(parts: Draw) -> None:
    """Doornik's fault is a place that depends on the bits which chose the strip."""
    strip, value = parts(5, count=4_000_000).T
    edges = ziggurat.EXPONENTIAL_EDGES
    inner = edges[1:][strip.astype(int)]
    inside = (value < inner) & (strip > 0) & (strip < 1000)
    place = value[inside] / inner[inside]
    cells = (strip[inside].astype(int) % 32) * 50 + np.minimum((place * 50).astype(int), 49)
    chances = np.bincount(strip[inside].astype(int) % 32, minlength=32) / inside.sum()
    assert_chances(np.bincount(cells, minlength=1600), np.repeat(chances / 50, 50))


@pytest.mark.parametrize("dimension", [1, 2, 7])
def test_l2_laplace(parts: Draw, dimension: int) -> None:
    values = parts(0, 1.5, columns=dimension)
    length = np.sqrt((values**2).sum(axis=1))
    assert_continuous(length, stats.gamma(dimension, scale=1.5).cdf)
    assert_directions(values / length[:, None])


@pytest.mark.parametrize("dimension", [1, 3])
def test_uniform_ball(parts: Draw, dimension: int) -> None:
    values = parts(1, 2.0, columns=dimension)
    length = np.sqrt((values**2).sum(axis=1))
    assert_continuous(length, lambda r: (r / 2) ** dimension)
    assert_directions(values / length[:, None])


def assert_directions(units: Floats) -> None:
    """A coordinate of a uniform direction is 2 beta - 1 with both parameters (d - 1) / 2 (Archimedes for d = 3)."""
    d = units.shape[1]
    if d == 1:
        assert stats.binomtest(int((units > 0).sum()), len(units)).pvalue > LEAST_P
        return
    for i in range(d):
        assert_continuous(units[:, i], lambda x: stats.beta((d - 1) / 2, (d - 1) / 2).cdf((x + 1) / 2))
    assert_continuous(
        (units[:, 0] - units[:, 1]) / math.sqrt(2), lambda x: stats.beta((d - 1) / 2, (d - 1) / 2).cdf((x + 1) / 2)
    )


def test_vectors_of_no_law(parts: Draw) -> None:
    assert np.isnan(parts(0, 0.0, count=2)).all()
    assert np.isnan(parts(1, -1.0, count=2)).all()


@pytest.mark.parametrize("weights", [[1.0], [0.0, 2.0, 0.0, 1.0, 5.0, 0.0], [1e-190, 3e-190], [1e300, 0.0, 1e300]])
def test_weights(parts: Draw, weights: list[float]) -> None:
    places = parts(2, *weights)[:, 0].astype(int)
    assert all(weights[i] > 0 for i in set(places.tolist()))
    used = [i for i, w in enumerate(weights) if w > 0]
    assert_chances(np.bincount(places, minlength=len(weights))[used], np.array(weights)[used] / np.sum(weights))
    assert set(parts(2, 1e-300, 3e-300, count=2)[:, 0]) == {-2.0}
    assert set(parts(2, 1.0, -1.0, count=2)[:, 0]) == {-1.0}
