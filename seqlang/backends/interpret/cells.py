"""Folds over time: what a `Cell` statement keeps from step to step."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Protocol, assert_never

from seqlang.backends.interpret.code import STATE, Expressions
from seqlang.backends.interpret.operators import PAIR
from seqlang.backends.interpret.shapes import UNKNOWN, declared_records, shape_of_expression
from seqlang.backends.interpret.state import PartialState, Run, State
from seqlang.backends.interpret.values import Value, each, filled, is_vector, pairwise
from seqlang.model import expression as ir
from seqlang.model.program import AllSteps, AtReports, Cell, LastSteps, Previous, SinceReport
from seqlang.operators.groups import SUMS

Key = tuple[Value, ...]
LONGEST = 1 << 62
"""More steps than any run makes."""


class Accumulator:
    """`operator` over the values added so far. The mean of nothing is not a number, its extremes are infinite: a cell
    ticks whether or not it is read, so an error has to wait for the reading."""

    __slots__ = ("best", "count", "operator", "step", "sum")

    def __init__(self, operator: str, zero: Value) -> None:
        self.operator = operator
        self.count = 0
        self.sum: Value = zero
        self.best: Value = None
        self.step: Value = math.nan

    def add(self, step: int, value: Value) -> None:
        match self.operator:
            case "count":
                self.count += 1 if value else 0
            case "sum" | "mean":
                self.count += 1
                self.sum = pairwise(PAIR["+"], self.sum, value) if is_vector(value) else self.sum + value
            case "max" | "min":
                choose: Callable[[Value, Value], Value] = max if self.operator == "max" else min
                self.best = value if self.best is None else pairwise(choose, self.best, value)
            case _:
                better = self.best is None or (value > self.best if self.operator == "argmax" else value < self.best)
                if better:
                    self.best, self.step = value, step

    def result(self) -> Value:
        match self.operator:
            case "count":
                return self.count
            case "sum":
                return self.sum
            case "mean":
                return each(lambda x: x / self.count, self.sum) if self.count else math.nan
            case "max":
                return -math.inf if self.best is None else self.best
            case "min":
                return math.inf if self.best is None else self.best
            case _:
                return self.step


class Kept(Protocol):
    """What one combination of binder values keeps. `begin` is called before a step's body, `tick` at the cell's place;
    `value` is None where `where` was false."""

    def begin(self, fired: bool) -> None: ...

    def tick(self, step: int, taken: bool, value: Value) -> None: ...

    def read(self) -> Value: ...


class _Running:
    """over steps, since R: `begin` starts anew after a report of R (AllSteps is never told of one)."""

    __slots__ = ("accumulator", "new")

    def __init__(self, new: Callable[[], Accumulator]) -> None:
        self.new = new
        self.accumulator = new()

    def begin(self, fired: bool) -> None:
        if fired:
            self.accumulator = self.new()

    def tick(self, step: int, taken: bool, value: Value) -> None:
        if taken:
            self.accumulator.add(step, value)

    def read(self) -> Value:
        return self.accumulator.result()


class _Window:
    """over last m: folded anew at each reading, so that no rounding is carried along. Where m changes from step to step
    (`most` is None) all entries are kept, as a later window may reach back further; `length` is that of this step."""

    __slots__ = ("entries", "length", "new")

    def __init__(self, new: Callable[[], Accumulator], most: int | None) -> None:
        self.new = new
        self.length = most
        self.entries: deque[tuple[int, bool, Value]] = deque(maxlen=most)

    def begin(self, fired: bool) -> None:
        pass

    def tick(self, step: int, taken: bool, value: Value) -> None:
        self.entries.append((step, taken, value))

    def read(self) -> Value:
        accumulator = self.new()
        before = 0 if self.length is None else max(0, len(self.entries) - self.length)
        for step, taken, value in islice(self.entries, before, None):
            if taken:
                accumulator.add(step, value)
        return accumulator.result()


class _History:
    """history(E, R): what was stored in a step joins the list in the next one if R was reported."""

    __slots__ = ("pending", "values")

    def __init__(self) -> None:
        self.values: tuple[Value, ...] = ()
        self.pending: tuple[Value, ...] = ()

    def begin(self, fired: bool) -> None:
        if fired:
            self.values = (*self.values, *self.pending)
        self.pending = ()

    def tick(self, step: int, taken: bool, value: Value) -> None:
        if taken:
            self.pending = (value,)

    def read(self) -> Value:
        return self.values


class _Previous:
    """previous(E, init): what was stored one step ago (with `where`: the last time it held)."""

    __slots__ = ("pending", "value")

    def __init__(self, initial: Value) -> None:
        self.value = initial
        self.pending = initial

    def begin(self, fired: bool) -> None:
        self.value = self.pending

    def tick(self, step: int, taken: bool, value: Value) -> None:
        if taken:
            self.pending = value

    def read(self) -> Value:
        return self.value


class CellState:
    """The state of one cell: one `Kept` for each combination of its binders' values."""

    def __init__(self, cell: Cell, compiler: Expressions) -> None:
        self.cell = cell
        self.report = cell.keep.report if isinstance(cell.keep, (SinceReport, AtReports)) else None
        body = compiler.compile(cell.body).run
        self.body = compiler.averaged(body) if cell.operator == "mean" else body
        self.where = None if cell.where is None else compiler.compile(cell.where).run
        self.kept: dict[tuple[Value, ...], Kept] = {}
        self.compiler = compiler
        self.changing = changing_length(cell, compiler)
        self._names = [variable.number for variable, _ in cell.binders]

    def start(self, m: State) -> None:
        for key in keys_of(self.cell, self.compiler, m.records):
            m.bound.update(zip(self._names, key, strict=True))
            self.kept[key] = self._make(m)
        self._forget(m)

    def _forget(self, m: State) -> None:
        for name in self._names:
            m.bound.pop(name, None)

    def begin(self, fired: bool) -> None:
        for kept in self.kept.values():
            kept.begin(fired)

    def tick(self, m: State) -> None:
        for key, kept in self.kept.items():
            m.bound.update(zip(self._names, key, strict=True))
            taken = self.where is None or bool(self.where(m))
            kept.tick(m.step_number, taken, self.body(m) if taken else None)
            if self.changing is not None and isinstance(kept, _Window):
                kept.length = whole_length(self.changing(m))
        self._forget(m)

    def read(self, key: tuple[Value, ...]) -> Value:
        return self.kept[key].read()

    def _make(self, m: State) -> Kept:
        keep, operator = self.cell.keep, self.cell.operator
        shape = shape_of_expression(self.compiler, self.cell.body) if operator in SUMS else ()

        def new() -> Accumulator:
            return Accumulator(operator, 0 if UNKNOWN in shape else filled(shape, lambda: 0))

        match keep:
            case AllSteps() | SinceReport():
                return _Running(new)
            case LastSteps(count):
                return _Window(new, None if self.changing else whole_length(self.compiler.compile(count).run(m)))
            case AtReports():
                return _History()
            case Previous(initial):
                return _Previous(self.compiler.compile(initial).run(m))
            case _:
                assert_never(keep)


def keys_of(cell: Cell, compiler: Expressions, records: range, first: Key = ()) -> Iterator[Key]:
    """All combinations of the binders' values that begin with `first`. A set may read the binders before it."""
    if len(first) == len(cell.binders):
        yield first
        return
    for value in _at(cell.binders[len(first)][1], cell, compiler, first, records):
        yield from keys_of(cell, compiler, records, (*first, value))


def window_of(cell: Cell, compiler: Expressions, key: Key) -> int:
    """How many steps the window of this key has."""
    assert isinstance(cell.keep, LastSteps)
    return whole_length(_at(cell.keep.count, cell, compiler, key, declared_records(compiler)))


def _at(e: ir.Expression, cell: Cell, compiler: Expressions, key: Key, records: range) -> Value:
    bound = dict(zip((variable.number for variable, _ in cell.binders), key, strict=False))
    return compiler.compile(e).run(PartialState(bound=bound, records=records))


def changing_length(cell: Cell, compiler: Expressions) -> Run | None:
    """The length of a window, where it is evaluated anew in each step in the cell's place: it reads more than constants
    and the cell's binders. None for other cells."""
    if not isinstance(cell.keep, LastSteps):
        return None
    count = compiler.compile(cell.keep.count)
    return count.run if STATE in count.reads else None


def whole_length(steps: float) -> int:
    """The length of `over last steps`: whole steps only, none below 1, and all of them for infinitely many."""
    return math.floor(max(0, min(steps, LONGEST)))
