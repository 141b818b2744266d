"""Half of a linear program that is its own mirror image.

If exchanging its variables in pairs maps a program to itself, then the mean of a solution and its image is a solution
too, at the same cost. So the least cost is that of solutions in which both variables of a pair are equal, and one
variable for both is enough. A row that is then written twice is kept once. A row without a positive entry and with a
right side of 0 or more holds by itself, and is left out. What is left has no sum of two entries that cancel each other,
so that the rounding of its entries is relatively as small as before."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

Rows = tuple[Any, NDArray[np.float64]]
"""A sparse matrix, and what stands on the right of each row."""


def fold(places: NDArray[np.intp]) -> Any:
    """(variables, pairs): which pair a variable is in. `places`: the variable that each is exchanged with."""
    _, pair = np.unique(np.minimum(places, np.arange(len(places))), return_inverse=True)
    return csr_matrix((np.ones(len(places)), (np.arange(len(places)), pair)))


def folded(rows: Rows, places: NDArray[np.intp], limits: bool) -> Rows | None:
    """The rows with a variable for each pair; None where the exchange does not map them to themselves. `limits`: the
    left sides of the rows are the right ones at most, else they are equal."""
    matrix, right = rows
    image = csr_matrix(matrix)[:, places]
    if set(_keys(matrix, right)) != set(_keys(image, right)):
        return None
    halves = csr_matrix(matrix @ fold(places))
    kept = sorted({key: row for row, key in enumerate(_keys(halves, right))}.values())
    if limits:
        above = np.asarray(halves.max(axis=1).todense()).ravel() > 0
        kept = [row for row in kept if above[row] or right[row] < 0]
    halves, sizes = halves[kept], (abs(csr_matrix(matrix)) @ fold(places))[kept]
    if (abs(halves) != sizes).nnz:
        return None  # entries cancel
    return halves, right[kept]


def _keys(matrix: Any, right: NDArray[np.float64]) -> list[tuple[bytes, bytes, float]]:
    """What tells rows apart."""
    found = csr_matrix(matrix, copy=True)
    found.eliminate_zeros()
    found.sort_indices()
    ends = zip(found.indptr[:-1], found.indptr[1:], right.tolist(), strict=True)
    return [(found.indices[a:b].tobytes(), found.data[a:b].tobytes(), value) for a, b, value in ends]
