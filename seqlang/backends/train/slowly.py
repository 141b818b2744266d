"""What `Lanes` does, by the interpreter: for datasets, and for what the numpy engine cannot run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.record import NOTHING, Record
from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.data.problem import problem
from seqlang.backends.interpret.machine import Machine
from seqlang.backends.interpret.randomness import SeededRandomness
from seqlang.backends.interpret.values import Value, as_index
from seqlang.backends.train.lanes import orders_of
from seqlang.backends.train.rows import Rows
from seqlang.model.program import AddRemove, Program
from seqlang.process.time_limit import poll

Array = NDArray[Any]


class Interpreted:
    """The same tables as `Lanes` has."""

    def __init__(self, record: Record, memories: dict[str, Array], tracked: dict[str, Array]) -> None:
        self.record = record
        self.memories = memories
        self.tracked = tracked


def interpreted(
    program: Program,
    rows: Rows,
    permutations: int | None,
    seed: int,
    longest: int,
    marks: tuple[int, ...],
    tracked: tuple[str, ...],
    tell: Callable[[str, int, int], None] | None,
    name: str,
) -> Interpreted:
    """Run by run. Raises SpecError E0618 if a dataset does not have its declared size, E0620 from an expression."""
    dataset = any(i.kind == "dataset" for i in program.inputs)
    if dataset:
        check_size(program, rows)
    orders = orders_of(rows.count, rows.count if dataset else longest, permutations, seed)
    runs = len(orders)
    record = Record(0, runs, program.report_names)
    memories: dict[str, Array] = {}
    kept = {t: np.full((len(marks), runs), np.nan) for t in tracked}
    records = {f: _plain(values) for f, values in rows.fields.items()} if dataset else {}
    for i, order in enumerate(orders):
        machine = Machine(program, SeededRandomness(seed, i))
        if dataset:
            machine.load({f: tuple(values[j] for j in order) for f, values in records.items()})
        done = 0
        for c, mark in enumerate(marks):
            while done < mark and not machine.stopped:
                poll()
                entry = {} if dataset else {f: _plain(v[order[done]]) for f, v in rows.fields.items()}
                machine.step(entry)
                done += 1
                if tell is not None:
                    tell(name, i * longest + done, runs * longest)
            for m, value in machine.memory.items():
                array = np.asarray(value, dtype=np.float64)
                table = memories.setdefault(m, np.full((len(marks), *array.shape, runs), np.nan))
                table[c, ..., i] = array
            for t in tracked:
                found = machine.locals.get(t)
                kept[t][c, i] = found if isinstance(found, (int, float)) else np.nan
        record.steps[i] = done
        if machine.stopped:
            record.codes[i] = NOTHING
            if isinstance(machine.result, (int, float, tuple)):
                found = np.asarray(machine.result, dtype=np.float64)
                record.close(np.array([i]), done, True, found[..., None], False)
        counts = dict(machine.report_counts)
        for report in machine.reported:
            counts[report] = counts.get(report, 0) + 1
        for report, count in counts.items():
            record.reports[report][i] = count
    return Interpreted(record, memories, kept)


def _plain(values: Any) -> Value:
    """Arrays as the interpreter's tuples; whole numbers as such, so that they equal the values of finite domains."""
    if np.ndim(values):
        return tuple(_plain(v) for v in values)
    number = float(values)
    return int(number) if number == int(number) else number


def check_size(program: Program, rows: Rows) -> None:
    """Raises SpecError E0618 if there are not as many rows as the dataset is declared to have."""
    if program.size is None or isinstance(program.adjacency, AddRemove):
        return
    declared = as_index(Compiler(program).constant(program.size))
    if declared != rows.count:
        message = f"{rows.count} rows are to be trained on, the dataset of `{program.name}` has size {declared}"
        raise problem("E0618", message, "set the parameter of the size with --set, or choose rows with --rows A:B")
