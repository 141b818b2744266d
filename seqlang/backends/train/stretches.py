"""Many rows at once: between two public events nothing changes but sums.

As long as no report is made, no memory updated and no stop reached, the steps of a run differ in their rows and in the
step number only. So a stretch of rows is looked at together: which of its rows would be the first event? The rows
before it are quiet, and enter the sums together. The event itself is an ordinary step of the engine. Every run is
at a step of its own.

That is the same run, noise included: a noise is a function of its name, the run and the step (see `keyed`), so that
the row of the event meets the noise it met when the stretch was looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.interpret.values import EvaluationError
from seqlang.backends.simulate.arrays import Value, is_nan, spread
from seqlang.backends.simulate.cells import Fold
from seqlang.backends.simulate.vectorised import Frame, Run, VectorCompiler
from seqlang.backends.train.lanes import Lanes
from seqlang.model import expression as ir
from seqlang.model.life import EachStep
from seqlang.model.program import AllSteps, Cell, Define, Draw, Program, Report, SinceReport, Stop, Update
from seqlang.source import NOWHERE, Span

Array = NDArray[Any]
RUNS = 256
"""Runs side by side."""
NUMBERS = 1 << 18
"""Numbers in the largest array of a stretch, about: it stays in the processor's cache."""
LONGEST = 512


def quiet_between_events(program: Program) -> bool:
    """Whether looking at stretches is right, and worth it: all state is sums and memories, and events are rare."""
    if any(i.kind != "stream" for i in program.inputs):
        return False
    if any(isinstance(n.law, ir.Law) and n.law.family == "tree" for n in program.noises):
        return False
    return all(_fits(s) for s in program.body)


def _fits(statement: object) -> bool:
    match statement:
        case Cell(keep=AllSteps() | SinceReport(), operator=operator, binders=()):
            return operator in ("sum", "count")
        case Cell():
            return False
        case Draw(life=life):
            return isinstance(life, EachStep)
        case Report(when=when) | Update(when=when) | Stop(when=when):
            return when is not None
        case _:
            return True


class Stretches(Lanes):
    """`Lanes` for programs that are quiet between events; `step_number` is an array, one entry a run."""

    def __init__(self, program: Program, *given: Any, **named: Any) -> None:
        super().__init__(program, *given, **named)
        self.step_number: Any = np.zeros(self.count, dtype=np.int64)
        self._ahead = _Ahead(program, *given, **named)
        self._length = 8

    def go(self, longest: int, tell: Callable[[int, int], None] | None) -> None:
        """Runs all runs to their stop, or to `longest` steps."""
        marks = np.array(sorted({*self.checkpoints, longest}))
        width = max(v.shape[1] if v.ndim == 2 else 1 for v in self._feed.rows.fields.values())
        largest = int(np.clip(NUMBERS // (width * self.count), 2, LONGEST))
        rounds = 0
        with np.errstate(all="ignore"):
            try:
                while self.alive.any():
                    self._step()
                    self._mark(marks, longest)
                    self._skip(marks, largest)
                    rounds += 1
                    if tell is not None and rounds % 32 == 0:
                        tell(int(self.step_number[self.alive].min(initial=longest)), longest)
            except EvaluationError as error:
                raise error if error.diagnostics[0].notes else error.noting("in a run on rows") from None

    def _mark(self, marks: Array, longest: int) -> None:
        living = np.flatnonzero(self.alive)
        if not len(living):
            return
        steps = self.step_number[living]
        if np.isin(steps, marks).any():
            self._write(living, np.equal.outer(self.checkpoints, steps))
            ended = living[steps >= longest]
            if len(ended):
                self._close(ended, self.step_number, None, None)

    def _close(self, rows: Array, steps: Any, value: Array | None, is_label: bool | None) -> None:
        super()._close(rows, steps[rows], value, is_label)

    def _compact(self) -> None:
        """All runs stay: they end at about the same time."""

    def _skip(self, marks: Array, largest: int) -> None:
        """All quiet steps before the next event, or before the next mark; at most a stretch."""
        if not self.alive.any():
            return
        self._open()
        next_mark = marks[np.minimum(np.searchsorted(marks, self.step_number, side="right"), len(marks) - 1)]
        room = np.where(self.alive, np.minimum(next_mark - self.step_number - 1, largest), 0)
        length = int(min(self._length, room.max()))
        if length < 2:
            self._length = max(self._length, 2)
            return
        quiet, fired = self._ahead.look(self, length, np.minimum(room, length))
        self.step_number = self.step_number + quiet
        self.steps_done += int(quiet.sum())
        mean = float(quiet[self.alive].mean()) if self.alive.any() else 1.0
        wanted = 2 * length if fired < 0.3 else 1.5 * mean + 2
        self._length = int(np.clip(wanted, 4, largest))


class _Ahead(Lanes):
    """The engine on a stretch: its runs are all rows of all runs, row by row; nothing is recorded."""

    def __init__(self, program: Program, *given: Any, **named: Any) -> None:
        super().__init__(program, *given, **named)
        needed = _needed(program)
        self._parts: list[Any] = []
        self._sums: dict[str, _AheadSum] = {}
        for statement, run in zip(program.body, self._body, strict=True):
            match statement:
                case Cell(name):
                    cell = self.cells[name]
                    self._sums[name] = _AheadSum(name, cell.body, cell.where, statement.operator, name in needed)
                    self._parts.append(self._sums[name].tick)
                case Define(name) | Draw(name):
                    if name in needed:
                        self._parts.append(run)
                case Report(when=when) | Update(when=when) | Stop(when=when):
                    test = self._where(when)
                    self._parts.append(lambda frame, test=test: self._event(test(frame)))
        self.cells: Any = self._sums
        self._events: Array = np.zeros(0, dtype=bool)
        self._bad = False

    def _compiler(self) -> VectorCompiler:
        return _MemoryOnce(self.program)

    def _event(self, fired: Array) -> None:
        self._events |= fired

    def check(self, bad: Value, what: str, span: Span) -> None:
        self._bad = self._bad or bool(np.any(bad))

    def checked(self, value: Value, frame: Frame, what: str, span: Span) -> Value:
        self._bad = self._bad or bool(np.any(is_nan(value)))
        return value

    def look(self, now: Stretches, length: int, room: Array) -> tuple[Array, float]:
        """(quiet steps of each run, which have entered its sums; the share of runs that have an event ahead)."""
        runs, self.now = now.count, now
        self.count = length * runs
        self.runs = np.tile(now.runs, length)
        self.alive = np.tile(now.alive, length)
        self.step_number: Any = (now.step_number + 1 + np.arange(length)[:, None]).ravel()
        self.fields = self._feed.at(self.runs, self.step_number - 1)
        self.memory = {m: _repeated(v, length) for m, v in now.memory.items()}
        self.earlier = {r: np.tile(v, length) for r, v in now.earlier.items()}
        self.released = dict.fromkeys(now.fired, False)
        self.locals, self._stored = {}, {}
        for stored in self.draws.values():
            stored.value = stored.life = stored.whole = None
        self._events, self._bad = np.zeros(self.count, dtype=bool), False
        for name, sum_ in self._sums.items():
            sum_.start(now.cells[name].kept[()], length)
        frame = Frame(self)
        for part in self._parts:
            part(frame)
        table = self._events.reshape(length, runs)
        first = np.where(table.any(axis=0), table.argmax(axis=0), length)
        quiet = np.minimum(first, room)
        rows = np.arange(length) * runs + np.arange(runs)[:, None]  # run by run
        rows = rows[np.arange(length) < quiet[:, None]]
        entering = [s.entering(self, rows, runs) for s in self._sums.values()] if len(rows) else []
        if self._bad or not len(rows):  # a step by itself will say what is not a number, if it is needed at all
            return np.zeros(runs, dtype=np.int64), 1.0
        for sum_, more in zip(self._sums.values(), entering, strict=True):
            sum_.fold.total = sum_.fold.total + more
        return quiet, float((first < length)[now.alive].mean())


class _MemoryOnce(VectorCompiler):
    """What is made of memories and constants only, as `norm(w)`, is computed once a run instead of once a row."""

    def compile(self, e: ir.Expression) -> Run:
        run = super().compile(e)
        leaves = [x for x in ir.walk(e) if isinstance(x, _CHANGING)]
        if not isinstance(e, ir.Apply) or not any(isinstance(x, ir.MemoryValue) for x in leaves):
            return run
        if not all(isinstance(x, ir.MemoryValue) for x in leaves):
            return run

        def once(f: Frame) -> Value:
            ahead: Any = f.engine
            if not isinstance(ahead, _Ahead):  # a part of such an expression
                return run(f)
            value = spread(run(Frame(ahead.now)), ahead.now.count)
            return ahead.read(_repeated(value, ahead.count // ahead.now.count), f.rows)

        return once


_CHANGING = (
    ir.MemoryValue, ir.Field, ir.Local, ir.CellValue, ir.Reported, ir.Drawn, ir.Noised, ir.StepNumber, ir.Bound,
    ir.Records, ir.Quantified, ir.Law, ir.Weights, ir.WeightsOf, ir.RealVectors,
)  # fmt: skip


class _AheadSum:
    """A sum or count over the rows of a stretch."""

    def __init__(self, name: str, body: Any, where: Any, operator: str, needed: bool) -> None:
        self.body, self.where, self.operator, self.needed = body, where, operator, needed
        self.fold = Fold(operator)
        self.length = 0
        self._values: Value = None

    def start(self, kept: Any, length: int) -> None:
        self.fold, self.length, self._values = kept, length, None

    def tick(self, frame: Frame) -> None:
        """Only what a condition of an event reads is needed at every row."""
        if self.needed:
            self._values = self._of(frame)

    def _of(self, frame: Frame) -> Value:
        taken = True if self.where is None else self.where(frame)
        value = self.body(frame)
        if self.operator == "count":
            return np.logical_and(taken, value) * 1.0
        return value if taken is True else np.where(taken, value, 0.0)

    def read(self, key: tuple[Value, ...]) -> Value:
        """The sum up to each row."""
        runs = np.shape(self.fold.total)[-1]
        values = spread(self._values, self.length * runs)
        table = np.cumsum(values.reshape(*values.shape[:-1], self.length, runs), axis=-2)
        return (table + self.fold.total[..., None, :]).reshape(values.shape)

    def entering(self, ahead: _Ahead, rows: Array, runs: int) -> Value:
        """What these rows add for each run."""
        if self._values is not None:
            values = spread(self._values, self.length * runs)[..., rows]
        else:
            if self.where is not None:
                holds = np.broadcast_to(self.where(Frame(ahead, rows)), (len(rows),))
                rows = rows[holds]
            if not len(rows):
                return 0.0
            value = self.body(Frame(ahead, rows))
            values = spread(value * 1.0, len(rows))
        ahead.checked(values, Frame(ahead, rows), "", NOWHERE)
        return _by_run(values, rows % runs, runs)


def _by_run(values: Array, run: Array, runs: int) -> Array:
    """Sums of the last axis by run; the runs ascend."""
    if values.ndim == 1:
        return np.bincount(run, values, runs)
    first = np.flatnonzero(np.diff(run, prepend=-1))
    result = np.zeros((*values.shape[:-1], runs))
    result[..., run[first]] = np.add.reduceat(values, first, axis=-1)
    return result


def _repeated(value: Array, times: int) -> Array:
    """For every row of a stretch; a vector's coordinates stand together, as in the rows."""
    return np.tile(value.T, (times, *[1] * (value.ndim - 1))).T


def _needed(program: Program) -> set[str]:
    """Names on which a condition of an event, or a sum, depends."""
    found: set[str] = set()
    pending: list[ir.Expression] = []
    by_name = {s.name: s for s in program.body if isinstance(s, (Define, Draw, Cell))}
    events = (s for s in program.body if isinstance(s, (Report, Update, Stop)))
    pending += [s.when for s in events if s.when is not None]
    while pending:
        for e in ir.walk(pending.pop()):
            name = getattr(e, "name", None)
            if isinstance(e, (ir.Local, ir.CellValue, ir.Drawn, ir.Noised)) and name in by_name and name not in found:
                found.add(name)
                pending += _parts(by_name[name])
    for statement in program.body:
        if isinstance(statement, Cell):
            pending += _parts(statement)
    while pending:
        for e in ir.walk(pending.pop()):
            name = getattr(e, "name", None)
            if isinstance(e, (ir.Local, ir.Drawn, ir.Noised, ir.CellValue)) and name in by_name and name not in found:
                found.add(name)
                pending += _parts(by_name[name])
    return found


def _parts(statement: Define | Draw | Cell) -> list[ir.Expression]:
    match statement:
        case Define(expression=e):
            return [e]
        case Draw(law=e):
            return [e]
        case Cell(body=body, where=where):
            return [body] if where is None else [body, where]
