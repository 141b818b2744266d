"""Values of earlier steps: the last one, and those at which a report was made."""

from __future__ import annotations

from seqlang.backends.kernels.lowering.cells.cell import KernelCell
from seqlang.backends.kernels.lowering.expressions import value_of
from seqlang.backends.kernels.lowering.scope import Scope, array_of
from seqlang.backends.kernels.lowering.values import CannotCompile, List, Scalar, Value
from seqlang.model.program import AtReports, Cell, Previous

FIRST = 16
"""Elements for which a list that grows has room at first."""


class PreviousValue(KernelCell):
    """previous(E, init)."""

    def __init__(self, scope: Scope, cell: Cell) -> None:
        super().__init__(scope, cell)
        assert isinstance(cell.keep, Previous)
        initial = value_of(scope, cell.keep.initial)
        if isinstance(initial, List):
            dimensions, kind, _ = scope.outline(initial)
            self.dimensions = dimensions
            self.name = scope.buffer(dimensions, kind)
            self.later = scope.buffer(dimensions, kind)
            self.list: List | None = array_of(self.name, dimensions, kind, False)
            self.initial: Value = initial
            return
        self.list = None
        self.kind = initial.kind
        self.name, self.later = (self.variable(initial.text, initial.kind) for _ in range(2))

    def start(self) -> None:
        """Writes the initial list, at the start of a run."""
        if self.list is not None:
            assert isinstance(self.initial, List)
            self.scope.copy(self.initial, self.later)

    def begin(self, fired_before: dict[str, str]) -> None:
        w = self.scope.writer
        if self.list is not None:
            self.scope.move(self.later, self.name, self.dimensions)
        else:
            w.assign(self.name, self.later, self.kind)

    def tick(self) -> None:
        w = self.scope.writer
        taken, value = self.entry()
        if isinstance(value, List):
            with w.block("if True:" if taken is None else f"if {taken}:"):
                self.scope.copy(value, self.later, ("a value that is remembered", self.cell.span))
            return
        found = self.checked(taken, value)
        text = found.text if found.kind == self.kind else found.number
        w.assign(self.later, text if taken is None else f"({text} if {taken} else {self.later})", self.kind)

    def read(self, at: tuple[Value, ...] = ()) -> Value:
        return self.list if self.list is not None else Scalar(self.name, self.kind, False)


class History(KernelCell):
    """history(E, R): a list that grows."""

    def __init__(self, scope: Scope, cell: Cell, shape: tuple[str, ...]) -> None:
        super().__init__(scope, cell)
        w = scope.writer
        self.shape = shape
        if len(shape) > 1:
            raise CannotCompile("a history of lists of vectors")
        self.values, self.pending = w.fresh("b"), w.fresh("b")
        self.length = self.variable("0", "label")
        self.waiting = self.variable("False", "truth")
        rest = f", {shape[0]}" if shape else ""
        size = f"({FIRST}{rest})" if rest else str(FIRST)
        w.header.append(f"{self.values} = np.zeros({size}, np.float64)")
        w.header.append(f"{self.pending} = np.zeros({shape[0] if shape else 1}, np.float64)")

    def begin(self, fired_before: dict[str, str]) -> None:
        assert isinstance(self.cell.keep, AtReports)
        w = self.scope.writer
        values, length = self.values, self.length
        with w.block(f"if {fired_before[self.cell.keep.report]} and {self.waiting}:"):
            room = f"{values}.shape[0]"
            rest = f", {self.shape[0]}" if self.shape else ""
            more, i = w.fresh("b"), w.fresh("i")
            with w.block(f"if {length} == {room}:"):
                w.text(f"{more} = np.zeros({f'(2 * {room}{rest})' if rest else f'2 * {room}'}, np.float64)")
                self.scope.move(values, more, (length, *self.shape))
                w.text(f"{values} = {more}")
            if self.shape:
                with w.block(f"for {i} in range({self.shape[0]}):"):
                    w.text(f"{values}[{length}, {i}] = {self.pending}[{i}]")
            else:
                w.text(f"{values}[{length}] = {self.pending}[0]")
            w.text(f"{length} += 1")
        w.assign(self.waiting, "False", "truth")

    def tick(self) -> None:
        w = self.scope.writer
        taken, value = self.entry()
        if isinstance(value, List):
            self.scope.copy(value, self.pending, ("a value that is remembered", self.cell.span))
        else:
            w.text(f"{self.pending}[0] = {self.checked(taken, value).number}")
        w.assign(self.waiting, "True" if taken is None else taken, "truth")

    def read(self, at: tuple[Value, ...] = ()) -> Value:
        if self.shape:
            return List(
                self.length,
                lambda i: List(self.shape[0], lambda j: Scalar(f"{self.values}[{i}, {j}]", "number", False)),
                grows=True,
            )
        return List(self.length, lambda i: Scalar(f"{self.values}[{i}]", "number", False), grows=True)
