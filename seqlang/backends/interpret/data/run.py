"""One run on the rows of a file."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice, repeat
from typing import Any

from seqlang.backends.interpret.data.columns import field_columns, needed, places, values
from seqlang.backends.interpret.data.pieces import matching
from seqlang.backends.interpret.data.problem import problem
from seqlang.backends.interpret.data.reading import PLAINLY, Reading
from seqlang.backends.interpret.data.source import Data, Source, opened
from seqlang.backends.interpret.data.table import Row
from seqlang.backends.interpret.data.where import conditions, none_left
from seqlang.backends.interpret.inputs.dataset_size import require_size
from seqlang.backends.interpret.inputs.metrics import left_out
from seqlang.backends.interpret.machine import Machine
from seqlang.backends.interpret.randomness import SeededRandomness
from seqlang.backends.interpret.values import Value
from seqlang.model.program import Program
from seqlang.record import record


@record
class DataRun:
    """`step` is the stopping step, or the last one if the data ended first; `reports` are (step, name, value), with
    value True for an event. `rows` counts the rows that matched, `rows_used` those that were read before the stop.
    `left_out` are statistics that need a field which the file does not have, and which nothing else needs."""

    stopped: bool
    step: int
    result: Value
    reports: tuple[tuple[int, str, Value], ...]
    statistics: Mapping[str, Value]
    rows: int
    rows_used: int
    seed: int
    left_out: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `run --data`."""
        return {
            "stopped": self.stopped,
            "step": self.step,
            "return": _plain(self.result),
            "reports": [{"step": s, "name": name, "value": _plain(v)} for s, name, v in self.reports],
            "rows": self.rows,
            "rows_used": self.rows_used,
            "seed": self.seed,
            **({"left_out": list(self.left_out)} if self.left_out else {}),
        }


def _plain(value: Value) -> Any:
    if isinstance(value, (tuple, range)):
        return [_plain(v) for v in value]
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    return value


def run_data(
    program: Program,
    path: Data,
    *,
    reading: Reading = PLAINLY,
    seed: int = 1,
    cap: int | None = None,
) -> DataRun:
    """Runs the program once on a file (see `opened`): one row a step for a stream, all rows at once for a dataset.
    `cap` limits the steps.

    Raises SpecError E0610 to E0619 for the file, E0620 where an expression has no value.
    """
    kinds = {i.kind for i in program.inputs}
    dataset = kinds == {"dataset"}
    if "dataset" in kinds and not dataset:
        message = f"`{program.name}` reads a dataset and a stream: one file cannot hold both"
        raise problem("E0619", message)
    source = opened(path, reading.layout)
    table = source.table
    whole, program = program, needed(program, table, reading.columns)
    entries = _entries(program, source, reading)
    machine = Machine(program, SeededRandomness(seed))
    if dataset:
        help = "set the parameter of the size with --set, or choose rows with --where"
        require_size(program, len(entries), f"`{table.name}` has {len(entries)} rows", help)
        machine.load({i.name: [entry[i.name] for entry in entries] for i in program.inputs})
    reports: list[tuple[int, str, Value]] = []
    for entry in islice(repeat({}) if dataset else entries, cap):
        outcome = machine.step(entry)
        reports += [(machine.step_number, name, value) for name, value in outcome.reports]
        if outcome.stopped:
            break
    return DataRun(
        stopped=machine.stopped,
        step=machine.step_number,
        result=machine.result,
        reports=tuple(reports),
        statistics=machine.statistics(),
        rows=len(entries),
        rows_used=len(entries) if dataset else machine.step_number,
        seed=seed,
        left_out=left_out(whole, program),
    )


def _entries(program: Program, source: Source, reading: Reading) -> list[dict[str, Value]]:
    """The values of the fields in each row that is used."""
    table = source.table
    fields = field_columns(program, table, reading.columns)
    clauses = conditions(table, reading.where)
    rows, seen = list[Row](), 0
    for piece in source.pieces(places(fields, clauses)):
        seen += len(piece.lines)
        rows += matching(table, piece, clauses).rows(table)
    if not rows:
        raise none_left(table, reading.where, seen)
    return values(table, fields, rows, clip=reading.clip)
