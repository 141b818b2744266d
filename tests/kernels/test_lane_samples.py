"""The samplers of lanes: strips of equal areas that lie where they should, and the laws of what is drawn."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats
from thorough import several

from seqlang.backends.kernels.compiling import build
from seqlang.backends.kernels.runtime import lane_samples, packed_strips, refused_words
from seqlang.laws.variates.words import GOLDEN, splitmix64, uniform_of_word

TABLES = {
    "normal": (packed_strips.NORMAL_PACKED, stats.norm.pdf, stats.norm.sf),
    "exponential": (packed_strips.EXPONENTIAL_PACKED, stats.expon.pdf, stats.expon.sf),
}
"""Widths, and density and tail up to the same factor."""

EDGES = {law: [*(packed * 2.0**52).tolist(), 0.0] for law, (packed, _, _) in TABLES.items()}

COUNT = several(1_000_000, 4_000_000)
LAWS = {
    "uniform": stats.uniform(),
    "normal": stats.norm(),
    "exponential": stats.expon(),
    "laplace": stats.laplace(),
}

DRAWS = "def kernel(words, numbers):\n    for i in range(len(words)):\n        numbers[i] = {name}_of_word(words[i])\n"


@pytest.mark.parametrize("law", TABLES)
def test_strips_have_equal_areas(law: str) -> None:
    packed, density, tail = TABLES[law]
    edges = np.append(packed * 2.0**52, 0.0)
    heights = density(edges)
    lowest = edges[1] * heights[1] + tail(edges[1])
    areas = edges[1:-1] * np.diff(heights[1:])
    # ten bits of a width move a strip's height, a thousandth of the whole, by 1e-13 of the whole
    assert np.allclose(areas, lowest, rtol=2e-10, atol=0)
    assert abs(edges[0] * heights[1] / lowest - 1) < 1e-12
    assert np.abs(areas / lowest - 1).sum() / len(packed) / 2 < 2e-11


@pytest.mark.parametrize("law", TABLES)
def test_words_are_accepted_outright_only_below_the_density(law: str) -> None:
    packed, _, _ = TABLES[law]
    edges = np.append(packed * 2.0**52, 0.0)
    bounds = packed.view(np.int64) & 1023
    assert (bounds / 1024 * edges[:-1] <= edges[1:]).all()
    assert (bounds / 1024).mean() > 0.99


def under_the_curve(name: str, word: np.uint64) -> float:
    """Rejection as it is defined: a place counts if a height drawn between those of its edges is below the curve."""
    normal = name == "normal"
    edges = EDGES["normal" if normal else "exponential"]
    entry, place = (getattr(packed_strips, f"{part}_{name}") for part in ("entry", "place"))
    counter, sign, passed = word, 1.0, 0.0
    while True:
        strip, x = int(word) % 1024, packed_strips.packed_value(entry(word), place(word))
        if name == "laplace" and word == counter:  # the first word's side, and an exponential variate there
            sign, x = math.copysign(1.0, x), abs(x)
            entry, place = packed_strips.entry_exponential, packed_strips.place_exponential
        part = uniform_of_word(splitmix64(counter))
        if strip == 0 and abs(x) >= edges[1]:
            if normal:
                return math.copysign(refused_words.tail_of_normal(counter), x)
            passed += edges[1]
        else:
            curve, high, low = (math.exp(-0.5 * v * v if normal else -v) for v in (x, edges[strip + 1], edges[strip]))
            if strip == 0 or low + part * (high - low) < curve:
                return sign * (passed + x)
        word = splitmix64(counter + GOLDEN)
        if not packed_strips.packed_refused(entry(word), place(word)):
            return sign * (passed + packed_strips.packed_value(entry(word), place(word)))
        counter += GOLDEN + GOLDEN


@pytest.mark.parametrize("name", ["normal", "exponential", "laplace"])
def test_the_parabola_tells_what_the_curve_does(name: str) -> None:
    slow, entry, place = (
        getattr(lane_samples if part == "slow" else packed_strips, f"{part}_{name}")
        for part in ("slow", "entry", "place")
    )
    words = np.random.default_rng(3).integers(0, 2**64, 40_000, dtype=np.uint64)
    words[:30_000] |= np.uint64(0x7F) << np.uint64(56)  # towards the edges
    words[:20_000] ^= words[:20_000] & np.uint64(0x3E0)  # strips that end in the tail
    words[:10_000] |= np.uint64(0x3E0)  # strips near the top
    with np.errstate(over="ignore"):
        refused = [w for w in words if packed_strips.packed_refused(entry(w), place(w))]
        assert len(refused) > 8_000
        assert {int(w) % 1024 for w in refused} >= {*range(32), *range(992, 1024)}
        assert [slow(word) for word in refused] == [under_the_curve(name, word) for word in refused]


@pytest.mark.parametrize("law", TABLES)
def test_a_wedge_is_nearly_a_parabola(law: str) -> None:
    """At 400 places of each strip but the lowest, with room for the places between."""
    packed, density, _ = TABLES[law]
    edges = np.append(packed * 2.0**52, 0.0)
    outer, inner = edges[1:-1], edges[2:]
    middle = (outer + inner) / 2
    bend = (1 - middle**2) / middle if law == "normal" else -np.ones(len(middle))
    for part in np.linspace(0, 1, 401):
        height = (density(outer - part * (outer - inner)) - density(outer)) / (density(inner) - density(outer))
        parabola = part + bend / 2 * (outer - inner) * part * (1 - part)
        assert np.abs(height - parabola).max() < 0.7 * refused_words.WEDGE_DOUBT


def compiled(name: str) -> Callable[..., None]:
    scope: dict[str, Any] = {}
    exec(build.source(DRAWS.format(name=name)).replace("cache=True, ", ""), scope)
    function: Callable[..., None] = scope["kernel"]
    return function


@pytest.mark.parametrize("name", LAWS)
def test_variates_have_their_law(name: str) -> None:
    """Many draws in 1,000 cells of equal chance, and the far ends apart; and draws of refused words alone."""
    law, function = LAWS[name], compiled(name)
    words = np.random.default_rng(8).integers(0, 2**64, COUNT, dtype=np.uint64)
    numbers = np.empty(len(words))
    function(words, numbers)
    u = law.cdf(numbers)
    cells = np.bincount((u * 1000).astype(int).clip(0, 999), minlength=1000)
    assert stats.chisquare(cells).pvalue > 1e-4
    for end in (1e-5, 1e-4, 1e-3):
        for chance in (u < end, u > 1 - end):
            assert stats.binomtest(int(chance.sum()), len(words), end).pvalue > 1e-5
    # within a cell too: places in the strips near the top are told apart
    fine = np.bincount((u * 1e6).astype(int).clip(0, 999_999) % 1000, minlength=1000)
    assert stats.chisquare(fine).pvalue > 1e-4


def test_the_lowest_bit() -> None:
    with np.errstate(over="ignore"):
        for bit in range(64):
            mask = (0xF0F0F0F0F0F0F0F1 << bit) & (2**64 - 1)
            assert lane_samples.lowest_bit(np.uint64(mask)) == bit
