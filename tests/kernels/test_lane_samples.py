"""The samplers of lanes: strips of equal areas that lie where they should, and the laws of what is drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from seqlang.backends.kernels import build
from seqlang.backends.kernels.runtime import lane_samples

TABLES = {
    "normal": (lane_samples.NORMAL_PACKED, stats.norm.pdf, stats.norm.sf),
    "exponential": (lane_samples.EXPONENTIAL_PACKED, stats.expon.pdf, stats.expon.sf),
}
"""Widths, and density and tail up to the same factor."""

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


def compiled(name: str) -> Callable[..., None]:
    scope: dict[str, Any] = {}
    exec(build.source(DRAWS.format(name=name)).replace("cache=True, ", ""), scope)
    function: Callable[..., None] = scope["kernel"]
    return function


@pytest.mark.parametrize("name", LAWS)
def test_variates_have_their_law(name: str) -> None:
    """4,000,000 draws in 1,000 cells of equal chance, and the far ends apart; and draws of refused words alone."""
    law, function = LAWS[name], compiled(name)
    words = np.random.default_rng(8).integers(0, 2**64, 4_000_000, dtype=np.uint64)
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
