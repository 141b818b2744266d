"""A `Cell` statement on arrays: one `Kept` for each combination of its binders' values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.cells.kept import Fold, History, Kept, Last, Tails, Window
from seqlang.backends.arrays.frame import Expressions, Frame, Run, State
from seqlang.backends.arrays.values import CannotVectorise, Ragged, Rows, Value, is_nan
from seqlang.backends.interpret.cells import changing_length, keys_of, window_of
from seqlang.backends.interpret.shapes import declared_records
from seqlang.model.binding import reads
from seqlang.model.program import AllSteps, AtReports, Cell, LastSteps, Previous, SinceReport

Array = NDArray[Any]


class VectorCell:
    """One cell for all runs; with binders, one `Kept` for each combination of their values."""

    def __init__(self, cell: Cell, compiler: Expressions) -> None:
        self.cell = cell
        self.report = cell.keep.report if isinstance(cell.keep, (SinceReport, AtReports)) else None
        self.body: Run = compiler.compile(cell.body)
        self.where: Run | None = None if cell.where is None else compiler.compile(cell.where)
        if changing_length(cell, compiler.exact) is not None:
            raise CannotVectorise("a window whose length changes")
        self.keys = list(keys_of(cell, compiler.exact, declared_records(compiler.exact)))
        reading = [cell.body] if cell.where is None else [cell.body, cell.where]
        alike = not any(reads(part, v) for part in reading for v, _ in cell.binders)
        self.shared = alike and isinstance(cell.keep, LastSteps) and bool(cell.binders)
        self.kept: dict[tuple[Value, ...], Kept] = {}
        self.lengths: dict[tuple[Value, ...], int] = {}
        self.compiler = compiler

    def start(self, engine: State, frame: Frame) -> None:
        """Before the first step: nothing is kept yet, and `previous` has its initial value."""
        if isinstance(self.cell.keep, LastSteps):
            self.lengths = {key: window_of(self.cell, self.compiler.exact, key) for key in self.keys}
        if self.shared:
            self.kept[()] = Tails(self.cell.operator, max(self.lengths.values(), default=0))
            return
        for key in self.keys:
            self.kept[key] = self._make(key, engine, frame)

    def _make(self, key: tuple[Value, ...], engine: State, frame: Frame) -> Kept:
        keep = self.cell.keep
        match keep:
            case AllSteps() | SinceReport():
                return Fold(self.cell.operator)
            case LastSteps():
                return Window(self.cell.operator, self.lengths[key])
            case AtReports():
                return History(engine.count)
            case Previous(initial):
                frame.bound.update(zip((v.number for v, _ in self.cell.binders), key, strict=True))
                return Last(self.compiler.compile(initial)(frame), frame.count)
            case _:
                assert_never(keep)

    def begin(self, fired: Array | None) -> None:
        """At the start of a step: `fired` marks the runs in which the last step made the cell's report (None: it has
        none)."""
        for kept in self.kept.values():
            kept.begin(fired)

    def tick(self, frame: Frame) -> None:
        """At the cell's place in a step: the body's value is kept."""
        names = [v.number for v, _ in self.cell.binders]
        engine = frame.state
        for key, kept in self.kept.items():
            frame.bound.update(zip(names, key, strict=False))
            taken = True if self.where is None else self.where(frame)
            value, doubts = frame.perhaps(self.body)
            frame.need_these(doubts, taken)
            if isinstance(value, Ragged):
                raise CannotVectorise("a fold over lists that grow")
            bad = is_nan(value)
            if np.any(bad):
                engine.check(np.logical_and(bad, taken), "a value that is summed over the steps", self.cell.span)
            self.note(engine.step_number, taken, value)
            kept.tick(engine.step_number, taken, value, frame.count)

    def note(self, step: int, taken: Value, value: Value) -> None:
        """Told of all that is ticked."""

    def read(self, key: tuple[Value, ...]) -> Value:
        """The value for one combination of the binders, in all runs."""
        if self.shared:
            tails = self.kept[()]
            assert isinstance(tails, Tails)
            return tails.total(self.lengths[key])
        return self.kept[key].read()

    def tail_lengths(self, keys: Sequence[Value]) -> Array | None:
        """How many steps are read for each of one binder's values, where one window serves them all; else None."""
        lengths = [self.lengths.get((key,), 0) for key in keys] if self.shared else []
        return np.array(lengths) if lengths and min(lengths) >= 1 else None

    def read_tails(self, lengths: Array) -> Value | None:
        """The readings for such lengths as a vector; None before the first tick."""
        tails = self.kept[()]
        assert isinstance(tails, Tails)
        return tails.totals(np.minimum(lengths, tails.filled) - 1) if tails.filled else None

    def keep(self, rows: Rows) -> None:
        """Forgets all runs but these."""
        for kept in self.kept.values():
            kept.keep(rows)
