"""The noises of all runs: drawn at the first reading in each life, run by run."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.frame import Frame
from seqlang.backends.arrays.laws import Tree, VectorLaw
from seqlang.backends.arrays.streams import Source, Streams
from seqlang.backends.arrays.values import Rows, Value, take

Array = NDArray[Any]
NEVER = -1


class Stored:
    """One noise: its present value in each run, and the life for which it was drawn."""

    def __init__(self) -> None:
        self.value: Array | None = None
        self.life: Array | None = None
        self.whole: int | None = None  # the life, where all runs have drawn in the same one

    def read(self, life: int | Array, shape: tuple[int, ...], frame: Frame, streams: Streams, draw: Any) -> Value:
        """The value in the frame's runs; `draw(source, shape)` makes new ones where the life is new."""
        if isinstance(life, int) and self.whole == life:
            return take(self.value, frame.rows, frame.state.count)
        if isinstance(life, int) and frame.rows is None and (self.whole is not None or self.value is None):
            self.value, self.whole, self.life = draw(Source(streams, None), shape), life, None
            return self.value
        return self._read_some(life, shape, frame, streams, draw)

    def _read_some(self, life: int | Array, shape: tuple[int, ...], frame: Frame, streams: Streams, draw: Any) -> Value:
        count = frame.state.count
        if self.life is None:
            self.life = np.full(count, NEVER if self.whole is None else self.whole, dtype=np.int64)
        self.whole = None
        rows = np.arange(count) if frame.rows is None else frame.rows
        wanted = np.broadcast_to(life, (count,))
        new = rows[self.life[rows] != wanted[rows]]
        if len(new):
            drawn = draw(Source(streams, new), shape)
            if self.value is None:
                self.value = np.zeros((*drawn.shape[:-1], count), dtype=drawn.dtype)
            elif frame.rows is None and len(new) == count:
                self.value = drawn
            else:
                self.value = self.value.copy()
            self.value[..., new] = drawn
            self.life[new] = wanted[new]
        if isinstance(life, int) and frame.rows is None:
            self.whole, self.life = life, None
        return take(self.value, frame.rows, count)

    def keep(self, rows: Rows) -> None:
        """Forgets all runs but these."""
        if self.value is not None:
            self.value = np.ascontiguousarray(self.value[..., rows])
        if self.life is not None:
            self.life = self.life[rows]


class TreeStored:
    """The nodes that cover the present prefix, one a level (`tree` noise)."""

    def __init__(self, law: Tree) -> None:
        self.node: VectorLaw = law.node
        self.levels: dict[int, Stored] = {}

    def read(self, epoch: int | Array, shape: tuple[int, ...], frame: Frame, streams: Streams) -> Value:
        """The sum of the nodes that cover steps 1 to the present one, in the frame's runs; `epoch` numbers the
        trees."""
        step, level = frame.state.step_number, 0
        total: Value = 0.0
        while step >> level:
            if step >> level & 1:
                stored = self.levels.setdefault(level, Stored())
                node = (step >> level << level) + (epoch << 32)
                total = total + stored.read(node, shape, frame, streams, self.node.sample)
            level += 1
        return total

    def keep(self, rows: Rows) -> None:
        """Forgets all runs but these."""
        for stored in self.levels.values():
            stored.keep(rows)
