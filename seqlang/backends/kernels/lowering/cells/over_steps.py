"""Folds over all steps, or since a report."""

from __future__ import annotations

from seqlang.backends.kernels.lowering.cells.cell import SUMMED, KernelCell
from seqlang.backends.kernels.lowering.expressions import value_of
from seqlang.backends.kernels.lowering.operators import extreme, gather
from seqlang.backends.kernels.lowering.scope import Scope
from seqlang.backends.kernels.lowering.values import CannotCompile, List, Scalar, Value, scalar
from seqlang.model.program import AllSteps, Cell
from seqlang.operators.groups import OF_ELEMENTS, SUMS


class ScalarFold(KernelCell):
    """over steps, since R; of numbers."""

    def __init__(self, scope: Scope, cell: Cell) -> None:
        super().__init__(scope, cell)
        self.total = scope.variable(self.neutral)
        self.terms = scope.variable("0.0") if cell.operator == "mean" else None

    def after_report(self, fired: str) -> None:
        w = self.scope.writer
        w.assign(self.total, f"({self.neutral} if {fired} else {self.total})")
        if self.terms is not None:
            w.assign(self.terms, f"(0.0 if {fired} else {self.terms})")

    def tick(self) -> None:
        w, operator = self.scope.writer, self.cell.operator
        taken, value = self.number("an entry of a fold")
        if operator == "count":
            test = value.truth if taken is None else f"({taken} & {value.truth})"
            w.assign(self.total, f"{self.total} + (1.0 if {test} else 0.0)")
            return
        if operator in SUMS:
            text = value.number if taken is None else f"({value.number} if {taken} else 0.0)"
            w.assign(self.total, f"{self.total} + {text}")
            if self.terms is not None:
                w.assign(self.terms, f"{self.terms} + " + ("1.0" if taken is None else f"(1.0 if {taken} else 0.0)"))
            return
        chosen = extreme(self.scope, operator, Scalar(self.total, finite=value.finite), value).text
        w.assign(self.total, chosen if taken is None else f"({chosen} if {taken} else {self.total})")

    def read(self, at: tuple[Value, ...] = ()) -> Value:
        if self.terms is not None:
            return Scalar(f"({self.total} / {self.terms})", "number", False)
        return Scalar(self.total, "number", self.cell.operator == "count" or (self._tame() and self._ticked()))

    def _tame(self) -> bool:
        """Whether the body's value was found to be finite when it was last written."""
        try:
            found = self.scope.peek(lambda: value_of(self.scope, self.cell.body))
        except (KeyError, CannotCompile):
            return False
        return isinstance(found, Scalar) and found.finite

    def _ticked(self) -> bool:
        """Whether the value is never that of no entries: infinite, for a maximum."""
        return self.cell.operator == "sum" or (self.cell.where is None and isinstance(self.cell.keep, AllSteps))


class VectorFold(KernelCell):
    """over steps, since R; of vectors."""

    def __init__(self, scope: Scope, cell: Cell, shape: tuple[str, ...]) -> None:
        super().__init__(scope, cell)
        if len(shape) != 1 or cell.operator not in OF_ELEMENTS:
            raise CannotCompile(f"`{cell.operator}` of lists of vectors over the steps")
        self.length = shape[0]
        self.total = scope.buffer(shape)
        self.terms = scope.variable("0.0")
        scope.resets.append(f"{self.total}[:] = {self.neutral}")

    def after_report(self, fired: str) -> None:
        with self.scope.writer.where(fired):
            self.scope.writer.text(f"{self.total}[:] = {self.neutral}", f"{self.terms} = 0.0")

    def tick(self) -> None:
        scope, w = self.scope, self.scope.writer
        with w.where(self.taken()):
            value = value_of(scope, self.cell.body)
            if isinstance(value, Scalar):
                raise CannotCompile("a fold over numbers and vectors")
            w.text(f"{self.terms} += 1.0")
            missing = scope.missing()
            with w.loop(self.length) as i:
                one = scope.note(missing, scalar(value.at(i), "a coordinate"))
                gather(scope, self.cell.operator, f"{self.total}[{i}]", one)
            w.check(f"{missing} != 0", scope.site(SUMMED, self.cell.span))

    def read(self, at: tuple[Value, ...] = ()) -> Value:
        if self.cell.operator == "mean":
            return List(self.length, lambda i: Scalar(f"({self.total}[{i}] / {self.terms})", "number", False))
        return List(self.length, lambda i: Scalar(f"{self.total}[{i}]", "number", False))


class BestStep(KernelCell):
    """argmax, argmin over steps, since R: the first best step; not a number before there is one."""

    def __init__(self, scope: Scope, cell: Cell) -> None:
        super().__init__(scope, cell)
        self.best, self.at = scope.variable("-math.inf"), scope.variable("math.nan")

    def after_report(self, fired: str) -> None:
        w = self.scope.writer
        w.assign(self.best, f"(-math.inf if {fired} else {self.best})")
        w.assign(self.at, f"(math.nan if {fired} else {self.at})")

    def tick(self) -> None:
        w = self.scope.writer
        taken, value = self.number("a score")
        score = w.named(value.number if self.cell.operator == "argmax" else f"-({value.number})")
        better = f"(({score} > {self.best}) | ({self.at} != {self.at}))"
        name = w.named(better if taken is None else f"({taken} & {better})", "truth")
        w.assign(self.best, f"({score} if {name} else {self.best})")
        w.assign(self.at, f"(float(step) if {name} else {self.at})")

    def read(self, at: tuple[Value, ...] = ()) -> Value:
        return Scalar(self.at, "number", False)
