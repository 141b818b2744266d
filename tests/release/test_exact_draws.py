"""Exact draws: the law of each sampler by enumeration of its coins, and by a million draws."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction

import pytest
from scipy.stats import binomtest, chi2

from seqlang.release.exact import samplers

LEAST = Fraction(1, 10**4)
"""Paths of coins that are less likely than this are not followed."""


class _Open(Exception):
    """The path asks for a coin that was not thrown yet."""


def law(draw: Callable[[samplers.Below], object]) -> tuple[dict[object, Fraction], Fraction]:
    """The chances of all results along likely paths, and the chance of the paths that were not followed: every coin of
    the sampler is thrown both ways. Nothing here knows what the sampler does."""
    found: Counter[object] = Counter()
    left = Fraction(0)
    waiting: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    while waiting:
        thrown, chance = waiting.pop()
        sides: list[int] = []

        path = iter(thrown)

        def below(n: int, path: Iterator[int] = path, sides: list[int] = sides) -> int:
            for face in path:
                return face
            sides.append(n)
            raise _Open

        try:
            found[draw(below)] += chance  # type: ignore[assignment]
        except _Open:
            (n,) = sides
            if chance / n < LEAST:
                left += chance
            else:
                waiting += [((*thrown, face), chance / n) for face in range(n)]
    return dict(found), left  # type: ignore[arg-type]


@pytest.mark.parametrize("r", [Fraction(0), Fraction(1, 3), Fraction(1), Fraction(5, 2)])
def test_the_exponential_coin(r: Fraction) -> None:
    found, left = law(lambda below: samplers.bernoulli_exp(r, below))
    assert left < Fraction(1, 100)
    assert float(found[True]) <= math.exp(-r) + 1e-12 <= float(found[True] + left) + 2e-12


@pytest.mark.parametrize(
    ("draw", "weight"),
    [
        (lambda below: samplers.geometric_exp(Fraction(2), below), lambda k: math.exp(-2 * abs(k))),
        (lambda below: samplers.geometric_exp(Fraction(3, 2), below), lambda k: math.exp(-1.5 * abs(k))),
        (lambda below: samplers.geometric(Fraction(1, 3), below), lambda k: 3.0 ** -abs(k)),
        (lambda below: samplers.discrete_gaussian(Fraction(1, 4), below), lambda k: math.exp(-2 * k * k)),
    ],
    ids=["exp(-2)", "exp(-3/2)", "1/3", "gaussian"],
)
def test_laws_on_the_whole_numbers(draw: Callable[[samplers.Below], int], weight: Callable[[int], float]) -> None:
    found, left = law(draw)
    total = sum(weight(k) for k in range(-60, 61))
    assert left < Fraction(3, 5)
    for k in range(-3, 4):
        chance = float(found.get(k, 0))
        assert chance <= weight(k) / total + 1e-12
        assert weight(k) / total <= chance + float(left) + 1e-12


def test_a_listed_law() -> None:
    pairs = [("a", Fraction(1, 6)), ("b", Fraction(1, 3)), ("a", Fraction(1, 2))]
    found, left = law(lambda below: samplers.listed(pairs, below))
    assert left == 0 and found == {"a": Fraction(2, 3), "b": Fraction(1, 3)}


def agrees(draws: list[int], weight: Callable[[int], float]) -> float:
    """The p-value of a chi-squared test; the rarest values are one cell."""
    count, total = Counter(draws), sum(weight(k) for k in range(-4000, 4001))
    cells = [k for k in range(-4000, 4001) if weight(k) / total * len(draws) > 20]
    expected = [weight(k) / total * len(draws) for k in cells]
    seen = [count[k] for k in cells]
    rest, others = len(draws) - sum(expected), len(draws) - sum(seen)
    statistic = sum((s - e) ** 2 / e for s, e in zip(seen, expected, strict=True))
    if rest > 5:
        statistic += (others - rest) ** 2 / rest
    return float(chi2.sf(statistic, len(cells) - (rest <= 5)))


SAMPLERS = [
    (lambda below: samplers.geometric_exp(Fraction(1, 7), below), lambda k: math.exp(-abs(k) / 7)),
    (lambda below: samplers.geometric(Fraction(9, 10), below), lambda k: 0.9 ** abs(k)),
    (lambda below: samplers.discrete_gaussian(Fraction(30), below), lambda k: math.exp(-k * k / 60)),
]


@pytest.mark.parametrize("runs", [5_000, pytest.param(1_000_000, marks=pytest.mark.long)])
@pytest.mark.parametrize(("draw", "weight"), SAMPLERS, ids=["exp(-1/7)", "9/10", "gaussian"])
def test_many_draws(draw: Callable[[samplers.Below], int], weight: Callable[[int], float], runs: int) -> None:
    coins = random.Random(5)
    assert agrees([draw(coins.randrange) for _ in range(runs)], weight) > 1e-4
    wrong = [k * coins.choice((1, 1, 1, 2)) for k in (draw(coins.randrange) for _ in range(runs))]
    assert agrees(wrong, weight) < 1e-3  # the test notices a draw of four that is doubled


def test_only_chances_are_thrown() -> None:
    for p in (Fraction(-1, 2), Fraction(3, 2)):
        with pytest.raises(ValueError, match="probability"):
            samplers.bernoulli(p, samplers.SYSTEM)
    for bad in (lambda: samplers.geometric(Fraction(1), samplers.SYSTEM),
                lambda: samplers.geometric_exp(Fraction(0), samplers.SYSTEM),
                lambda: samplers.discrete_gaussian(Fraction(0), samplers.SYSTEM),
                lambda: samplers.bernoulli_exp(Fraction(-1), samplers.SYSTEM)):  # fmt: skip
        with pytest.raises(ValueError):
            bad()


def together(first: list[int], second: list[int]) -> float:
    """The p-value of a chi-squared test that two samples of one size have one law; the rarest values are one cell."""
    mine, other = Counter(first), Counter(second)
    cells = [k for k in set(mine) | set(other) if mine[k] + other[k] > 40]
    pairs = [(mine[k], other[k]) for k in cells]
    pairs.append((len(first) - sum(a for a, _ in pairs), len(second) - sum(b for _, b in pairs)))
    statistic = sum((a - b) ** 2 / (a + b) for a, b in pairs if a + b)
    return float(chi2.sf(statistic, len(cells) - (pairs[-1] == (0, 0))))


def tails(draws: list[int], weight: Callable[[int], float]) -> float:
    """The least p-value of the counts in tails on both sides, of some 1,000, 100 and 10 draws."""
    total = sum(weight(k) for k in range(-4000, 4001))
    found = 1.0
    for expected in (1000, 100, 10):
        start = next(t for t in range(4000) if sum(weight(k) for k in range(t, 4001)) / total * len(draws) < expected)
        chance = sum(weight(k) for k in range(start, 4001)) / total
        for sign in (1, -1):
            count = sum(sign * k >= start for k in draws)
            found = min(found, float(binomtest(count, len(draws), chance).pvalue))
    return found


@pytest.mark.long
@pytest.mark.parametrize("law", ["laplace", "gaussian"])
@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(3), Fraction(20)])
def test_the_samplers_of_opendp_agree(law: str, scale: Fraction) -> None:
    """A second implementation, by others: a million draws of each. Another scale, of theirs, is noticed."""
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    runs, coins, domain = 1_000_000, random.Random(6), dp.vector_domain(dp.atom_domain(T=int))

    def theirs(by: float, count: int) -> list[int]:
        if law == "laplace":
            noise = dp.m.make_laplace(domain, dp.l1_distance(T=int), scale=by)
        else:
            noise = dp.m.make_gaussian(domain, dp.l2_distance(T=float), scale=by)
        return list(noise([0] * count))

    def weight(k: int) -> float:
        return math.exp(-abs(k) / scale) if law == "laplace" else math.exp(-k * k / (2 * scale**2))

    if law == "laplace":
        ours = [samplers.geometric_exp(1 / scale, coins.randrange) for _ in range(runs)]
    else:
        ours = [samplers.discrete_gaussian(scale**2, coins.randrange) for _ in range(runs)]
    their, wrong = theirs(float(scale), runs), theirs(1.1 * float(scale), runs // 10)
    assert together(ours, their) > 1e-6 > together(ours[: runs // 10], wrong)
    assert tails(ours, weight) > 1e-6 and tails(their, weight) > 1e-6 > tails(wrong, weight)
