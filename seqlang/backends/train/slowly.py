"""What `Lanes` does, by the interpreter: for datasets, and for what the numpy engine cannot run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.record import Record
from seqlang.backends.interpret.inputs.dataset_size import require_size
from seqlang.backends.interpret.machine import Machine
from seqlang.backends.interpret.randomness import SeededRandomness
from seqlang.backends.interpret.values import Value
from seqlang.backends.train.rows import Rows
from seqlang.model.program import Program
from seqlang.process.time_limit import poll

Array = NDArray[Any]


class Interpreted:
    """The same tables as `Lanes` has, run by run."""

    def __init__(
        self,
        program: Program,
        rows: Rows,
        orders: NDArray[np.int64],
        *,
        seed: int,
        first: int = 0,
        checkpoints: Sequence[int],
        tracked: Sequence[str] = (),
    ) -> None:
        self.program, self.rows, self.orders = program, rows, orders
        self.seed, self.checkpoints = seed, checkpoints
        self.record = Record(first, len(orders), program.report_names)
        self.memories: dict[str, Array] = {}
        self.tracked = {name: np.full((len(checkpoints), len(orders)), np.nan) for name in tracked}

    def go(
        self, longest: int, tell: Callable[[int, int], None] | None, heard: Callable[[], None] | None = None
    ) -> None:
        """Runs all runs to their stop, or to `longest` steps. `tell(steps, of so many)` is called after every step,
        `heard()` after every run.

        Raises SpecError E0620 from an expression.
        """
        dataset = has_dataset(self.program)
        records = {f: _plain(values) for f, values in self.rows.fields.items()} if dataset else {}
        for i, order in enumerate(self.orders):
            machine = Machine(self.program, SeededRandomness(self.seed, self.record.first + i))
            if dataset:
                machine.load({f: tuple(values[j] for j in order) for f, values in records.items()})
            for c, mark in enumerate(self.checkpoints):
                while machine.step_number < mark and not machine.stopped:
                    poll()
                    row = machine.step_number
                    machine.step({} if dataset else {f: _plain(v[order[row]]) for f, v in self.rows.fields.items()})
                    if tell is not None:
                        tell(i * longest + row + 1, len(self.orders) * longest)
                self._write(machine, c, i)
            self._close(machine, i)
            if heard is not None:
                heard()

    def _write(self, machine: Machine, c: int, i: int) -> None:
        """Writes down run i at checkpoint c."""
        for name, value in machine.memory.items():
            array = np.asarray(value, dtype=np.float64)
            if name not in self.memories:
                self.memories[name] = np.full((len(self.checkpoints), *array.shape, len(self.orders)), np.nan)
            self.memories[name][c, ..., i] = array
        for name, kept in self.tracked.items():
            found = machine.locals.get(name)
            kept[c, i] = found if isinstance(found, (int, float)) else np.nan

    def _close(self, machine: Machine, i: int) -> None:
        number = isinstance(machine.result, (int, float, tuple))
        value = np.asarray(machine.result, dtype=np.float64)[..., None] if number else None
        self.record.close(np.array([self.record.first + i]), machine.step_number, machine.stopped, value, False)
        for name, times in machine.times_reported().items():
            self.record.reports[name][i] = times


def has_dataset(program: Program) -> bool:
    """Whether all rows are there from the start."""
    return any(i.kind == "dataset" for i in program.inputs)


def _plain(values: Any) -> Value:
    """Arrays as the interpreter's tuples; whole numbers as such, so that they equal the values of finite domains."""
    if np.ndim(values):
        return tuple(_plain(v) for v in values)
    number = float(values)
    return int(number) if number == int(number) else number


def check_size(program: Program, rows: Rows) -> None:
    """Raises SpecError E0618 if there are not as many rows as the dataset is declared to have."""
    help = "set the parameter of the size with --set, or choose rows with --rows A:B"
    require_size(program, rows.count, f"{rows.count} rows are to be trained on", help)
