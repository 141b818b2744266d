"""Intervals that hold at all looks together: published widths, and exact chances over all that can be released."""

from __future__ import annotations

from itertools import product
from math import exp

import numpy as np
import pytest
from published import Tell
from scipy import stats

from seqlang.driver import load
from seqlang.monitoring.estimates import by_number
from seqlang.monitoring.evidence import GRID, ByChance, Pair
from seqlang.monitoring.family import family_of
from seqlang.monitoring.paths import Paths
from seqlang.monitoring.released import Released
from seqlang.source import Source

SIZE, LOOKS, TRUE = 100, 10, 0.3
WIDTHS = [
    # eps, published widths after 100, 500 and 1000 entries, each the mean over 150 runs of the width at that look alone
    (None, (0.285, 0.141, 0.102)),
    (1.0, (0.298, 0.146, 0.107)),
    (0.5, (0.338, 0.164, 0.119)),
    (0.1, (0.759, 0.380, 0.275)),
]


def noise_of(eps: float | None) -> tuple[np.ndarray, np.ndarray]:
    if eps is None:
        return np.zeros(1), np.ones(1)
    values = np.arange(-int(45 / eps), int(45 / eps) + 1.0)
    return values, stats.dlaplace.pmf(values, eps)


@pytest.mark.parametrize(
    ("eps", "widths"), [WIDTHS[1], *(pytest.param(*WIDTHS[i], marks=pytest.mark.long) for i in (0, 2, 3))]
)
def test_published_confidence_sequences(
    eps: float | None, widths: tuple[float, ...], request: pytest.FixtureRequest, published: Tell
) -> None:
    """Prior: even on (0, 1). Level .95. Ten blocks of 100 coins of chance .3: how often some look misses it. Intervals
    are told by the places of the grid next to the set, of which the width was published."""
    runs = 10_000 if request.config.getoption("--long") else 40
    known, random = ByChance(noise_of(eps), eps is not None), np.random.default_rng(5)
    released = random.binomial(SIZE, TRUE, (runs, LOOKS))
    if eps is not None:
        released = (
            released
            + random.geometric(1 - exp(-eps), (2, runs, LOOKS))[0]
            - random.geometric(1 - exp(-eps), (runs, LOOKS))
        )
    missed, wide = 0, np.zeros((runs, LOOKS))
    for i, values in enumerate(released.tolist()):
        found = [known.interval([(SIZE, v) for v in values[: k + 1]], 0.95) for k in range(LOOKS)]
        wide[i] = [high - low for low, high in found]
        missed += any(not low <= TRUE <= high for low, high in found)
    assert missed / runs <= 0.05 + (0 if runs > 1000 else 3 * (0.05 * 0.95 / runs) ** 0.5)
    assert missed > 0 or runs < 1000  # intervals that exclude nothing would cover too
    what = "without privacy" if eps is None else f"eps {eps:g}"
    published(f"Confidence sequences, {runs} runs: coverage at all looks, .95 promised", what, 1 - missed / runs, 0.95)
    for look, width in zip((1, 5, 10), widths, strict=True):
        seen = wide[:, look - 1] - 2 / GRID
        allowed = 0.0005 + 3 * seen.std() * (1 / runs + 1 / 150) ** 0.5
        published("Confidence sequences: mean width", f"{what}, after {100 * look} entries", seen.mean(), width)
        assert seen.mean() == pytest.approx(width, abs=allowed)


TEXT = """
algorithm counts
stream x in 0..
model null: x ~ poisson(1)
model alternative: x ~ poisson(2)
memory score = 0
report block when sum(1 since block) >= 4
report total = sum(clip(x, 0, 2) since block) when block
update score = score + clip(total, 0, 8) when block
stop when score >= 20 return reject
stop when block and score <= 1 return accept
attach geometric(exp(-1)) to total
"""


def held(sums: np.ndarray) -> np.ndarray:
    """The law of the noisy sum, held within 0 and the largest sum."""
    found = np.zeros(len(sums))
    for (total, mass), noise in product(enumerate(sums), range(-45, 46)):
        found[min(max(total + noise, 0), len(sums) - 1)] += mass * stats.dlaplace.pmf(noise, 1)
    return found


def test_a_mean_is_held_at_two_looks_together() -> None:
    """All pairs of what two blocks of 4 counts release, each read as 0, 1 or at least 2."""
    paths = Paths(load(Source("counts", TEXT)).program, ("null", "alternative"))
    family = family_of(paths.program, ("null", "alternative"))
    assert (family.about, family.ends) == ("the mean of x ~ poisson", (0.0, float("inf")))
    null = Released(paths.laws(paths.program, "null"), ("total",), frozenset({"total"}))
    known = by_number(paths, family, null)
    intervals = {
        pair: (known.interval([(4, pair[0])], 0.8), known.interval([(4, p) for p in pair], 0.8))
        for pair in product(range(9), repeat=2)
    }
    misses = []
    for mean in (0.4, 1.0, 1.7, 2.6, 4.0):
        entry = np.array([exp(-mean), mean * exp(-mean), 1 - exp(-mean) * (1 + mean)])
        law = held(np.convolve(np.convolve(entry, entry), np.convolve(entry, entry)))
        misses.append(sum(
            law[a] * law[b] for (a, b), found in intervals.items()
            if any(not low <= mean <= high for low, high in found)
        ))  # fmt: skip
    assert max(misses) <= 0.2
    assert max(misses) > 0.02
    assert intervals[8, 8][1][1] == float("inf") and intervals[0, 0][1][0] == 0.0
    assert known.interval([(4, 30.0)], 0.8) == known.interval([(4, 8.0)], 0.8)  # further out tells no more


def test_a_difference_of_chances_is_held_at_two_looks_together() -> None:
    """All counts that two blocks of 4 and 3 coins in two arms release."""
    arms = [ByChance(noise_of(1.0), True, 101) for _ in range(2)]
    listed = list(product(range(5), range(4)))
    found = {}
    for first, second in product(listed, repeat=2):
        blocks = ([(4, first[0]), (4, second[0])], [(3, first[1]), (3, second[1])])
        found[first, second] = Pair(*arms, blocks).difference(0.8)
        if first not in found:
            found[first] = Pair(*arms, ([(4, first[0])], [(3, first[1])])).difference(0.8)
    for p, q in ((0.2, 0.9), (0.5, 0.5), (0.95, 0.1)):
        laws = [held(stats.binom.pmf(np.arange(n + 1), n, r)) for n, r in ((4, p), (3, q))]
        chance = {place: laws[0][place[0]] * laws[1][place[1]] for place in listed}
        missed = sum(
            chance[a] * chance[b] for a, b in product(listed, repeat=2)
            if any(not low <= q - p <= high for low, high in (found[a], found[a, b]))
        )  # fmt: skip
        assert missed <= 0.2
    assert found[(0, 3), (0, 3)][0] > 0 > found[(4, 0), (4, 0)][1]
