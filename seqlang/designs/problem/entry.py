"""The law of one entry under a hypothesis: chances of the whole numbers 0 .. range."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlog1py, xlogy

from seqlang.designs.data.data_law import DataLaw
from seqlang.designs.problem.decimal import decimal
from seqlang.record import record

Array = NDArray[np.float64]
Arms = tuple[tuple[Fraction, ...], ...]
"""The chances of the levels of an entry in every arm; in the one arm that there is."""


@record
class Entry:
    """`chances[v]` is the chance of the level v, v = 0 .. range; they add up to 1. `text` is the law as the language
    writes it. `law`: that of the entry itself, where it is no coin; its levels are then those of a reading, and there
    are none before there is one. `second`: the chances in the second of two arms; `chances` are then those in the
    first, and `text` has both."""

    text: str
    chances: tuple[Fraction, ...]
    law: DataLaw | None = None
    second: tuple[Fraction, ...] | None = None

    @property
    def arms(self) -> Arms:
        """The chances in every arm."""
        return (self.chances,) if self.second is None else (self.chances, self.second)

    @property
    def range(self) -> int:
        """The largest value: by so much a replaced entry can move a sum."""
        return len(self.chances) - 1


def coin(p: Fraction) -> Entry:
    """One flip that shows 1 with chance p."""
    return Entry(f"bernoulli({decimal(p)})", (1 - p, p))


def two_coins(names: tuple[str, str], first: Fraction, second: Fraction) -> Entry:
    """One flip, whose chance to show 1 depends on the arm that it is in."""
    text = ", ".join(f"{name} ~ bernoulli({decimal(p)})" for name, p in zip(names, (first, second), strict=True))
    return Entry(text, (1 - first, first), second=(1 - second, second))


def law_of_sum(chances: Sequence[Fraction], size: int) -> Array:
    """The chances of 0 .. size * range for the sum of `size` independent entries; relative error about 1e-13."""
    if len(chances) == 2:
        return _binomial(size, float(chances[1]))
    power, base, rest = np.ones(1), np.array([float(c) for c in chances]), size
    while rest:
        if rest & 1:
            power = np.convolve(power, base)
        rest >>= 1
        if rest:
            base = np.convolve(base, base)
    return power


def _binomial(size: int, p: float) -> Array:
    ones = np.arange(size + 1.0)
    logs = gammaln(size + 1) - gammaln(ones + 1) - gammaln(size - ones + 1) + xlogy(ones, p) + xlog1py(size - ones, -p)
    law = np.exp(logs)
    return np.asarray(law / law.sum())
