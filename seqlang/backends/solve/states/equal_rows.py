"""Finds the rows of a table of states that are equal up to rounding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
CLOSE = 1e-11
"""Two numbers are equal if they differ by less than this, relative to their own size: a tolerance relative to the
largest number of the column would merge different small ones."""
LARGEST = 1 << 61
"""Keys are whole numbers below this, so that they fit 64 bits."""
SMALL_RANGE = 1 << 20
"""Whole numbers in a range shorter than this are ranked by themselves, without sorting."""


def same_rows(columns: Sequence[Array], count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(first, group): rows `first[g]` stand for the groups, `group[row]` is the group of each row.

    Two numbers are equal when a chain of numbers in their column, each within CLOSE relative of the next, joins them.
    """
    key = np.zeros(count, dtype=np.int64)
    size = 1
    for column in columns:
        ranks, distinct = _ranks(column)
        if distinct == 1:
            continue
        if size > LARGEST // distinct:
            found, key = np.unique(key, return_inverse=True)
            size = len(found)
        key = key * distinct + ranks
        size *= distinct
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    return first.astype(np.intp), group.reshape(-1).astype(np.intp)


def _ranks(column: Array) -> tuple[Array, int]:
    """A rank for each number, the same for equal ones, and the number of different ranks."""
    low, high = column.min(), column.max()
    if low == high:
        return np.zeros(len(column), dtype=np.int64), 1
    if np.isfinite(low) and np.isfinite(high) and high - low < SMALL_RANGE:
        whole = np.rint(column)
        if np.array_equal(whole, column):
            return (whole - low).astype(np.int64), int(high - low) + 1
    order = np.argsort(column, kind="stable")
    ordered = column[order]
    finite = np.isfinite(ordered)
    with np.errstate(invalid="ignore"):
        gaps = np.diff(ordered)
        new = gaps > CLOSE * np.abs(ordered[1:])
    new |= finite[1:] != finite[:-1]
    new &= ~(ordered[1:] == ordered[:-1])
    ranks = np.empty(len(column), dtype=np.int64)
    ranks[order] = np.concatenate(([0], np.cumsum(new)))
    return ranks, int(new.sum()) + 1


def summed(mass: Array, group: NDArray[np.intp], groups: int) -> Array:
    """Columns of `mass` (theta, rows) added up by group."""
    if groups == mass.shape[1]:
        order = np.empty(groups, dtype=np.intp)
        order[group] = np.arange(groups)
        return np.ascontiguousarray(mass[:, order])
    if mass.shape[0] <= 8:
        return np.array([np.bincount(group, weights=row, minlength=groups) for row in mass])
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(groups))
    return np.asarray(np.add.reduceat(mass[:, order], starts, axis=1))
