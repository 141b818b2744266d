"""Finds the rows of a table of states that are equal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.units import Unit
from seqlang.record import record

Array = NDArray[Any]
CLOSE = 1e-11
"""Numbers that are computed with errors may be equal if they differ by less than this, relative to their own size: a
tolerance relative to the largest number of the column would merge different small ones."""
ROUNDING = 2.0**-47
"""They are taken for equal if they also differ by less than this, relative to the largest number of the column. If
rounding moved equal numbers farther apart, there are two states for one, with one law."""
LEAST = 1e-290
"""Products of smaller numbers may be 0 as doubles."""
LARGEST = 1 << 61
"""Keys are whole numbers below this, so that they fit 64 bits."""
NEAR = 1e-3
"""Numbers are multiples of a unit if no error is larger than this part of it."""
MOST_UNITS = 1 << 50
"""Larger numbers are not known to a unit."""
SMALL_RANGE = 1 << 20
"""Whole numbers in a range shorter than this are ranked by themselves, without sorting."""


@record
class Column:
    """One number of each row. `unit`: by which these differ, if it is known. `continuous`: it makes no
    difference if numbers next to each other are taken for one, as for bounds on a noise with a density."""

    values: Array
    unit: Unit | None = None
    continuous: bool = False


def together(one: Sequence[Column], other: Sequence[Column]) -> list[Column]:
    """The columns of the rows of both, which may be of different steps."""
    return [
        Column(
            np.concatenate([a.values, b.values]),
            None if a.unit is None or not a.unit.always else a.unit,
            a.continuous,
        )
        for a, b in zip(one, other, strict=True)
    ]


def same_rows(columns: Sequence[Column], count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(first, group): rows `first[g]` stand for the groups, `group[row]` is the group of each row.

    Numbers with a unit are equal if they are the same multiple of it. Others are equal when a chain of numbers in their
    column, each within CLOSE and ROUNDING of the next, joins them. Raises Unsolved for numbers that are too small.
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


def _ranks(column: Column) -> tuple[Array, int]:
    """A rank for each number, the same for equal ones, and the number of different ranks."""
    values = column.values
    low, high = values.min(), values.max()
    if low == high:
        return np.zeros(len(values), dtype=np.int64), 1
    if np.isfinite(low) and np.isfinite(high) and high - low < SMALL_RANGE:
        whole = np.rint(values)
        if np.array_equal(whole, values):
            return (whole - low).astype(np.int64), int(high - low) + 1
    if column.unit is None:
        return _ranked(values, column)
    counted = _counted(values, column.unit.size)
    return _ranked(values if counted is None else counted, None)  # where doubles do not tell units, all are different


def _counted(values: Array, unit: float) -> Array | None:
    """How many units each number lies above the least one; None where doubles do not tell."""
    finite = np.isfinite(values)
    if not finite.any():
        return values
    least = values[finite].min()
    with np.errstate(invalid="ignore"):
        places = (values - least) / unit
        whole = np.where(finite, np.rint(places), values)
        near = np.abs(places - whole)[finite].max() < NEAR
    largest = np.abs(values[finite]).max()
    return whole if near and largest < MOST_UNITS * unit else None


def units_above(first: float, value: float, unit: Unit) -> float | None:
    """How many units a number lies above another one; None where doubles do not tell."""
    counted = _counted(np.array([first, value]), unit.size)
    return None if counted is None else float(counted[1] - counted[0])


def _ranked(values: Array, column: Column | None) -> tuple[Array, int]:
    """The ranks of exact numbers; of a `column` that is given, with those next to each other as one."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    finite = np.isfinite(ordered)
    with np.errstate(invalid="ignore"):
        gaps = np.diff(ordered)
        new = ordered[1:] != ordered[:-1]
        if column is not None:
            near = new & (gaps <= CLOSE * np.abs(ordered[1:])) & finite[1:] & finite[:-1]
            if not column.continuous:
                near &= gaps <= ROUNDING * np.abs(ordered[finite]).max(initial=0.0)
                if np.any((ordered != 0) & (np.abs(ordered) < LEAST)):
                    raise Unsolved("a number that is kept from step to step is too small for doubles")
            new &= ~near
    ranks = np.empty(len(values), dtype=np.int64)
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
