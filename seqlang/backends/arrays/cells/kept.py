"""What a fold over time keeps from step to step, for all runs; `keep` drops finished runs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.values import CannotVectorise, Ragged, Rows, Value, spread
from seqlang.operators.groups import ADDED, PLACES

Array = NDArray[Any]
_COMBINE = {"sum": np.add, "mean": np.add, "count": np.add, "max": np.maximum, "min": np.minimum}
NEUTRAL = {"sum": 0.0, "mean": 0.0, "count": 0.0, "max": -math.inf, "min": math.inf}


def _kept(array: Value, rows: Rows) -> Value:
    return np.ascontiguousarray(array[..., rows]) if isinstance(array, np.ndarray) else array


def _by_run(value: Value, count: int) -> Value:
    """What is kept until runs are dropped: an array that all runs share gets an entry for each."""
    return spread(value, count) if isinstance(value, np.ndarray) and value.shape[-1:] != (count,) else value


class Fold:
    """over steps, since R."""

    def __init__(self, operator: str) -> None:
        self.operator = operator
        self.total: Value = None  # None until the first tick: its shape is the body's
        self.number: Value = 0.0
        self.at: Value = math.nan

    def begin(self, fired: Array | None) -> None:
        if fired is None or self.total is None or not fired.any():
            return
        if self.operator in PLACES:
            self.total = np.where(fired, -math.inf, self.total)
            self.at = np.where(fired, math.nan, self.at)
            return
        self.total = np.where(fired, NEUTRAL[self.operator], self.total)
        self.number = np.where(fired, 0.0, self.number)

    def tick(self, step: int, taken: Value, value: Value, count: int) -> None:
        operator = self.operator
        if operator in PLACES:
            self._extreme_step(step, taken, value, count)
            return
        if operator == "count":
            value = np.logical_and(taken, value) * 1.0
            taken = True
        if self.total is None:
            self.total = spread(np.zeros_like(np.asarray(value, dtype=np.float64)) + NEUTRAL[operator], count)
        if operator in ADDED:
            self.total = self.total + (value if taken is True else np.where(taken, value, 0.0))
            if operator == "mean":
                self.number = self.number + (1.0 if taken is True else np.asarray(taken) * 1.0)
            return
        choose = np.maximum if operator == "max" else np.minimum
        self.total = choose(self.total, value if taken is True else np.where(taken, value, NEUTRAL[operator]))

    def _extreme_step(self, step: int, taken: Value, value: Value, count: int) -> None:
        if self.total is None:
            self.total, self.at = np.full(count, -math.inf), np.full(count, math.nan)
        score = np.asarray(value, dtype=np.float64) * (1.0 if self.operator == "argmax" else -1.0)
        better = np.logical_and(taken, (score > self.total) | np.isnan(self.at))
        self.total = np.where(better, score, self.total)
        self.at = np.where(better, step, self.at)

    def read(self) -> Value:
        if self.operator in PLACES:
            return self.at
        if self.operator == "mean":
            return math.nan if self.total is None else np.divide(self.total, self.number)
        return NEUTRAL[self.operator] if self.total is None else self.total

    def keep(self, rows: Rows) -> None:
        self.total, self.number, self.at = _kept(self.total, rows), _kept(self.number, rows), _kept(self.at, rows)


class Window:
    """over last m: the values of the last m steps, newest first.

    They stand in a buffer of twice the length that is filled from its end to its start, so that a step moves nothing.
    """

    def __init__(self, operator: str, length: int) -> None:
        if operator in PLACES:
            raise CannotVectorise(f"{operator} over the last steps")
        self.operator = operator
        self.length = length
        self.filled = 0
        self._rows: Array | None = None
        self._numbers: Array | None = None  # of a mean: 1 where the entry counts
        self._at = 0

    def begin(self, fired: Array | None) -> None:
        pass

    def tick(self, step: int, taken: Value, value: Value, count: int) -> None:
        if self.length < 1:
            return
        if self.operator == "count":
            value, taken = np.logical_and(taken, value) * 1.0, True
        entry = np.asarray(value if taken is True else np.where(taken, value, NEUTRAL[self.operator]), dtype=np.float64)
        if self._rows is None:
            self._rows = np.empty((2 * self.length, *entry.shape[:-1], count))
            self._numbers = np.empty((2 * self.length, count)) if self.operator == "mean" else None
            self._at = 2 * self.length
        if self._at == 0:
            for rows in (self._rows, self._numbers):
                if rows is not None:
                    rows[self.length :] = rows[: self.length]
            self._at = self.length
        self._at -= 1
        self._enter(self._rows, entry, _COMBINE[self.operator])
        if self._numbers is not None:
            self._enter(self._numbers, taken, np.add)
        self.filled = min(self.length, self.filled + 1)

    def _enter(self, rows: Array, entry: Value, combine: Any) -> None:
        rows[self._at] = entry

    def read(self) -> Value:
        if self._rows is None:
            return math.nan if self.operator == "mean" else NEUTRAL[self.operator]
        here = slice(self._at, self._at + self.filled)
        total = _COMBINE[self.operator].reduce(self._rows[here], axis=0)
        return total if self._numbers is None else np.divide(total, np.add.reduce(self._numbers[here], axis=0))

    def keep(self, rows: Rows) -> None:
        self._rows, self._numbers = _kept(self._rows, rows), _kept(self._numbers, rows)

    def apart(self) -> None:
        """Shares no longer the memory that a tick writes to with whom this was copied from."""
        self._rows = None if self._rows is None else self._rows.copy()
        self._numbers = None if self._numbers is None else self._numbers.copy()

    def state(self) -> list[Value]:
        """What later readings depend on, wherever in the buffer it stands."""
        here = slice(self._at, self._at + self.filled)
        return [float(self.filled), *(rows[here] for rows in (self._rows, self._numbers) if rows is not None)]


class Tails(Window):
    """over last k for every k up to a length: row number k of the buffer is the fold of the last k values.

    It is the fold of the last k - 1 values one step ago with the new value: the buffer's shift brings each row to its
    new place, and one operation on the block makes all of them. The order of addition is that of time.
    """

    def _enter(self, rows: Array, entry: Value, combine: Any) -> None:
        older = rows[self._at + 1 : self._at + 1 + min(self.filled, self.length - 1)]
        combine(older, entry, out=older)
        rows[self._at] = entry

    def total(self, length: int) -> Value:
        """The fold of the newest `length` values."""
        if self._rows is None or length < 1:
            return math.nan if self.operator == "mean" else NEUTRAL[self.operator]
        return self.totals(np.array([min(length, self.filled) - 1]))[0]

    def totals(self, lengths: Array) -> Array:
        """The folds for some lengths less 1 (all below `filled`), as rows of a new array."""
        assert self._rows is not None
        found: Array = self._rows[self._at + lengths]
        if self._numbers is None:
            return found
        numbers = self._numbers[self._at + lengths]
        divided: Array = np.divide(found, numbers.reshape(len(found), *[1] * (found.ndim - 2), -1))
        return divided


class History:
    """history(E, R)."""

    def __init__(self, count: int) -> None:
        self.list = Ragged(np.zeros((0, count)), np.zeros(count, dtype=np.int64))
        self.pending: Value = None
        self.taken: Value = False

    def begin(self, fired: Array | None) -> None:
        if self.pending is None or fired is None:
            return
        rows = np.flatnonzero(np.logical_and(fired, self.taken))
        if len(rows):
            self._append(rows)

    def _append(self, rows: Rows) -> None:
        values, lengths = self.list.values, self.list.lengths
        pending = spread(self.pending, len(lengths)).astype(np.float64)
        needed = int(lengths[rows].max()) + 1
        if values.shape[0] < needed:
            more = np.zeros((max(4, 2 * needed), *pending.shape))  # the filler is a number, so that it harms no fold
            if values.shape[0]:
                more[: values.shape[0]] = values
            values = more
        # In place: who still holds the shorter list does not look behind its end.
        values[lengths[rows], ..., rows] = np.moveaxis(pending[..., rows], -1, 0)
        lengths = lengths.copy()
        lengths[rows] += 1
        self.list = Ragged(values, lengths)

    def tick(self, step: int, taken: Value, value: Value, count: int) -> None:
        self.pending, self.taken = _by_run(value, count), taken

    def read(self) -> Value:
        return self.list

    def apart(self) -> None:
        """Shares no longer the memory that a report writes to with whom this was copied from."""
        self.list = Ragged(self.list.values.copy(), self.list.lengths)

    def keep(self, rows: Rows) -> None:
        self.list = self.list.take(rows)
        self.pending, self.taken = _kept(self.pending, rows), _kept(self.taken, rows)


class Last:
    """previous(E, init)."""

    def __init__(self, initial: Value, count: int) -> None:
        self.value = self.pending = _by_run(initial, count)

    def begin(self, fired: Array | None) -> None:
        self.value = self.pending

    def tick(self, step: int, taken: Value, value: Value, count: int) -> None:
        self.pending = _by_run(value if taken is True else np.where(taken, value, self.pending), count)

    def read(self) -> Value:
        return self.value

    def keep(self, rows: Rows) -> None:
        self.value, self.pending = _kept(self.value, rows), _kept(self.pending, rows)


Kept = Fold | Window | History | Last
