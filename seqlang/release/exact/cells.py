"""Folds over time, of exact values."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from seqlang.model.program import AllSteps, AtReports, Cell, LastSteps, Previous, SinceReport
from seqlang.release.exact.code import Code, Compiler
from seqlang.release.exact.functions import NoValue, Value, added, divided, fold
from seqlang.release.exact.laws import NotExact
from seqlang.release.exact.real import floor

Key = tuple[Value, ...]


class Running:
    """over steps, since R."""

    __slots__ = ("best", "count", "operator", "starts_anew", "step", "total")

    def __init__(self, operator: str, starts_anew: bool) -> None:
        self.operator, self.starts_anew = operator, starts_anew
        self._clear()

    def _clear(self) -> None:
        self.count, self.total = 0, 0
        self.best: Value = None
        self.step = 0

    def begin(self, fired: bool) -> None:
        if fired and self.starts_anew:
            self._clear()

    def tick(self, step: int, value: Value) -> None:
        match self.operator:
            case "sum":
                self.total = added(self.total, value) if isinstance(value, tuple) else self.total + value
            case "count":
                self.count += 1 if value else 0
            case "mean":
                self.count, self.total = self.count + 1, added(self.total, value)
            case "max" | "min":
                self.best = value if self.best is None else fold(self.operator, (self.best, value), ())
            case _:
                better = self.best is None or (value > self.best if self.operator == "argmax" else value < self.best)
                if better:
                    self.best, self.step = value, step

    def read(self) -> Value:
        match self.operator:
            case "sum":
                return self.total
            case "count":
                return self.count
            case "mean" if self.count:
                return divided(self.total, self.count)
            case "max" | "min" if self.best is not None:
                return self.best
            case "argmax" | "argmin" if self.best is not None:
                return self.step
        raise NoValue(f"the {self.operator} of nothing")


class Window:
    """over last m: folded anew at each reading."""

    __slots__ = ("entries", "operator")

    def __init__(self, operator: str, length: int) -> None:
        self.operator = operator
        self.entries: deque[tuple[int, bool, Value]] = deque(maxlen=length)

    def begin(self, fired: bool) -> None:
        """Nothing happens between steps."""

    def tick(self, step: int, value: Value, taken: bool = True) -> None:
        self.entries.append((step, taken, value))

    def read(self) -> Value:
        running = Running(self.operator, False)
        for step, taken, value in self.entries:
            if taken:
                running.tick(step, value)
        return running.read()


class History:
    """history(E, R)."""

    __slots__ = ("pending", "values")

    def __init__(self) -> None:
        self.values: tuple[Value, ...] = ()
        self.pending: tuple[Value, ...] = ()

    def begin(self, fired: bool) -> None:
        if fired:
            self.values += self.pending
        self.pending = ()

    def tick(self, step: int, value: Value) -> None:
        self.pending = (value,)

    def read(self) -> Value:
        return self.values


class Before:
    """previous(E, init)."""

    __slots__ = ("pending", "value")

    def __init__(self, initial: Value) -> None:
        self.value = self.pending = initial

    def begin(self, fired: bool) -> None:
        self.value = self.pending

    def tick(self, step: int, value: Value) -> None:
        self.pending = value

    def read(self) -> Value:
        return self.value


Kept = Running | Window | History | Before


class CellState:
    """One cell: what is kept for each combination of its binders' values. `hidden`: it read what is not known here (in
    a replay without the data), and so has no value."""

    def __init__(self, cell: Cell, compiler: Compiler) -> None:
        self.cell = cell
        self.report = cell.keep.report if isinstance(cell.keep, SinceReport | AtReports) else None
        self.body, self.where = compiler.chosen(cell.operator, cell.body, cell.where)
        self.variables = [variable.number for variable, _ in cell.binders]
        self.domains = [compiler.compile(domain) for _, domain in cell.binders]
        self.kept: dict[Key, Kept] = {}
        self._make = _maker(cell, compiler)
        self._only: Kept | None = None
        self.hidden = False

    def start(self, m: Any) -> None:
        """Before step 1."""
        self.kept = {key: self._make(m) for key in self._keys(m, 0)}
        self._only = self.kept.get(()) if not self.variables else None

    def _keys(self, m: Any, place: int) -> Iterator[Key]:
        if place == len(self.domains):
            yield ()
            return
        for value in self.domains[place](m):
            m.bound[self.variables[place]] = value
            for rest in self._keys(m, place + 1):
                yield (value, *rest)

    def begin(self, fired: bool) -> None:
        """Before a step's body: `fired` if its report was made in the step before."""
        if self._only is not None:
            self._only.begin(fired)
            return
        for kept in self.kept.values():
            kept.begin(fired)

    def ticker(self) -> Code:
        """`tick`, shorter where one number is added up."""
        body, cell = self.body, self.cell
        if (
            self.variables
            or self.where is not None
            or cell.operator != "sum"
            or not isinstance(cell.keep, AllSteps | SinceReport)
        ):
            return self.tick

        def run(m: Any) -> None:
            kept, value = self._only, body(m)
            assert isinstance(kept, Running)
            kept.total = added(kept.total, value) if isinstance(value, tuple) else kept.total + value

        return run

    def tick(self, m: Any) -> None:
        """At the cell's place in the body."""
        if self._only is not None:
            self._tick(m, self._only)
            return
        for key, kept in self.kept.items():
            m.bound.update(zip(self.variables, key, strict=True))
            self._tick(m, kept)

    def _tick(self, m: Any, kept: Kept) -> None:
        if self.where is None or self.where(m):
            kept.tick(m.step, self.body(m))
        elif isinstance(kept, Window):
            kept.tick(m.step, None, False)

    def read(self, key: Key) -> Value:
        """Its value now."""
        return self.kept[key].read()


def _maker(cell: Cell, compiler: Compiler) -> Callable[[Any], Kept]:
    match cell.keep:
        case AllSteps():
            return lambda m: Running(cell.operator, False)
        case SinceReport():
            return lambda m: Running(cell.operator, True)
        case LastSteps(count):
            length = compiler.compile(count)
            return lambda m: Window(cell.operator, _length(length, m))
        case AtReports():
            return lambda m: History()
        case Previous(initial):
            first = compiler.compile(initial)
            return lambda m: Before(first(m))
    raise NotExact("this fold over time is not computed exactly here")


def _length(count: Code, m: Any) -> int:
    try:
        return max(0, floor(count(m)))
    except (KeyError, AttributeError):
        raise NotExact("a window whose length changes from step to step") from None
