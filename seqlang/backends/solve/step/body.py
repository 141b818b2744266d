"""The values of one step for many states at once, as the expression compiler of the array engine reads them.

A `Stage` holds, for `count` rows (distinct states of the run), the inputs, statistics, cells, memories and reports.
Arrays are never changed in place, so stages may share them; `take` gathers rows into a new stage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays import noises
from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.arrays.frame import Frame, Run, in_any_coordinate
from seqlang.backends.arrays.noises import is_truth, moved
from seqlang.backends.arrays.values import CannotVectorise, Ragged, Value, is_nan, shape_of, spread, take
from seqlang.backends.interpret.values import FOR_OTHERS, UNDECIDED
from seqlang.backends.solve.step.rounding_of_sums import (
    NONE,
    Added,
    CarriedCell,
    RoundingBound,
    rounding_bound,
    size_of,
)
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model import expression as ir
from seqlang.model.program import Cell, Program
from seqlang.source import Span

S = TypeVar("S")
Rows = NDArray[np.intp]


class Given:
    """A cell whose value the caller gives, instead of one that adds up entries."""

    def __init__(self, value: Value) -> None:
        self.value = value

    def read(self, key: tuple[Value, ...]) -> Value:
        return self.value

    def tail_lengths(self, keys: Sequence[Value]) -> None:
        """No steps are kept here, of which one window could serve several lengths."""
        return


class Stage:
    """`held` has the values of noises that are enumerated, `fired` whether each report was made and `released` its
    value. `added`, which all stages of a chain share, says what was added to memories. `strict`: a comparison with what
    is not a number raises Unsolved (else it is false)."""

    def __init__(self, compiler: VectorCompiler, count: int, strict: bool = True) -> None:
        self.compiler = compiler
        self.program: Program = compiler.program
        self.count = count
        self.strict = strict
        self.wrong: Value = False
        """Where it is not strict: the rows in which something is no number, or not known well."""
        self.step_number: Any = 0
        self.size = 0
        self.fields: dict[str, Value] = {}
        self.locals: dict[str, Value] = {}
        self.released: dict[str, Value] = {}
        self.memory: dict[str, Value] = {}
        self.held: dict[str, Value] = {}
        self.fired: dict[str, Value] = {}
        self.cells: dict[str, Any] = {}
        self.added: dict[str, Added] = {}

    def take(self, rows: Rows) -> Stage:
        """The stage of these rows, in that order; a row may come several times."""
        new = _shallow(self)
        new.count = len(rows)
        for name in ("fields", "locals", "released", "memory", "held", "fired"):
            table: Mapping[str, Value] = getattr(self, name)
            setattr(new, name, {k: take(v, rows, self.count) for k, v in table.items()})
        new.wrong = take(self.wrong, rows, self.count)
        new.cells = {name: taken(cell, rows) for name, cell in self.cells.items()}
        return new

    def frame(self, rows: Rows | None = None) -> Frame:
        return Frame(self, rows)

    def value(self, run: Run) -> Value:
        """The value of a compiled expression on all rows; Unsolved for what arrays turn out not to hold."""
        with np.errstate(all="ignore"):
            try:
                return run(self.frame())
            except CannotVectorise as why:
                raise Unsolved(str(why)) from None

    def numbers(self, run: Run) -> NDArray[np.float64]:
        """The value as an array (rows,) or (1,); Unsolved for vectors."""
        value = self.value(run)
        if isinstance(value, Ragged) or shape_of(value):
            raise Unsolved("a vector is compared")
        return np.atleast_1d(np.asarray(value, dtype=np.float64))

    def drift(self, run: Run, bound: Mapping[int, float]) -> NDArray[np.float64]:
        """See `drift.size_of`."""
        return size_of(run, self.frame(), bound)

    def off(self, name: str) -> RoundingBound:
        """How far the sum in this cell or memory may be off by rounding."""
        cell = self.cells.get(name)
        if isinstance(cell, CarriedCell):
            return cell.added.off
        if isinstance(cell, Given):
            return rounding_bound(np.asarray(cell.value, dtype=np.float64))
        if name not in self.added:
            return NONE
        most = self.added[name].off.most
        return RoundingBound(most, most, np.inf)  # what is added follows from what was shown: it may be anything

    # ---- what compiled expressions read

    def check(self, bad: Value, what: str, span: Span) -> None:
        if not np.any(bad):
            return
        if what in (UNDECIDED, FOR_OTHERS):
            raise Unsolved(what)
        if self.strict:
            raise Unsolved(f"{what} is not a number in step {self.step_number}")
        self.wrong = np.logical_or(self.wrong, in_any_coordinate(bad))

    def checked(self, value: Value, frame: Frame, what: str, span: Span) -> Value:
        self.check(is_nan(value), what, span)
        return value

    def flips(self, name: str) -> bool:
        return self.program.noise(name).flips

    def noise(self, name: str, shape: tuple[int, ...], frame: Frame) -> Value:
        if name not in self.held:
            raise Unsolved(f"the noise `{name}` is read as a value")
        if shape:
            raise Unsolved(f"the noise `{name}` is a vector")
        return take(self.held[name], frame.rows, self.count)

    def drawn(self, name: str, frame: Frame) -> Value:
        return self.noise(name, (), frame)

    def flipped(self, name: str, read: ir.Noised, value: Value, frame: Frame) -> Value:
        """The value moved by the enumerated number of places on the circle of its letters."""
        letters = self.letters(read, value)
        return moved(value, letters, np.asarray(self.noise(name, shape_of(value), frame), dtype=np.intp))

    def letters(self, read: ir.Noised, value: Value) -> list[float]:
        """The alphabet of a flipped value."""
        return [0, 1] if is_truth(value) else letters_of(self.compiler, read)


def letters_of(compiler: VectorCompiler, read: ir.Noised) -> list[float]:
    """The alphabet of a flipped label or number. Raises Unsolved where it is not finite."""
    found = noises.letters_of(compiler, read)
    if found is None:
        raise Unsolved(f"`{read.name}` is flipped and has no finite domain")
    return found


def _shallow(one: S) -> S:
    """What `copy.copy` makes of an object without slots, at a fifth of the cost: it is done several times a step."""
    new = object.__new__(type(one))
    new.__dict__.update(one.__dict__)
    return new


def taken(cell: Any, rows: Rows) -> Any:
    """The cell on those rows; what is done to it later leaves `cell` as it is."""
    new = _shallow(cell)
    if isinstance(cell, Given):
        new.value = cell.value
        return new
    new.kept = {}
    for key, kept in cell.kept.items():
        other = _shallow(kept)
        other.keep(rows)
        new.kept[key] = other
    return new


def started(program: Program, compiler: VectorCompiler, names: frozenset[str]) -> Stage:
    """One row before step 1, with the memories and cells of those names."""
    stage = Stage(compiler, 1)
    with np.errstate(all="ignore"):
        for memory in program.memories:
            if memory.name in names:
                value = stage.value(compiler.compile(memory.initial))
                if isinstance(value, Ragged):
                    raise Unsolved("a memory that is a list")
                stage.memory[memory.name] = spread(value * 1.0, 1)
        for statement in program.body:
            if isinstance(statement, Cell) and statement.name in names:
                cell = CarriedCell(statement, compiler)
                cell.start(stage, stage.frame())
                stage.cells[statement.name] = cell
    return stage


def with_plain_values(
    compiler: VectorCompiler,
    definitions: Mapping[str, Run],
    step: Any,
    cells: Mapping[str, Any],
    fields: Mapping[str, Any],
) -> Stage:
    """The rows with these values of cells and fields, numbers or (rows,) each, and the values of these definitions."""
    count = max((np.shape(v)[-1] for v in (*cells.values(), *fields.values()) if np.ndim(v)), default=1)
    stage = Stage(compiler, count, strict=False)
    stage.step_number = np.asarray(step, dtype=np.float64) if np.ndim(step) else step
    stage.fields = dict(fields)
    stage.cells = {name: Given(value) for name, value in cells.items()}
    for name, run in definitions.items():
        stage.locals[name] = stage.value(run)
    return stage
