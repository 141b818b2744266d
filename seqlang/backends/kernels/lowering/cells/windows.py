"""Folds over the last steps."""

from __future__ import annotations

from seqlang.backends.kernels.lowering.cells.cell import KernelCell
from seqlang.backends.kernels.lowering.operators import Terms, folded
from seqlang.backends.kernels.lowering.scope import Scope
from seqlang.backends.kernels.lowering.values import CannotCompile, List, Scalar, Value, scalar
from seqlang.model.program import Cell
from seqlang.operators.groups import PLACES


class Window(KernelCell):
    """over last m: the entries of the last m steps in a ring, newest first; their fold is made when it is read."""

    def __init__(self, scope: Scope, cell: Cell, shape: tuple[str, ...], length: int) -> None:
        super().__init__(scope, cell)
        if cell.operator in PLACES:
            raise CannotCompile(f"{cell.operator} over the last steps")
        self.shape = shape
        self.length, self.room = scope.constants.whole(length), scope.constants.whole(max(1, length))
        self.values = scope.buffer((self.room, *shape), "number")
        self.counts = scope.buffer((self.room,), "truth")

    def tick(self) -> None:
        w = self.scope.writer
        taken, value = self.entry()
        place = w.fresh("i")
        w.text(f"{place} = step % {self.room}")
        if isinstance(value, List):
            with w.loop(self.shape[0]) as i:
                one = self.checked(taken, scalar(value.at(i), "a coordinate"))
                w.text(f"{self.values}[{place}, {i}] = {one.number}")
        else:
            one = self.checked(taken, value)
            w.text(f"{self.values}[{place}] = {one.number}")
        w.text(f"{self.counts}[{place}] = {'True' if taken is None else taken}")

    def read(self, at: tuple[Value, ...] = ()) -> Value:
        count = self.scope.writer.named(f"min(step, {self.length})", "label")

        def entry(i: str) -> Value:
            place = self.scope.writer.named(f"(step - {i}) % {self.room}", "label")
            if self.shape:
                return List(self.shape[0], lambda j: Scalar(f"{self.values}[{place}, {j}]", "number", False))
            return Scalar(f"{self.values}[{place}]", "number", False)

        def where(i: str) -> Scalar:
            return Scalar(f"{self.counts}[(step - {i}) % {self.room}]", "truth")

        masked = where if self.cell.where is not None else None
        found = folded(self.scope, self.cell.operator, Terms(count, entry, masked, lambda i: Scalar(f"float({i})")))
        return self.or_neutral(found) if isinstance(found, Scalar) else found
