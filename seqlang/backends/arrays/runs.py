"""The state of one batch of runs that are simulated side by side."""

from __future__ import annotations

from typing import Any, Protocol, assert_never

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.cells.cell import VectorCell
from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.arrays.frame import Frame
from seqlang.backends.arrays.noises import Noises
from seqlang.backends.arrays.stored_noise import Stored
from seqlang.backends.arrays.streams import Streams
from seqlang.backends.arrays.values import CannotVectorise, Rows, Value, is_nan, spread, take
from seqlang.backends.interpret.shapes import declared_records
from seqlang.backends.interpret.values import FOR_OTHERS, not_a_number
from seqlang.model import expression as ir
from seqlang.model.life import EachReport, EachStep, Life, Once
from seqlang.model.program import Cell, Define
from seqlang.source import Span

Array = NDArray[Any]
FEWEST = 8
"""Arrays never have fewer runs than this: numpy adds up a single column in another order than several."""
COMPACT = 8
"""Finished runs are dropped when they are more than one in this many."""


class Kept(Protocol):
    """Something that holds an entry for each run."""

    def keep(self, rows: Rows) -> None:
        """Forgets all runs but these."""


class Runs:
    """The runs with the numbers `runs`, as many as `count`; `alive` marks those that have not ended. See `frame.State`.

    Every run has random streams of its own, from the seed, the purpose and the run's number alone. Whoever holds arrays
    with an entry a run adds itself to `kept`: finished runs are dropped now and then."""

    def __init__(self, compiler: VectorCompiler, seed: int, runs: NDArray[np.int64], purpose: str = "") -> None:
        self.compiler = compiler
        self.program = program = compiler.program
        padded = np.concatenate([runs, np.repeat(runs[-1:], max(0, FEWEST - len(runs)))])
        self.runs = padded
        self.count = len(padded)
        self.alive = np.arange(self.count) < len(runs)
        self.noise_streams = Streams(seed, padded, f"{purpose}noise")
        self.input_streams = Streams(seed, padded, f"{purpose}inputs")
        self.step_number = 0
        self.size = len(declared_records(compiler.exact))
        self.fields: dict[str, Value] = {}
        self.locals: dict[str, Value] = {}
        self.released: dict[str, Value] = {}
        self.last: dict[str, Value] = {}  # what each report released last
        self.draws: dict[str, Stored] = {}
        reports = program.report_names
        self.statistics = [s.name for s in program.body if isinstance(s, Define) and s.kind == "statistic"]
        self.fired: dict[str, Array] = {name: np.zeros(self.count, dtype=bool) for name in reports}
        self.earlier: dict[str, Array] = {name: np.zeros(self.count, dtype=np.int64) for name in reports}
        self.noises = Noises(compiler, self.noise_streams, self.life)
        self.cells = {s.name: VectorCell(s, compiler) for s in program.body if isinstance(s, Cell)}
        initial = {m.name: compiler.compile(m.initial)(Frame(self)) for m in program.memories}
        self.memory = {name: spread(value * 1.0, self.count) for name, value in initial.items()}
        self.kept: list[Kept] = [self.noise_streams, self.input_streams, self.noises, *self.cells.values()]

    # ---- steps

    def open_step(self) -> None:
        """The start of a new step: what the last step's reports do to cells and counts."""
        for name, fired in self.fired.items():
            self.earlier[name] = self.earlier[name] + fired
        for cell in self.cells.values():
            cell.begin(None if cell.report is None or self.step_number == 0 else self.fired[cell.report])
        self.fired = {name: np.zeros(self.count, dtype=bool) for name in self.fired}
        self.step_number += 1
        self.released = dict(self.fired)

    def drop_finished(self) -> None:
        """Forgets the runs that have ended, if they are many."""
        living = int(np.count_nonzero(self.alive))
        if living == 0 or self.count - living <= self.count // COMPACT or self.count <= FEWEST:
            return
        rows = np.flatnonzero(self.alive)
        if len(rows) < FEWEST:
            dead = np.flatnonzero(~self.alive)[: FEWEST - len(rows)]
            rows = np.sort(np.concatenate([rows, dead]))
        before = self.count
        if len(rows) == before:
            return
        self.runs, self.alive = self.runs[rows], self.alive[rows]
        for table in (self.fields, self.locals, self.memory, self.released, self.last, self.fired, self.earlier):
            for name, value in table.items():
                table[name] = take(value, rows, before)
        for kept in (*self.kept, *self.draws.values()):
            kept.keep(rows)
        self.count = len(rows)

    def life(self, life: Life) -> int | Array:
        """The number of a draw's present life, from 0; an array where it differs from run to run."""
        match life:
            case Once():
                return 0
            case EachStep():
                return self.step_number
            case EachReport(report):
                return self.earlier[report]
            case _:
                assert_never(life)

    # ---- what expressions read

    def check(self, bad: Value, what: str, span: Span) -> None:
        """See `frame.State`: runs that have ended do not count."""
        found = np.flatnonzero(np.broadcast_to(bad, (self.count,)) & self.alive)
        if len(found):
            self._fail(found[0], what, span)

    def checked(self, value: Value, frame: Frame, what: str, span: Span) -> Value:
        """See `frame.State`."""
        bad = is_nan(value)
        if np.any(bad):
            rows = np.arange(self.count) if frame.rows is None else frame.rows
            found = rows[np.broadcast_to(bad, (frame.count,)) & self.alive[rows]]
            if len(found):
                self._fail(int(found[0]), what, span)
        return value

    def _fail(self, row: int, what: str, span: Span) -> None:
        if what == FOR_OTHERS:
            raise CannotVectorise(what)
        raise not_a_number(what, span, self.step_number, int(self.runs[row]))

    def flips(self, name: str) -> bool:
        """See `frame.State`."""
        return self.noises.flips[name]

    def noise(self, name: str, shape: tuple[int, ...], frame: Frame) -> Value:
        """See `frame.State`."""
        return self.noises.value(name, shape, frame)

    def drawn(self, name: str, frame: Frame) -> Value:
        """See `frame.State`."""
        if name in self.noises.flips:
            return self.noises.drawn(name, frame)
        return frame.read(self.draws[name].value)

    def flipped(self, name: str, read: ir.Noised, value: Value, frame: Frame) -> Value:
        """See `frame.State`."""
        return self.noises.flipped(name, read, value, frame)
