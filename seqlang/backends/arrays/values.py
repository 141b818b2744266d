"""Values of many runs at once.

The runs are the last axis: a number is an array (n,), a vector (d, n), and anything that all runs share may be a plain
Python number, or have length 1 in the last axis. Labels are whole numbers (their place in `Labels`). Lists that grow
are `Ragged`. What does not fit raises `CannotVectorise`, and the interpreter runs instead.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Value: TypeAlias = Any
"""A Python number or bool, an array with the runs last, a `Ragged`, a vector law, or a tuple of constants."""

Rows = NDArray[np.intp]


class CannotVectorise(Exception):
    """The program needs something that this engine has not; the message says what, in a phrase."""


class Ragged:
    """A list in every run, of `lengths` elements: `values[j]` holds the elements number j + 1 (the rest is filler)."""

    __slots__ = ("lengths", "values")

    def __init__(self, values: NDArray[Any], lengths: NDArray[np.int64]) -> None:
        self.values = values
        self.lengths = lengths

    def take(self, rows: Rows) -> Ragged:
        """The lists of these runs."""
        return Ragged(np.ascontiguousarray(self.values[..., rows]), self.lengths[rows])

    def longest(self) -> int:
        """The length of the longest list."""
        return int(self.lengths.max(initial=0))


def take(value: Value, rows: Rows | None, total: int) -> Value:
    """The runs `rows` of a value of `total` runs; what all runs share stays as it is."""
    if rows is None:
        return value
    if isinstance(value, Ragged):
        return value.take(rows)
    if isinstance(value, np.ndarray) and value.ndim and value.shape[-1] == total:
        if rows_stand_together(value):
            return value.T[rows].T
        return np.ascontiguousarray(value[..., rows])
    return value


def rows_stand_together(value: Value) -> bool:
    """Whether an array (d, runs) holds each run's vector in one piece, as rows of a file are held."""
    return (
        isinstance(value, np.ndarray) and value.ndim == 2 and value.flags.f_contiguous and not value.flags.c_contiguous
    )


def shape_of(value: Value) -> tuple[int, ...]:
    """() for a number, (d,) for a vector, (k, d) for k vectors."""
    return value.shape[:-1] if isinstance(value, np.ndarray) else ()


def columns_of(value: Value) -> list[Value]:
    """The numbers of a value, each in all runs; of a list, its length before them, and 0 after its end. Raises
    CannotVectorise for a matrix."""
    if isinstance(value, Ragged) and value.values.ndim == 2:
        longest = value.longest()
        there = np.arange(longest)[:, None] < value.lengths
        return [value.lengths, *np.where(there, value.values[:longest], 0.0)]
    if isinstance(value, Ragged) or len(shape_of(value)) > 1:
        raise CannotVectorise("a matrix that is computed exactly")
    return list(value) if shape_of(value) else [value]


def spread(value: Value, count: int) -> NDArray[Any]:
    """The value as an array of its own with `count` runs in the last axis."""
    array = np.asarray(value)
    if array.ndim == 0:
        return np.full(count, array)
    return np.array(np.broadcast_to(array, (*array.shape[:-1], count)))


def is_nan(value: Value) -> Value:
    """Where a value (in any coordinate) is not a number; False for what cannot be."""
    if isinstance(value, float):
        return value != value
    if isinstance(value, np.ndarray) and value.dtype == np.float64:
        bad = np.isnan(value)
        return bad.reshape(-1, value.shape[-1]).any(axis=0) if value.ndim > 1 else bad
    return False


def from_constant(value: Value, labels: dict[str, int]) -> Value:
    """An interpreter's constant as a value here: vectors get a last axis of length 1."""
    if isinstance(value, str):
        return labels[value]
    if isinstance(value, (bool, int, float)):
        return value if isinstance(value, bool) or abs(value) < 2**53 else float(value)
    if isinstance(value, (tuple, range)):
        try:
            array = np.asarray([from_constant(v, labels) for v in value], dtype=None)
        except ValueError:  # of numbers beside lists, or of lists of different lengths
            raise CannotVectorise("a list of lists of different lengths") from None
        if array.dtype == object:
            raise CannotVectorise("a list of lists of different lengths")
        if array.dtype.kind in "iu":
            array = array.astype(np.float64)
        return array[..., None] if array.ndim == 1 else array
    raise CannotVectorise("a constant that is neither number, label nor vector")
