"""Many runs at once, step by step. Finished runs are dropped; every run has its own random streams, so that what a run
does never depends on the runs beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.cells import VectorCell
from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.arrays.frame import Frame
from seqlang.backends.arrays.inputs import Inputs, VectorInputs
from seqlang.backends.arrays.laws import Flip, Tree, VectorLaw
from seqlang.backends.arrays.noises import Stored, TreeStored
from seqlang.backends.arrays.record import Record
from seqlang.backends.arrays.streams import Source, Streams
from seqlang.backends.arrays.values import CannotVectorise, Ragged, Rows, Value, is_nan, spread, take
from seqlang.backends.interpret.alphabet import alphabet_of
from seqlang.backends.interpret.values import EvaluationError, as_index
from seqlang.model import expression as ir
from seqlang.model.life import EachReport, EachStep, Life, Once
from seqlang.model.program import Cell, Define, Draw, Model, Program, Report, Stop, Update
from seqlang.source import Span

Array = NDArray[Any]
FEWEST = 8
"""Arrays never have fewer runs than this: numpy adds up a single column in another order than several."""
COMPACT = 8
"""Finished runs are dropped when they are more than one in this many."""


class Engine:
    """One batch of runs. `run(cap)` runs them and writes to `record`.

    Raises CannotVectorise here or in a step, EvaluationError where an expression has no value.
    """

    def __init__(
        self, program: Program, model: Model | None, record: Record, seed: int, runs: NDArray[np.int64]
    ) -> None:
        self.program = program
        self.record = record
        self.compiler = self._compiler()
        padded = np.concatenate([runs, np.repeat(runs[-1:], max(0, FEWEST - len(runs)))])
        self.runs = padded
        self.count = len(padded)
        self.alive = np.arange(self.count) < len(runs)
        self.noise_streams = Streams(seed, padded, "noise")
        self.input_streams = Streams(seed, padded, "inputs")
        self.step_number = 0
        self.steps_done = 0
        self.size = 0 if program.size is None else as_index(self.compiler.exact.constant(program.size))
        self.inputs = self._inputs(model)
        self.fields: dict[str, Value] = {}
        self.locals: dict[str, Value] = {}
        self.released: dict[str, Value] = {}
        self.last: dict[str, Value] = {}  # what each report released last
        self.draws: dict[str, Stored] = {}
        reports = [s.name for s in program.body if isinstance(s, Report)]
        self.fired: dict[str, Array] = {name: np.zeros(self.count, dtype=bool) for name in reports}
        self.earlier: dict[str, Array] = {name: np.zeros(self.count, dtype=np.int64) for name in reports}
        self._noises = {n.name: n for n in program.noises}
        self._laws = {n.name: self.compiler.compile(n.law) for n in program.noises}
        self._flips = {n.name: _flips(n.law) for n in program.noises}
        self._stored: dict[str, Stored | TreeStored] = {}
        self._letters: dict[str, list[float] | None] = {}
        self._statistics = [s.name for s in program.body if isinstance(s, Define) and s.kind == "statistic"]
        self.cells = {s.name: VectorCell(s, self.compiler) for s in program.body if isinstance(s, Cell)}
        frame = Frame(self)
        initial = {m.name: self.compiler.compile(m.initial)(frame) for m in program.memories}
        self.memory = {name: spread(value * 1.0, self.count) for name, value in initial.items()}
        self._body = [self._compiled(s) for s in program.body]
        for cell in self.cells.values():
            cell.start(self, frame)

    def _compiler(self) -> VectorCompiler:
        return VectorCompiler(self.program)

    def _inputs(self, model: Model | None) -> Inputs:
        assert model is not None
        return VectorInputs(self.program, model, self.compiler)

    def run(self, cap: int | None, tell: Callable[[Engine], None]) -> None:
        """Runs all runs to their stop, or to `cap` steps. `tell` is called after every step.

        KeyboardInterrupt: what is unfinished is recorded as unstopped at its last full step, and it goes on upwards.
        """
        with np.errstate(all="ignore"):
            try:
                self.fields.update(self.inputs.dataset(self))
                while self.alive.any():
                    if cap is not None and self.step_number >= cap:
                        self._give_up(self.step_number)
                        return
                    self._step()
                    tell(self)
            except EvaluationError as error:
                if error.diagnostics[0].notes:
                    raise
                raise error.noting(f"in step {self.step_number}") from None
            except KeyboardInterrupt:
                self._give_up(max(0, self.step_number - 1))
                raise

    def _give_up(self, steps: int) -> None:
        rows = np.flatnonzero(self.alive)
        self._close(rows, steps, None, None)

    def _open(self) -> None:
        """What the last step's reports do at the start of a new one."""
        for name, fired in self.fired.items():
            self.earlier[name] = self.earlier[name] + fired
        for cell in self.cells.values():
            cell.begin(None if cell.report is None or self.step_number == 0 else self.fired[cell.report])
        self.fired = {name: np.zeros(self.count, dtype=bool) for name in self.fired}

    def _step(self) -> None:
        self._open()
        self.step_number += 1
        self.released = dict(self.fired)
        self.steps_done += int(np.count_nonzero(self.alive))
        self.fields.update(self.inputs.entry(self))
        frame = Frame(self)
        for statement in self._body:
            statement(frame)
        self._compact()

    def _compact(self) -> None:
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
        self.noise_streams.keep(rows)
        self.input_streams.keep(rows)
        for table in (self.fields, self.locals, self.memory, self.released, self.last, self.fired, self.earlier):
            for name, value in table.items():
                table[name] = take(value, rows, before)
        for kept in (*self.cells.values(), *self._stored.values(), *self.draws.values()):
            kept.keep(rows)
        self.count = len(rows)

    # ---- what expressions read

    def read(self, value: Value, rows: Rows | None) -> Value:
        return take(value, rows, self.count)

    def check(self, bad: Value, what: str, span: Span) -> None:
        """An error if a living run has a value that is not a number; `bad` marks the runs."""
        found = np.flatnonzero(np.broadcast_to(bad, (self.count,)) & self.alive)
        if len(found):
            self._fail(found[0], what, span)

    def _fail(self, row: int, what: str, span: Span) -> None:
        note = f"in step {self.step_number} of run {int(self.runs[row])}"
        raise EvaluationError(f"{what} is not a number (0/0, or the logarithm or root of a negative?)", span, (note,))

    def checked(self, value: Value, frame: Frame, what: str, span: Span) -> Value:
        bad = is_nan(value)
        if np.any(bad):
            rows = np.arange(self.count) if frame.rows is None else frame.rows
            found = rows[np.broadcast_to(bad, (frame.count,)) & self.alive[rows]]
            if len(found):
                self._fail(int(found[0]), what, span)
        return value

    # ---- randomness

    def _life(self, life: Life) -> int | Array:
        match life:
            case Once():
                return 0
            case EachStep():
                return self.step_number
            case EachReport(report):
                return self.earlier[report]
            case _:
                assert_never(life)

    def flips(self, name: str) -> bool:
        return self._flips[name]

    def noise(self, name: str, shape: tuple[int, ...], frame: Frame) -> Value:
        """The noise in its present life, for a value of that shape."""
        noise = self._noises[name]
        law: VectorLaw = self._laws[name](frame)
        if isinstance(law, Tree):
            tree = self._stored.setdefault(name, TreeStored(law))
            assert isinstance(tree, TreeStored)
            epoch = self._life(noise.life) if isinstance(noise.life, EachReport) else 0
            return tree.read(epoch, shape, frame, self.noise_streams)
        stored = self._stored.setdefault(name, Stored())
        assert isinstance(stored, Stored)
        life = self._life(noise.life)
        return stored.read(life, shape, frame, self.noise_streams, law.sample)

    def drawn(self, name: str, frame: Frame) -> Value:
        if name in self._noises:
            law = self._laws[name](frame)
            return self.noise(name, law.shape(), frame)
        return self.read(self.draws[name].value, frame.rows)

    def flipped(self, name: str, read: ir.Noised, value: Value, frame: Frame) -> Value:
        """Randomised response on truth values, labels or the values of a finite domain."""
        law = self._laws[name](frame)
        assert isinstance(law, Flip)
        if (isinstance(value, np.ndarray) and value.dtype == np.bool_) or isinstance(value, bool):
            letters: list[float] = [0, 1]
        elif self.compiler.is_label(read.base):
            letters = [self.compiler.labels[label] for label in self.program.labels]
        else:
            letters = self._alphabet(read)
        size = len(letters)
        shape = value.shape[:-1] if isinstance(value, np.ndarray) else ()
        stored = self._stored.setdefault(name, Stored())
        assert isinstance(stored, Stored)
        life = self._life(self._noises[name].life)
        places = stored.read(life, shape, frame, self.noise_streams, lambda source, s: law.places(source, s, size))
        table = np.asarray(letters)
        at = np.zeros(np.shape(value), dtype=np.intp)
        for i, letter in enumerate(letters):
            at = np.where(np.equal(value, letter), i, at)
        moved = table[(at + places) % size]
        return moved.astype(bool) if letters == [0, 1] and np.asarray(value).dtype == np.bool_ else moved * 1.0

    def _alphabet(self, read: ir.Noised) -> list[float]:
        if read.name not in self._letters:
            found = alphabet_of(self.compiler.exact, read)
            self._letters[read.name] = None if found is None else [float(v) for v in found]
        letters = self._letters[read.name]
        if letters is None:
            raise EvaluationError(f"randomised response needs a finite domain, `{read.name}` has none")
        return letters

    # ---- statements

    def _compiled(self, statement: Any) -> Callable[[Frame], None]:
        match statement:
            case Define(name, expression, _, _, span):
                return self._define(name, self.compiler.compile(expression), span)
            case Cell(name):
                return lambda frame: self.cells[name].tick(frame)
            case Draw():
                return self._draw(statement)
            case Report():
                return self._report(statement)
            case Update():
                return self._update(statement)
            case Stop():
                return self._stop(statement)
            case _:
                raise TypeError(f"not a statement: {statement!r}")

    def _define(self, name: str, run: Callable[[Frame], Value], span: Span) -> Callable[[Frame], None]:
        def define(frame: Frame) -> None:
            value = run(frame)
            if isinstance(value, VectorLaw):
                raise CannotVectorise("a law as the value of a name that changes")
            self.locals[name] = self.checked(value, frame, f"`{name}`", span)

        return define

    def _draw(self, draw: Draw) -> Callable[[Frame], None]:
        make = self.compiler.compile(draw.law)
        stored = self.draws.setdefault(draw.name, Stored())

        def run(frame: Frame) -> None:
            life = self._life(draw.life)
            if isinstance(life, int) and stored.whole == life:
                return
            law = make(frame)

            def sample(source: Source, shape: tuple[int, ...]) -> Array:
                if source.count == self.count:
                    return np.asarray(law.sample(source, law.shape()))
                part = make(Frame(self, source.rows))
                return np.asarray(part.sample(source, part.shape()))

            stored.read(life, (), frame, self.noise_streams, sample)

        return run

    def _where(self, when: ir.Expression | None) -> Callable[[Frame], Array]:
        """The living runs in which a condition holds."""
        if when is None:
            return lambda frame: self.alive.copy()
        test = self.compiler.compile(when)
        return lambda frame: np.logical_and(self.alive, test(frame))

    def _report(self, report: Report) -> Callable[[Frame], None]:
        where, name = self._where(report.when), report.name
        value = None if report.value is None else self.compiler.compile(report.value)

        def run(frame: Frame) -> None:
            fired = where(frame)
            self.fired[name] = fired
            if value is None:
                self.released[name] = fired
                return
            rows = np.flatnonzero(fired)
            if len(rows) == self.count:
                self.released[name] = self.last[name] = self.checked(value(frame), frame, f"`{name}`", report.span)
                return
            self.released[name] = float("nan")
            if len(rows):
                some = Frame(self, rows)
                part = spread(self.checked(value(some), some, f"`{name}`", report.span), len(rows))
                whole = np.full((*part.shape[:-1], self.count), np.nan)
                whole[..., rows] = part
                self.released[name] = whole
                self.last[name] = np.where(fired, whole, self.last.get(name, np.nan))

        return run

    def _update(self, update: Update) -> Callable[[Frame], None]:
        where, name, value = self._where(update.when), update.memory, self.compiler.compile(update.value)

        def run(frame: Frame) -> None:
            rows = np.flatnonzero(where(frame))
            if not len(rows):
                return
            some = frame if len(rows) == self.count else Frame(self, rows)
            new = self.checked(value(some), some, f"`{name}`", update.span)
            if isinstance(new, Ragged):
                raise CannotVectorise("a memory that is a list")
            changed = self.memory[name].copy()
            if np.ndim(new) > changed.ndim:
                changed = spread(changed + np.zeros_like(new[..., :1]), self.count)
            changed[..., rows] = new
            self.memory[name] = changed

        return run

    def _stop(self, stop: Stop) -> Callable[[Frame], None]:
        where = self._where(stop.when)
        result = None if stop.result is None else self.compiler.compile(stop.result)
        is_label = stop.result is not None and self.compiler.is_label(stop.result)

        def run(frame: Frame) -> None:
            rows = np.flatnonzero(where(frame))
            if not len(rows):
                return
            value = None
            if result is not None:
                some = Frame(self, rows)
                value = spread(self.checked(result(some), some, "the return value", stop.span), len(rows))
            self._close(rows, self.step_number, value, is_label)

        return run

    def _close(self, rows: Rows, steps: int, value: Array | None, is_label: bool | None) -> None:
        """Records the end of these runs: `is_label` is None for runs that have not stopped."""
        runs = self.runs[rows]
        self.alive[rows] = False
        self.record.close(runs, steps, is_label is not None or value is not None, value, bool(is_label))
        for name in self._statistics:
            if name in self.locals and not isinstance(self.locals[name], Ragged):
                self.record.statistic(name, runs, spread(take(self.locals[name], rows, self.count), len(rows)))
        for name, value_ in self.last.items():
            if not isinstance(value_, Ragged):
                self.record.release(name, runs, spread(take(value_, rows, self.count), len(rows)))
        for name, earlier in self.earlier.items():
            self.record.reports[name][runs - self.record.first] = earlier[rows] + self.fired[name][rows]


def _flips(law: ir.Expression) -> bool:
    return isinstance(law, ir.Law) and law.family == "randomized_response"
