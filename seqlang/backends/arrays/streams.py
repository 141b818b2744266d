"""One random stream a run: xoshiro256++ (Blackman and Vigna 2021), all runs side by side in arrays.

A run's stream depends on the seed and on the run's number only. What a run draws therefore never depends on which
other runs are computed with it, nor on when finished runs are dropped.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]
Rows = NDArray[np.intp]

_GOLDEN = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1


def splitmix64(counter: Words) -> Words:
    """Steele, Lea and Flood's mixing function, a bijection of 64-bit words: distinct counters give distinct words."""
    z = counter + np.uint64(_GOLDEN)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def stream_start(seed: int, purpose: str) -> int:
    """The word with which the streams of a seed begin."""
    import hashlib  # 5 ms, which `solve`, a reader of the arrays alone, need not pay

    return int.from_bytes(hashlib.blake2b(f"{purpose} {seed}".encode(), digest_size=8).digest(), "big")


class Streams:
    """The streams of some runs. `purpose` keeps the noise apart from the inputs: the same data for any mechanism."""

    def __init__(self, seed: int, runs: NDArray[np.int64], purpose: str) -> None:
        start = stream_start(seed, purpose)
        counters = runs.astype(np.uint64) * np.uint64(4 * _GOLDEN & _MASK)
        self.state = np.empty((4, len(runs)), dtype=np.uint64)
        for i in range(4):
            self.state[i] = splitmix64(counters + np.uint64(start + i * _GOLDEN & _MASK))
        self._reserve()

    def _reserve(self) -> None:
        size = self.state.shape[1]
        self._a = np.empty(size, dtype=np.uint64)
        self._b = np.empty(size, dtype=np.uint64)

    def keep(self, rows: Rows) -> None:
        """Forgets all streams but these."""
        self.state = np.ascontiguousarray(self.state[:, rows])
        self._reserve()

    def uniform(self, rows: Rows | None = None) -> Floats:
        """The next number of each stream (or of the streams `rows` only), uniform on the open interval (0, 1)."""
        if rows is None:
            words = _advance(self.state, self._a, self._b)
        else:
            some = self.state[:, rows]
            words = _advance(some, np.empty(len(rows), np.uint64), np.empty(len(rows), np.uint64))
            self.state[:, rows] = some
        return as_uniform(words, np.empty(len(words)))

    def fill(self, table: Floats, rows: Rows | None) -> None:
        """The next numbers of each stream (or of the streams `rows`), one row of `table` after the other."""
        state = self.state if rows is None else self.state[:, rows]
        a, b = np.empty(table.shape[1], np.uint64), np.empty(table.shape[1], np.uint64)
        for row in table:
            as_uniform(_advance(state, a, b), row)
        if rows is not None:
            self.state[:, rows] = state


def as_uniform(words: Words, result: Floats) -> Floats:
    """53 bits and a half over 2^53, the largest (which would be rounded to 1) less: neither 0 nor 1 occurs. `words` are
    used up."""
    np.right_shift(words, np.uint64(11), out=words)
    result[:] = words.view(np.int64)
    result += 0.5
    result *= 2.0**-53
    np.minimum(result, 1 - 2.0**-53, out=result)
    return result


_17, _19, _23, _41, _45 = (np.uint64(k) for k in (17, 19, 23, 41, 45))


def _advance(state: Words, a: Words, b: Words) -> Words:
    """One step of xoshiro256++ in place; the outputs stand in `a` until the next call."""
    s0, s1, s2, s3 = state
    np.add(s0, s3, out=a)
    np.left_shift(a, _23, out=b)
    np.right_shift(a, _41, out=a)
    np.bitwise_or(a, b, out=a)
    np.add(a, s0, out=a)
    np.left_shift(s1, _17, out=b)
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= b
    np.left_shift(s3, _45, out=b)
    np.right_shift(s3, _19, out=s3)
    s3 |= b
    return a


class Source:
    """The streams of the runs that are being evaluated: all of them, or `rows`."""

    __slots__ = ("count", "rows", "streams")

    def __init__(self, streams: Streams, rows: Rows | None) -> None:
        self.streams = streams
        self.rows = rows
        self.count = streams.state.shape[1] if rows is None else len(rows)

    def uniform(self, shape: tuple[int, ...] = ()) -> Floats:
        """Uniforms of that shape for each run; the runs are the last axis."""
        if not shape:
            return self.streams.uniform(self.rows)
        result = np.empty((*shape, self.count))
        self.streams.fill(result.reshape(-1, self.count), self.rows)
        return result
