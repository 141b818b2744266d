"""The entries that a model draws in a step, in every state: all states draw alike, unless the model reads memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.solve.solution import Array
from seqlang.backends.solve.states.end_of_step import States
from seqlang.backends.solve.step.body import Rows, Stage
from seqlang.backends.solve.step.entries import columns_of, entries, model_named, reads_step
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.program import Program
from seqlang.record import record

Columns = Mapping[str, Any]


@record
class Drawn:
    """The states multiplied by their entries: `rows` says from which state each row comes, `chances` with which chance
    it is drawn, `fields` its entry (numbers of the row last). `lost`: the mass of entries that are not listed."""

    rows: Rows
    chances: Array
    fields: Columns
    lost: float


class DrawnEntries:
    """The entries of one model, as far as they are read: `fields` are the names that matter, `labels` number the
    labels. Raises Unsolved, here or in a step, for laws that do not list their values."""

    def __init__(self, program: Program, model: str, fields: frozenset[str], labels: dict[str, int]) -> None:
        self.program, self.model, self._labels = program, model, labels
        found = model_named(program, model)
        self.reads_step = reads_step(found)
        self._memories = found.memories if fields else ()  # what nobody reads need not be drawn
        self._names = sorted(fields)
        self._kept: tuple[Array, Columns, float] | None = None
        constant = Compiler(program).constant
        self._listed(1, {m.name: constant(m.initial) for m in program.memories}, None)

    def of(self, states: States, step: int, forced: Columns | None) -> Drawn:
        """What is drawn in this step; `forced`: fields that are given instead, in all states."""
        if self._memories and forced:
            raise Unsolved("one entry is given, and later ones answer to what it led to")
        parts = [
            _multiplied(rows, self._alike(step, memory, forced), states)
            for rows, memory in groups(states.stage, self._memories)
        ]
        if len(parts) == 1:
            return parts[0]
        names = parts[0].fields if parts else ()
        return Drawn(
            np.concatenate([p.rows for p in parts]) if parts else np.zeros(0, dtype=np.intp),
            np.concatenate([p.chances for p in parts]) if parts else np.zeros(0),
            {name: np.concatenate([p.fields[name] for p in parts], axis=-1) for name in names},
            sum(p.lost for p in parts),
        )

    def _alike(self, step: int, memory: Columns, forced: Columns | None) -> tuple[Array, Columns, float]:
        """What states draw that agree in these memories."""
        if forced is None and self._kept is not None:
            return self._kept
        found = self._listed(step, memory, forced)
        if forced is None and not self.reads_step and not self._memories:
            self._kept = found
        return found

    def _listed(self, step: int, memory: Columns, forced: Columns | None) -> tuple[Array, Columns, float]:
        if not self._names and model_named(self.program, self.model).memories:
            return np.ones(1), {}, 0.0
        listed, missing = entries(self.program, self.model, step, memory)
        merged: dict[tuple[Any, ...], float] = {}
        for entry in listed:
            whole = {**entry.fields, **(forced or {})}
            key = tuple(whole[name] for name in self._names)
            merged[key] = merged.get(key, 0.0) + entry.chance
        rows = [dict(zip(self._names, key, strict=True)) for key in merged]
        columns = columns_of(rows, self._names, self._labels)
        return np.array(list(merged.values())), columns, 0.0 if forced else missing


def groups(stage: Stage, memories: tuple[str, ...]) -> Iterator[tuple[Rows, Columns]]:
    """The rows that agree in these memories, and what they hold: all rows at once if there are no such memories."""
    if not memories:
        yield np.arange(stage.count), {}
        return
    if not stage.count:
        return
    shapes = {name: (*np.shape(stage.memory[name])[:-1], stage.count) for name in memories}
    values = {name: np.broadcast_to(stage.memory[name], shape) for name, shape in shapes.items()}
    table = np.concatenate([v.reshape(-1, stage.count) for v in values.values()])
    _, first, group = np.unique(table, axis=1, return_index=True, return_inverse=True)
    for number, row in enumerate(first):
        held = {name: tuple(v[:, row].tolist()) if v.ndim > 1 else float(v[row]) for name, v in values.items()}
        yield np.flatnonzero(np.ravel(group) == number), held


def _multiplied(rows: Rows, drawn: tuple[Array, Columns, float], states: States) -> Drawn:
    chances, fields, missing = drawn
    tile = np.tile(np.arange(len(chances)), len(rows))
    mass = float(states.mass[:, rows].sum()) if missing else 0.0
    columns = {name: value[..., tile] for name, value in fields.items()}
    return Drawn(np.repeat(rows, len(chances)), chances[tile], columns, missing * mass)
