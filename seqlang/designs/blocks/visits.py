"""The linear systems of absorbing chains."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csc_matrix, identity, issparse
from scipy.sparse.linalg import splu

from seqlang.designs.problem.entry import Array

FEW, THIN = 300, 0.05
"""Systems of more than FEW states of which less than the share THIN of moves is possible are solved as sparse ones."""


def is_thin(moves: Array) -> bool:
    """Whether it is better taken as a sparse matrix."""
    return len(moves) > FEW and int(np.count_nonzero(moves)) < THIN * moves.size


def absorbed(moves: Any, known: Array) -> Array:
    """x with x = known + moves x, for moves among the states that go on, sparse or not; `known` is (states,) or
    (states, k)."""
    count = moves.shape[0]
    if issparse(moves) or is_thin(moves):
        system: Any = csc_matrix(identity(count) - csc_matrix(moves))
        return np.asarray(splu(system).solve(known))
    return np.asarray(np.linalg.solve(np.eye(count) - moves, known))
