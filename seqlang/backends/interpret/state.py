"""The state of a run, as compiled expressions read it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias

from seqlang.backends.interpret.values import Value
from seqlang.model import expression as ir

NO_NAMES: Mapping[str, Any] = MappingProxyType({})


class Readable(Protocol):
    """A cell, which has one value for each combination of its binders' values."""

    def read(self, key: tuple[Value, ...]) -> Value: ...


class State(Protocol):
    """What an expression may read of a run at its place in a step. Values are found by the names of the program.

    `records` are the numbers of the dataset's records; `reported` holds what this step's reports released so far;
    `bound` holds the values of `for` variables by their numbers, and is written while a quantified expression is
    evaluated."""

    bound: dict[int, Value]

    @property
    def step_number(self) -> int: ...

    @property
    def fields(self) -> Mapping[str, Value]: ...

    @property
    def records(self) -> range: ...

    @property
    def locals(self) -> Mapping[str, Value]: ...

    @property
    def memory(self) -> Mapping[str, Value]: ...

    @property
    def reported(self) -> Mapping[str, Value]: ...

    @property
    def cells(self) -> Mapping[str, Readable]: ...

    def drawn(self, name: str) -> Value:
        """The value of a named draw."""

    def noise(self, name: str, shape: tuple[int, ...]) -> Value:
        """The value of a noise, for a number (shape ()) or a vector of that shape."""

    def flipped(self, name: str, read: ir.Noised, value: Value) -> Value:
        """The value after the randomised response of that name."""


Run: TypeAlias = Callable[[State], Value]
"""A compiled expression: it gives the value in a state. Raises EvaluationError where there is none."""


class PartialState:
    """A state outside a run, for expressions of which the caller knows that they read nothing else than is given here:
    constants, laws of inputs, expressions of one entry."""

    reported = NO_NAMES
    cells: Mapping[str, Readable] = NO_NAMES

    def __init__(
        self,
        *,
        fields: Mapping[str, Value] = NO_NAMES,
        memory: Mapping[str, Value] = NO_NAMES,
        step_number: int = 0,
        records: range = range(0),
        bound: dict[int, Value] | None = None,
    ) -> None:
        self.fields = fields
        self.memory = memory
        self.step_number = step_number
        self.records = records
        self.locals: Mapping[str, Value] = NO_NAMES
        self.bound = {} if bound is None else bound

    def drawn(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """Raises KeyError: nothing is drawn here, and there is no noise."""
        raise KeyError(name)

    noise = flipped = drawn
