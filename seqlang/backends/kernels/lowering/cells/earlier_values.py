"""Values of earlier steps: the last one, and those at which a report was made."""

from __future__ import annotations

from seqlang.backends.kernels.lowering.cells.cell import KernelCell
from seqlang.backends.kernels.lowering.expressions import value_of
from seqlang.backends.kernels.lowering.scope import Scope, array_of
from seqlang.backends.kernels.lowering.values import CannotCompile, List, Scalar, Value
from seqlang.model.program import Cell, Previous
from seqlang.record import replace

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
        self.name, self.later = (scope.variable(initial.text, initial.kind) for _ in range(2))

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
            with w.where(taken):
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
        self.length = scope.variable("0", "label")
        self.waiting = scope.variable("False", "truth")
        w.header.append(f"{self.values} = {self._zeros(str(FIRST))}")
        w.header.append(f"{self.pending} = np.zeros({shape[0] if shape else 1}, np.float64)")

    def _zeros(self, length: str) -> str:
        size = f"({length}, {self.shape[0]})" if self.shape else length
        return f"np.zeros({size}, np.float64)"

    def after_report(self, fired: str) -> None:
        w = self.scope.writer
        values, length = self.values, self.length
        with w.block(f"if {fired} and {self.waiting}:"):
            more = w.fresh("b")
            with w.block(f"if {length} == {values}.shape[0]:"):
                w.text(f"{more} = {self._zeros(f'2 * {values}.shape[0]')}")
                self.scope.move(values, more, (length, *self.shape))
                w.text(f"{values} = {more}")
            stored = array_of(self.pending, self.shape or ("1",), "number", False)
            self.scope.put(values, length, stored if self.shape else stored.at("0"))
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
        return replace(array_of(self.values, (self.length, *self.shape), "number", False), grows=True, array=None)
