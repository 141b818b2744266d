"""The generator against its published outputs, and the streams' independence of each other's company."""

from __future__ import annotations

import numpy as np

from seqlang.backends.arrays.streams import Source, Streams, _advance, as_uniform, splitmix64


def test_xoshiro256_plus_plus_has_the_published_outputs():
    """State 1, 2, 3, 4: the first outputs of Blackman and Vigna's C code."""
    state = np.array([[1], [2], [3], [4]], dtype=np.uint64)
    spare = np.empty(1, np.uint64), np.empty(1, np.uint64)
    outputs = [int(_advance(state, *spare)[0]) for _ in range(5)]
    assert outputs == [41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205]


def test_splitmix64_has_the_published_outputs():
    """Seed 1234567, counting up by the golden gamma."""
    golden = 0x9E3779B97F4A7C15
    counters = np.array([(1234567 + i * golden) % 2**64 for i in range(3)], dtype=np.uint64)
    assert splitmix64(counters).tolist() == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_a_run_draws_the_same_whatever_stands_beside_it():
    alone = Streams(5, np.array([7]), "noise")
    many = Streams(5, np.arange(20), "noise")
    assert [alone.uniform()[0] for _ in range(3)] == [many.uniform()[7] for _ in range(3)]
    some = many.uniform(np.array([3, 7]))
    assert some[1] == alone.uniform()[0]
    many.keep(np.array([1, 7]))
    assert many.uniform()[1] == alone.uniform()[0]
    vector = Source(many, None).uniform((2,))
    assert vector[:, 1].tolist() == [alone.uniform()[0] for _ in range(2)]


def test_seeds_runs_and_purposes_differ():
    first = [
        Streams(seed, np.arange(3), purpose).uniform().tolist() for seed in (1, 2, -1, 10**30) for purpose in ("a", "b")
    ]
    flat = [v for part in first for v in part]
    assert len(set(flat)) == len(flat)
    assert all(0 < v < 1 for v in flat)


def test_uniforms_are_uniform_across_runs_and_along_a_run():
    from scipy import stats

    streams = Streams(1, np.arange(20_000), "noise")
    assert stats.kstest(streams.uniform(), "uniform").pvalue > 1e-4
    one = Streams(1, np.array([0]), "noise")
    assert stats.kstest([one.uniform()[0] for _ in range(5000)], "uniform").pvalue > 1e-4


def test_no_word_becomes_0_or_1() -> None:
    words = np.array([0, (1 << 64) - 1, 1 << 63], dtype=np.uint64)
    assert as_uniform(words, np.empty(3)).tolist() == [2.0**-54, 1 - 2.0**-53, 0.5 + 2.0**-54]
