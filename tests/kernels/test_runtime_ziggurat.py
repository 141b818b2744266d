"""The ziggurats' tables against their definition, and the fast paths of single words (plain Python)."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
import pytest

from seqlang.laws.variates import ziggurat

Exact = Callable[[Any], Any]


def normal_density(x: Any) -> Any:
    return mpmath.exp(-x * x / 2)


def normal_tail(x: Any) -> Any:
    return mpmath.sqrt(mpmath.pi / 2) * mpmath.erfc(x / mpmath.sqrt(2))


def exponential_density(x: Any) -> Any:
    return mpmath.exp(-x)


ZIGGURATS: list[tuple[Any, float, Exact, Exact]] = [
    (ziggurat.NORMAL_EDGES, ziggurat.NORMAL_EDGE, normal_density, normal_tail),
    (ziggurat.EXPONENTIAL_EDGES, ziggurat.EXPONENTIAL_EDGE, exponential_density, exponential_density),
]


@pytest.mark.parametrize(("edges", "edge", "density", "tail"), ZIGGURATS)
def test_strips_have_equal_areas(edges: Any, edge: float, density: Exact, tail: Exact) -> None:
    """The lowest strip is a rectangle up to the edge, and the tail; the uppermost one ends at the mode."""
    assert len(edges) == 1025
    assert edges[1] == edge
    assert edges[1024] == 0
    with mpmath.workdps(30):
        x = [mpmath.mpf(float(e)) for e in edges]
        area = x[1] * density(x[1]) + tail(x[1])
        assert float(abs(x[0] * density(x[1]) / area - 1)) < 1e-14
        heights = [density(b) - density(a) for a, b in pairwise(x[1:])]
        assert max(float(abs(a * h / area - 1)) for a, h in zip(x[1:], heights, strict=False)) < 3e-12


@pytest.mark.parametrize(
    ("edges", "width", "inner"),
    [
        (ziggurat.NORMAL_EDGES, ziggurat.NORMAL_WIDTH, ziggurat.NORMAL_INNER),
        (ziggurat.EXPONENTIAL_EDGES, ziggurat.EXPONENTIAL_WIDTH, ziggurat.EXPONENTIAL_INNER),
    ],
)
def test_what_is_accepted_outright_lies_under_the_density(edges: Any, width: Any, inner: Any) -> None:
    assert np.allclose(inner * width, edges[1:], rtol=1e-15, atol=0)
    assert np.allclose(width * 2.0**52, edges[:-1], rtol=1e-15, atol=0)
    assert 0.993 < (edges[1:] / edges[:-1]).mean() < 1


def word(strip: int, place: int) -> np.uint64:
    """`place` is 53 bits."""
    return np.uint64(place << 11 | strip)


def test_the_parts_of_a_word_do_not_overlap() -> None:
    for strip in (0, 1, 511, 1023):
        for place in (0, 1, 2**52 - 1, 2**52, 2**53 - 1):
            for between in (0, 1 << 10):
                w = np.uint64(int(word(strip, place)) | between)
                signed = place if place < 2**52 else place - 2**53
                assert ziggurat.strip_of(w) == strip
                assert ziggurat.signed_place(w) == signed + 0.5
                assert ziggurat.positive_place(w) == (place >> 1) + 0.5


def test_the_normal_law_is_exactly_symmetric() -> None:
    """Inverting the place's bits inverts the sign and nothing else."""
    value, accepted = ziggurat.normal_value, ziggurat.normal_accepted
    random = np.random.default_rng(3)
    for strip, place in zip(random.integers(1024, size=300), random.integers(2**53, size=300), strict=True):
        one, other = word(int(strip), int(place)), word(int(strip), 2**53 - 1 - int(place))
        assert value(one) == -value(other) != 0
        assert accepted(one) == accepted(other)


def test_values_at_the_ends_of_a_strip() -> None:
    assert math.isclose(ziggurat.normal_value(word(7, 2**52 - 1)), ziggurat.NORMAL_EDGES[7], rel_tol=1e-15)
    assert not ziggurat.normal_accepted(word(7, 2**52 - 1))
    assert not ziggurat.normal_accepted(word(1023, 0))  # the uppermost strip has nothing wholly below the density
    assert ziggurat.normal_accepted(word(1022, 0))
    assert 0 < ziggurat.exponential_value(word(5, 0)) < 1e-15
    assert ziggurat.exponential_accepted(word(0, 2**52))
    assert not ziggurat.exponential_accepted(word(0, 2**53 - 1))
