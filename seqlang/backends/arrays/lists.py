"""Lists of values in many runs: one from its elements, and an element of one."""

from __future__ import annotations

import numpy as np

from seqlang.backends.arrays import laws
from seqlang.backends.arrays.values import CannotVectorise, Ragged, Value


def stack(values: list[Value]) -> Value:
    """A vector from its coordinates: (k, .., runs)."""
    if any(isinstance(v, (Ragged, laws.VectorLaw)) for v in values):
        raise CannotVectorise("a list of lists that grow")
    if not values:
        raise CannotVectorise("an empty list")
    arrays = [np.asarray(v, dtype=np.float64) for v in values]
    arrays = [a if a.ndim else a.reshape(1) for a in arrays]
    return np.stack(np.broadcast_arrays(*arrays))


def element_at(base: Value, at: Value, count: int) -> Value:
    """base[at] from 1; not a number outside (the engine reports it where it is used)."""
    if isinstance(base, Ragged):
        position = np.broadcast_to(np.asarray(at), (count,)).astype(np.intp) - 1
        inside = (position >= 0) & (position < base.lengths)
        if not base.values.shape[0]:
            return np.full(count, np.nan)
        found = base.values[np.clip(position, 0, base.values.shape[0] - 1), ..., np.arange(count)]
        return np.where(inside, np.moveaxis(found, 0, -1), np.nan)
    size = base.shape[0]
    if not isinstance(at, np.ndarray):
        return base[int(at) - 1] if 1 <= at <= size and at == int(at) else np.full(base.shape[1:], np.nan)
    if base.ndim == 1:  # a vector of constants, the same in all rows
        base = base[:, np.newaxis]
    whole = np.broadcast_to(base, (*base.shape[:-1], count))
    position = np.clip(np.nan_to_num(at), 1, size).astype(np.intp) - 1
    found = np.moveaxis(whole[position, ..., np.arange(count)], 0, -1)
    return np.where((at >= 1) & (at <= size) & (at == np.floor(at)), found, np.nan)
