"""Random numbers by name: seed, noise, run and life determine them, however the steps are computed.

The words are those of SplitMix64 (Steele, Lea and Flood 2014), started at a place that the same mixing function makes
of the name: a generator by counter, so that a noise of some later step can be drawn before those of earlier steps, and
drawn again with the same value.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.simulate.streams import Floats, Rows, Source, Words, as_uniform, splitmix64

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_RUNS = np.uint64(0xD1342543DE82EF95)
_LIVES = np.uint64(0xAF251AF3B0F025B5)  # odd, so that different lives of a run have different starts


class Keys:
    """The keys of one noise for some runs."""

    def __init__(self, seed: int, name: str) -> None:
        digest = hashlib.blake2b(f"{seed} {name}".encode(), digest_size=8).digest()
        self.key = np.uint64(int.from_bytes(digest, "big"))

    def source(self, runs: NDArray[np.int64], lives: Any) -> Source:
        """The numbers of these runs in these lives (one for all, or one for each run)."""
        with np.errstate(over="ignore"):
            own = splitmix64(self.key + runs.astype(np.uint64) * _RUNS)
            starts = splitmix64(own + np.asarray(lives).astype(np.uint64) * _LIVES)
        return Source(Counted(np.broadcast_to(starts, runs.shape)), None)  # type: ignore[arg-type]


class Counted:
    """Streams whose j-th number is a function of the start and of j."""

    def __init__(self, starts: Words) -> None:
        self.state = starts[None]
        self.at = 0

    def uniform(self, rows: Rows | None = None) -> Floats:
        """The next number of each stream (or of the streams `rows`), uniform on the open interval (0, 1)."""
        starts = self.state[0] if rows is None else self.state[0, rows]
        self.at += 1
        with np.errstate(over="ignore"):
            words = splitmix64(starts + np.uint64(self.at) * _GOLDEN)
        return as_uniform(words, np.empty(len(words)))

    def fill(self, table: Floats, rows: Rows | None) -> None:
        """The next numbers of each stream (or of the streams `rows`), one row of `table` after the other."""
        starts = self.state[0] if rows is None else self.state[0, rows]
        counts = np.arange(self.at + 1, self.at + 1 + len(table), dtype=np.uint64)
        self.at += len(table)
        with np.errstate(over="ignore"):
            words = splitmix64(starts + counts[:, None] * _GOLDEN)
        as_uniform(words, table)
