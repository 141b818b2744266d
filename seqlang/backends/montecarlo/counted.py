"""Successive runs of which only sums are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.montecarlo.moments import Whole
from seqlang.record import record


@record
class Counted:
    """The runs `first` .. `first + count - 1`, with the codes and numbers of `chunks.Chunk`.

    `ends` (codes, steps) is how many runs have the code UNSTOPPED + i and made j steps, at [i, j]. `apart` (3, some)
    are number, steps and code of the runs that are not in it: those that made more steps, or were broken off. `reports`
    tell how often each was made. `values`, `statistics` and `released` have an entry a run, as in a chunk."""

    first: int
    count: int
    ends: NDArray[np.int64]
    apart: NDArray[np.int64]
    reports: Mapping[str, Whole]
    values: NDArray[Any] | None
    statistics: Mapping[str, NDArray[Any]]
    released: Mapping[str, NDArray[Any]]
