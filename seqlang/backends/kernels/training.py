"""Kernels whose inputs are rows of data, each run in an order of its own; memories are written down at checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.record import Record
from seqlang.backends.arrays.streams import stream_start
from seqlang.backends.arrays.values import CannotVectorise
from seqlang.backends.interpret.values import not_a_number
from seqlang.backends.kernels.compiling import build
from seqlang.backends.kernels.lowering.program import Lowered, lower
from seqlang.backends.kernels.lowering.scope import Scope, array_in, array_of
from seqlang.backends.kernels.lowering.values import CannotCompile, List, Scalar, Value
from seqlang.backends.kernels.one_by_one import scalar_text
from seqlang.backends.kernels.operations import indented
from seqlang.backends.kernels.runs import processors, rows_of
from seqlang.model.program import Program
from seqlang.record import record

Array = NDArray[Any]
EVERY = 0.1  # seconds between two looks at how far the threads are


class RowInputs:
    """`rows_NAME` are a field's values in all rows, `orders` the rows that each run reads."""

    def __init__(self, fields: Mapping[str, Array]) -> None:
        self.fields = fields

    def arguments(self) -> list[str]:
        """The parameters that the kernel has besides those of every kernel."""
        return [f"rows_{name}" for name in self.fields]

    def records(self, scope: Scope) -> None:
        """All rows of a dataset, in the run's order."""
        names = [i.name for i in scope.program.inputs if i.kind == "dataset"]
        if names and scope.size() != len(next(iter(self.fields.values()))):
            raise CannotCompile("a number of records that is not the declared one")
        size = scope.constants.whole(scope.size())
        for name in names:
            scope.fields[name] = self._dataset(scope, name, size)

    def _dataset(self, scope: Scope, name: str, size: str) -> Value:
        if self.fields[name].ndim == 1:
            return List(size, lambda i: Scalar(f"rows_{name}[orders[run, {i}]]"))
        d = scope.constants.whole(self.fields[name].shape[1])
        return List(size, lambda i: List(d, lambda j: Scalar(f"rows_{name}[orders[run, {i}], {j}]")))

    def entry(self, scope: Scope) -> None:
        """This step's row."""
        w = scope.writer
        names = [i.name for i in scope.program.inputs if i.kind != "dataset"]
        if not names:
            return
        place = w.fresh("i")
        w.text(f"{place} = orders[run, step - 1]")
        for name in names:
            if self.fields[name].ndim == 1:
                scope.fields[name] = Scalar(w.named(f"rows_{name}[{place}]"))
            else:
                row = w.fresh("b")
                w.text(f"{row} = rows_{name}[{place}]")
                d = scope.constants.whole(self.fields[name].shape[1])
                scope.fields[name] = array_of(row, (d,), "number", True)


@record
class _Row:
    """A number that is written down at the checkpoints, or a vector of `length` of them."""

    name: str
    text: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))


class ByRows:
    """The same tables as `train.lanes.Lanes` has, by a kernel.

    `orders` (runs, steps) are rows of `fields`; `checkpoints` ascending steps. `go(longest, tell)` runs all. Raises
    CannotVectorise for a program that kernels cannot run, EvaluationError where an expression has no value."""

    def __init__(
        self,
        program: Program,
        fields: Mapping[str, Array],
        orders: NDArray[np.int64],
        *,
        seed: int,
        first: int = 0,
        checkpoints: Sequence[int],
        tracked: Sequence[str] = (),
    ) -> None:
        self.program = program
        self.fields = {name: np.ascontiguousarray(values) for name, values in fields.items()}
        self.orders = np.ascontiguousarray(orders)
        self.first = first
        entries = RowInputs(self.fields)
        try:
            self.lowered = lower(program, entries)
            self._memories = tuple(_memory(self.lowered, m.name) for m in program.memories)
            self._tracked = tuple(_statistic(self.lowered, name) for name in tracked)
        except CannotCompile as reason:
            raise CannotVectorise(str(reason)) from None
        if self.lowered.last is not None and self.orders.shape[-1] > self.lowered.last.step:
            raise CannotVectorise(self.lowered.last.what)
        self.marks = np.array(checkpoints, dtype=np.int64)
        self.starts = tuple(np.uint64(stream_start(seed, purpose)) for purpose in ("noise", "inputs"))
        names = [*entries.arguments(), "orders", "marks", "out_marks"]
        written = _written((*self._memories, *self._tracked))
        mark = ["if mark < marks.shape[0] and step == marks[mark]:", *indented([*written, "mark += 1"])]
        rest = ["while mark < marks.shape[0]:", *indented([*written, "mark += 1"])]
        text = scalar_text(self.lowered.kernel, names, mark, rest, ["mark = 0"])
        empty = np.empty((0, 0, 0))
        few = [values[:0] for values in self.fields.values()]
        self.function = build.compiled(text, (*few, self.orders[:0], self.marks[:0], empty))
        reports = program.report_names
        self.record = Record(first, len(orders), reports)
        self.memories: dict[str, Array] = {}
        self.tracked: dict[str, Array] = {}

    def go(
        self, longest: int, tell: Callable[[int, int], None] | None, heard: Callable[[], None] | None = None
    ) -> None:
        """Runs all runs to their stop, or to `longest` steps, in threads. `tell(steps, of so many)` now and then,
        `heard()` at the end."""
        runs, recorded = len(self.orders), self.lowered.kernel.recorded
        size = sum(r.size for r in (*self._memories, *self._tracked))
        marks = np.full((len(self.marks), size, runs), np.nan)
        values = np.full((recorded.values, runs), np.nan)
        reports = np.zeros((len(recorded.reports), runs), np.int64)
        flag, unused = np.zeros(1, np.int64), np.zeros(0, np.int64)
        ends = [runs * i // processors() for i in range(processors() + 1)]
        parts = [(a, b) for a, b in pairwise(ends) if b > a]
        done, faults = np.zeros((len(parts), 2), np.int64), np.zeros((len(parts), 3), np.int64)

        def work(number: int) -> None:
            a, b = parts[number]
            # Runs are numbered within the part; only their streams know the part's place.
            own = [np.ascontiguousarray(table[..., a:b]) for table in (marks, values, reports)]
            last = [np.empty((rows_of(outputs), b - a)) for outputs in (recorded.statistics, recorded.released)]
            self.function(
                self.lowered.constants, *self.starts, self.first + a, b - a, longest, self.record.steps[a:b],
                self.record.codes[a:b], own[1], *last, own[2], unused, unused.reshape(3, 0), unused, flag,
                done[number], faults[number], *self.fields.values(), self.orders[a:b], self.marks, own[0],
            )  # fmt: skip
            for table, part in zip((marks, values, reports), own, strict=True):
                table[..., a:b] = part

        with ThreadPoolExecutor(len(parts)) as pool:
            waiting = [pool.submit(work, i) for i in range(len(parts))]
            try:
                while wait(waiting, EVERY).not_done:
                    if tell is not None:
                        tell(int(done[:, 1].sum() // runs), longest)
                for future in waiting:
                    future.result()
            except BaseException:
                flag[0] = 1
                raise
        for site, run, step in faults.tolist():
            if site:
                raise not_a_number(self.lowered.sites[site - 1].what, self.lowered.sites[site - 1].span, step, run)
        self._fill(reports, values, marks)
        if heard is not None:
            heard()

    def _fill(self, reports: Array, values: Array, marks: Array) -> None:
        for name, counted in zip(self.record.reports, reports, strict=True):
            self.record.reports[name][:] = counted
        if len(values):
            self.record.values = values[0] if self.lowered.returns_number else values
        at = 0
        for rows, table in ((self._memories, self.memories), (self._tracked, self.tracked)):
            for row in rows:
                found = marks[:, at : at + row.size]
                table[row.name] = found.reshape(len(self.marks), *row.shape, found.shape[-1])
                at += row.size


def _memory(lowered: Lowered, name: str) -> _Row:
    scope = lowered.scope
    value = scope.memory[name]
    if isinstance(value, Scalar):
        return _Row(name, value.number, ())
    lengths = scope.outline(value)[0]
    shape = tuple(scope.constants.length(n) for n in lengths)
    index = "q" if len(shape) == 1 else f"q // {shape[1]}, q % {shape[1]}"
    return _Row(name, f"{array_in(value)}[{index}]", shape)


def _statistic(lowered: Lowered, name: str) -> _Row:
    for output in lowered.kernel.recorded.statistics:
        if output.name == name and output.length is None:
            return _Row(name, output.text, ())
    return _Row(name, "math.nan", ())


def _written(rows: Sequence[_Row]) -> list[str]:
    found, at = [], 0
    for row in rows:
        if row.shape:
            found.extend([f"for q in range({row.size}):", f"    out_marks[mark, {at} + q, run] = {row.text}"])
        else:
            found.append(f"out_marks[mark, {at}, run] = {row.text}")
        at += row.size
    return found or ["pass"]
