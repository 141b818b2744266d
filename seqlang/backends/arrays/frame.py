"""The state of many runs, as compiled expressions read it, and the rows of it that one evaluation is about."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.values import Rows, Value, take
from seqlang.backends.interpret import code
from seqlang.backends.interpret.state import NO_NAMES
from seqlang.model import expression as ir
from seqlang.model.at_the_moment import Run as Form
from seqlang.model.program import Program
from seqlang.source import Span


class ReadableCell(Protocol):
    """A cell of all runs, which has a value for each combination of its binders' values."""

    def read(self, key: tuple[Value, ...]) -> Value:
        """The value in all runs."""

    def tail_lengths(self, keys: Sequence[Value]) -> NDArray[Any] | None:
        """How many steps are read for each of one binder's values, where one window serves them all; else None."""

    def read_tails(self, lengths: NDArray[Any]) -> Value | None:
        """The readings for such lengths as a vector; None where there is none yet."""


class State(Protocol):
    """What an expression may read of `count` runs at its place in a step: simulation reads them of runs that are drawn
    (`engine.Engine`), `solve` of states of positive probability, training of rows of a file.

    Values are found by the names of the program; `size` is the number of records."""

    @property
    def count(self) -> int: ...

    @property
    def size(self) -> int: ...

    @property
    def step_number(self) -> Any: ...

    @property
    def fields(self) -> Mapping[str, Value]: ...

    @property
    def locals(self) -> Mapping[str, Value]: ...

    @property
    def memory(self) -> Mapping[str, Value]: ...

    @property
    def released(self) -> Mapping[str, Value]: ...

    @property
    def cells(self) -> Mapping[str, ReadableCell]: ...

    def check(self, bad: Value, what: str, span: Span) -> None:
        """Raises an error if `what` is not a number in a run that counts; `bad` marks the runs where it is not."""

    def checked(self, value: Value, frame: Frame, what: str, span: Span) -> Value:
        """The value; raises an error if it is not a number in a run of the frame that counts."""

    def drawn(self, name: str, frame: Frame) -> Value:
        """The value of a named draw in the frame's runs."""

    def flips(self, name: str) -> bool:
        """Whether the noise of that name is randomised response."""

    def noise(self, name: str, shape: tuple[int, ...], frame: Frame) -> Value:
        """The noise in its present life, for a number (shape ()) or a vector of that shape."""

    def flipped(self, name: str, read: ir.Noised, value: Value, frame: Frame) -> Value:
        """The value after the randomised response of that name."""


class PartialState:
    """A state of `count` runs for expressions that draw nothing and read no cell, nor what was computed or released in
    a step: the caller knows that. What is not a number is no error."""

    size = 0
    locals: Mapping[str, Value] = NO_NAMES
    released: Mapping[str, Value] = NO_NAMES
    cells: Mapping[str, ReadableCell] = NO_NAMES

    def __init__(
        self, count: int, *, fields: Mapping[str, Value], memory: Mapping[str, Value], step_number: int
    ) -> None:
        self.count, self.fields, self.memory, self.step_number = count, fields, memory, step_number

    def check(self, bad: Value, what: str, span: Span) -> None:
        """Nothing."""

    def checked(self, value: Value, frame: Frame, what: str, span: Span) -> Value:
        """The value."""
        return value

    def drawn(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """Raises KeyError: nothing is drawn here, and there is no noise."""
        raise KeyError(name)

    flips = noise = flipped = drawn


Doubt = tuple[Value, str, Span]
"""Where something has no value, what it is, and where it stands."""


class Frame:
    """Where an expression is evaluated: `rows` of the runs of a state (None: all).

    `bound` holds the values of `for` variables by their numbers. Where the value may not be needed (as in a branch of
    `if`), what has no value is a doubt, until it is known in which runs it is needed."""

    __slots__ = ("bound", "count", "doubts", "rows", "state")

    def __init__(self, state: State, rows: Any = None) -> None:
        self.state = state
        self.rows = rows
        self.count = state.count if rows is None else len(rows)
        self.bound: dict[int, Value] = {}
        self.doubts: list[Doubt] | None = None

    def read(self, value: Value) -> Value:
        """A value of all runs of the state, in the frame's runs."""
        return take(value, self.rows, self.state.count)

    def among(self, rows: Rows) -> Frame:
        """A frame of some of the runs, with the same bound numbers. For a frame of all runs."""
        some = Frame(self.state, rows)
        some.bound = dict(self.bound)
        return some

    def need(self, bad: Value, what: str, span: Span) -> None:
        """Raises an error if `what` has no value, as `bad` says, in a run in which it is needed."""
        if not np.any(bad):
            return
        if self.doubts is None:
            self.state.checked(np.where(in_any_coordinate(bad), math.nan, 0.0), self, what, span)
        else:
            self.doubts.append((bad, what, span))

    def perhaps(self, run: Run) -> tuple[Value, list[Doubt]]:
        """A value that may not be needed, and what has none in it."""
        outer, self.doubts = self.doubts, []
        try:
            return run(self), self.doubts
        finally:
            self.doubts = outer

    def need_these(self, doubts: list[Doubt], where: Value) -> None:
        """The value is needed `where` this holds."""
        for bad, what, span in doubts:
            self.need(np.logical_and(bad, where), what, span)


def in_any_coordinate(bad: Value) -> Value:
    """In which runs something holds for a number, or for any number of a list."""
    bad = np.asarray(bad)
    return bad.reshape(-1, bad.shape[-1]).any(axis=0) if bad.ndim > 1 else bad


Run: TypeAlias = Callable[[Frame], Value]
"""A compiled expression: it gives the value in the frame's runs."""


class Expressions(Protocol):
    """Compiles the expressions of one program: `compiler.VectorCompiler`, as its parts see it. `exact` evaluates
    constants, `labels` numbers the labels."""

    @property
    def program(self) -> Program: ...

    @property
    def exact(self) -> code.Expressions: ...

    @property
    def labels(self) -> dict[str, int]: ...

    def compile(self, e: ir.Expression) -> Run:
        """Raises CannotVectorise for what arrays do not hold."""

    def form(self, e: ir.Expression) -> Form:
        """What is run in place of the expression where it jumps."""
