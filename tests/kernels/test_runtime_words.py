"""Streams of the run-time, run as plain Python: the numpy engine's states, and the generators' published outputs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np
import pytest

from seqlang.backends.arrays.streams import Streams
from seqlang.laws.variates.words import (
    LARGEST_BELOW_ONE,
    next_word,
    seed_stream,
    uniform,
    uniform_of_word,
    words_below,
)


@pytest.fixture(autouse=True)
def _words_wrap() -> Iterator[None]:
    """As they do in compiled code."""
    with np.errstate(over="ignore"):
        yield


def test_published_outputs() -> None:
    """State 1, 2, 3, 4: the first outputs of Blackman and Vigna's C code."""
    s = np.array([1, 2, 3, 4], np.uint64)
    outputs = [int(next_word(s)) for _ in range(10)]
    assert outputs == [
        41943041,
        58720359,
        3588806011781223,
        3591011842654386,
        9228616714210784205,
        9973669472204895162,
        14011001112246962877,
        12406186145184390807,
        15849039046786891736,
        10450023813501588000,
    ]


@pytest.mark.parametrize("seed", [0, 5, -3, 10**30])
@pytest.mark.parametrize("purpose", ["noise", "inputs"])
def test_streams_are_those_of_the_numpy_engine(seed: int, purpose: str) -> None:
    runs = np.array([0, 1, 7, 2**40 + 3, 2**62 - 1])
    streams = Streams(seed, runs, purpose)
    start = int.from_bytes(hashlib.blake2b(f"{purpose} {seed}".encode(), digest_size=8).digest(), "big")
    states = np.empty((len(runs), 4), np.uint64)
    for s, run in zip(states, runs, strict=True):
        seed_stream(s, np.uint64(start), run)
    assert np.array_equal(states.T, streams.state)
    for _ in range(20):
        assert [uniform(s) for s in states] == streams.uniform().tolist()
    assert np.array_equal(states.T, streams.state)


def test_uniforms_are_open() -> None:
    """The half above the largest 53 bits rounds to 1."""
    words = [0, 2**11 - 1, 2**63, 2**64 - 2**12, 2**64 - 1]
    exact = [2.0**-54, 2.0**-54, 0.5, 1 - 2.0**-52, 1 - 2.0**-53]
    assert [uniform_of_word(np.uint64(w)) for w in words] == exact
    assert LARGEST_BELOW_ONE < 1.0


@pytest.mark.parametrize(
    "p", [0.3, 0.5, 1 / 3, 1e-9, 2.0**-54, 3 * 2.0**-54, 1 - 2.0**-53, 1 - 2.0**-52, 0.75 + 2.0**-53]
)
def test_words_below_a_chance_are_those_whose_variates_are(p: float) -> None:
    number = int(words_below(p))
    near = [j for j in range(number - 3, number + 3) if 0 <= j < 1 << 53]
    assert [uniform_of_word(np.uint64(j << 11)) < p for j in near] == [j < number for j in near]
    assert number / 2**53 == pytest.approx(p, abs=2.0**-53)


def test_words_below_what_is_no_chance() -> None:
    assert [int(words_below(p)) for p in (-1.0, 0.0, 1.0, 2.0, float("nan"))] == [0, 0, 2**53, 2**53, 0]
