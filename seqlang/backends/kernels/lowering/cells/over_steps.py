"""Folds over all steps, or since a report."""

from __future__ import annotations

from seqlang.backends.kernels.lowering.cells.cell import START, SUMMED, KernelCell
from seqlang.backends.kernels.lowering.expressions import value_of
from seqlang.backends.kernels.lowering.operators import extreme
from seqlang.backends.kernels.lowering.scope import Scope
from seqlang.backends.kernels.lowering.values import CannotCompile, List, Scalar, Value, scalar
from seqlang.model import expression as ir
from seqlang.model.program import AllSteps, Cell, SinceReport


class ScalarFold(KernelCell):
    """over steps, since R; of numbers."""

    def __init__(self, scope: Scope, cell: Cell) -> None:
        super().__init__(scope, cell)
        self.total = self.variable(START[cell.operator])
        self.number = self.variable("0.0") if cell.operator == "mean" else None
        self.finite = False

    def begin(self, fired_before: dict[str, str]) -> None:
        if isinstance(self.cell.keep, SinceReport):
            fired, w = fired_before[self.cell.keep.report], self.scope.writer
            w.assign(self.total, f"({START[self.cell.operator]} if {fired} else {self.total})")
            if self.number is not None:
                w.assign(self.number, f"(0.0 if {fired} else {self.number})")

    def tick(self) -> None:
        w, operator = self.scope.writer, self.cell.operator
        taken, found = self.entry()
        value = self.checked(taken, scalar(found, "an entry of a fold"))
        if operator == "count":
            test = value.truth if taken is None else f"({taken} & {value.truth})"
            w.assign(self.total, f"{self.total} + (1.0 if {test} else 0.0)")
            return
        if operator in ("sum", "mean"):
            text = value.number if taken is None else f"({value.number} if {taken} else 0.0)"
            w.assign(self.total, f"{self.total} + {text}")
            if self.number is not None:
                w.assign(self.number, f"{self.number} + " + ("1.0" if taken is None else f"(1.0 if {taken} else 0.0)"))
            return
        chosen = extreme(self.scope, operator, Scalar(self.total, finite=value.finite), value).text
        w.assign(self.total, chosen if taken is None else f"({chosen} if {taken} else {self.total})")

    def read(self, at: tuple[Value, ...] = ()) -> Value:
        if self.number is not None:
            return Scalar(f"({self.total} / {self.number})", "number", False)
        return Scalar(self.total, "number", self.cell.operator == "count" or (self._tame() and self._ticked()))

    def _tame(self) -> bool:
        return _tame(self.scope, self.cell.body)

    def _ticked(self) -> bool:
        """Whether the value is never that of no entries: infinite, for a maximum."""
        return self.cell.operator == "sum" or (self.cell.where is None and isinstance(self.cell.keep, AllSteps))


def _tame(scope: Scope, e: ir.Expression) -> bool:
    """Whether the body's value was found to be finite when it was last written."""
    found: list[Value] = []
    known = len(scope.sites)
    try:
        scope.writer.capture(lambda: found.append(value_of(scope, e)))
    except (KeyError, CannotCompile):
        return False
    finally:
        del scope.sites[known:]
    return isinstance(found[0], Scalar) and found[0].finite


class VectorFold(KernelCell):
    """over steps, since R; of vectors."""

    def __init__(self, scope: Scope, cell: Cell, shape: tuple[str, ...]) -> None:
        super().__init__(scope, cell)
        if len(shape) != 1 or cell.operator not in ("sum", "mean", "max", "min"):
            raise CannotCompile(f"`{cell.operator}` of lists of vectors over the steps")
        self.length = shape[0]
        self.total = scope.buffer(shape)
        self.number = self.variable("0.0")
        scope.resets.append(f"{self.total}[:] = {START[cell.operator]}")

    def begin(self, fired_before: dict[str, str]) -> None:
        if isinstance(self.cell.keep, SinceReport):
            w = self.scope.writer
            with w.block(f"if {fired_before[self.cell.keep.report]}:"):
                w.text(f"{self.total}[:] = {START[self.cell.operator]}", f"{self.number} = 0.0")

    def tick(self) -> None:
        w, operator = self.scope.writer, self.cell.operator
        cell = self.cell
        taken = None
        if cell.where is not None:
            taken = w.named(scalar(value_of(self.scope, cell.where), "a condition").truth, "truth")
        with w.block("if True:" if taken is None else f"if {taken}:"):
            value = value_of(self.scope, cell.body)
            if isinstance(value, Scalar):
                raise CannotCompile("a fold over numbers and vectors")
            w.text(f"{self.number} += 1.0")
            i, missing = w.fresh("i"), self.scope.missing()
            with w.block(f"for {i} in range({self.length}):"):
                one = self.scope.note(missing, scalar(value.at(i), "a coordinate"))
                so_far = f"{self.total}[{i}]"
                if operator in ("sum", "mean"):
                    w.text(f"{so_far} += {one.number}")
                else:
                    w.text(f"{so_far} = {extreme(self.scope, operator, Scalar(so_far, finite=False), one).text}")
            w.check(f"{missing} != 0", self.scope.site(SUMMED, cell.span))

    def read(self, at: tuple[Value, ...] = ()) -> Value:
        number = self.number
        if self.cell.operator == "mean":
            return List(self.length, lambda i: Scalar(f"({self.total}[{i}] / {number})", "number", False))
        return List(self.length, lambda i: Scalar(f"{self.total}[{i}]", "number", False))


class BestStep(KernelCell):
    """argmax, argmin over steps, since R: the first best step; not a number before there is one."""

    def __init__(self, scope: Scope, cell: Cell) -> None:
        super().__init__(scope, cell)
        self.best, self.at = self.variable("-math.inf"), self.variable("math.nan")

    def begin(self, fired_before: dict[str, str]) -> None:
        if isinstance(self.cell.keep, SinceReport):
            fired, w = fired_before[self.cell.keep.report], self.scope.writer
            w.assign(self.best, f"(-math.inf if {fired} else {self.best})")
            w.assign(self.at, f"(math.nan if {fired} else {self.at})")

    def tick(self) -> None:
        w = self.scope.writer
        taken, found = self.entry()
        value = self.checked(taken, scalar(found, "a score"))
        score = w.named(value.number if self.cell.operator == "argmax" else f"-({value.number})")
        better = f"(({score} > {self.best}) | ({self.at} != {self.at}))"
        name = w.named(better if taken is None else f"({taken} & {better})", "truth")
        w.assign(self.best, f"({score} if {name} else {self.best})")
        w.assign(self.at, f"(float(step) if {name} else {self.at})")

    def read(self, at: tuple[Value, ...] = ()) -> Value:
        return Scalar(self.at, "number", False)
