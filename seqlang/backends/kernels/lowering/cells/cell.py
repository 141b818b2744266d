"""What a cell of a kernel keeps from step to step."""

from __future__ import annotations

from abc import ABC, abstractmethod

from seqlang.backends.kernels.lowering.expressions import value_of
from seqlang.backends.kernels.lowering.operators import START
from seqlang.backends.kernels.lowering.scope import Scope
from seqlang.backends.kernels.lowering.values import CannotCompile, List, Scalar, Value, scalar
from seqlang.model.program import AtReports, Cell, SinceReport
from seqlang.operators.groups import EXTREMES

SUMMED = "a value that is summed over the steps"


class KernelCell(ABC):
    """One cell. `begin` is written at the start of a step, `tick` where the cell stands, `read` where it is read.
    `neutral` is a fold of nothing."""

    def __init__(self, scope: Scope, cell: Cell) -> None:
        self.scope = scope
        self.cell = cell
        self.report = cell.keep.report if isinstance(cell.keep, (SinceReport, AtReports)) else None
        self.neutral = START.get(cell.operator, "0.0")

    def begin(self, fired_before: dict[str, str]) -> None:
        """Writes what the report of the last step does to the cell, if it has one."""
        if self.report is not None:
            self.after_report(fired_before[self.report])

    def after_report(self, fired: str) -> None:
        """Writes what is changed where the name `fired` holds: nothing, for what no report changes."""
        return

    @abstractmethod
    def tick(self) -> None:
        """Writes how the step's value enters what is kept."""

    @abstractmethod
    def read(self, at: tuple[Value, ...] = ()) -> Value:
        """The value at this place of the step, for these values of the binders."""

    # ---- what all of them need

    def taken(self) -> str | None:
        """The name of whether this step counts; None where all do."""
        if self.cell.where is None:
            return None
        return self.scope.writer.named(scalar(value_of(self.scope, self.cell.where), "a condition").truth, "truth")

    def entry(self) -> tuple[str | None, Value]:
        """(name of whether this step counts, the body's value)."""
        taken = self.taken()
        items, value = self.scope.writer.capture(lambda: value_of(self.scope, self.cell.body))
        if taken is None:
            self.scope.writer.put(items)
        else:
            self.scope.writer.only_where(taken, items)
        if isinstance(value, List) and value.grows:
            raise CannotCompile("a fold over lists that grow")
        return taken, value

    def number(self, what: str) -> tuple[str | None, Scalar]:
        """The same of a number, with a fault where it counts and is none."""
        taken, value = self.entry()
        return taken, self.checked(taken, scalar(value, what))

    def or_neutral(self, found: Scalar) -> Scalar:
        """A largest or smallest number, which is infinite where there is none."""
        if self.cell.operator not in EXTREMES:
            return found
        return Scalar(f"({self.neutral} if {found.text} != {found.text} else {found.text})", "number", False)

    def checked(self, taken: str | None, value: Scalar) -> Scalar:
        """The value, with a fault where it counts and is not a number."""
        if value.finite or value.kind != "number":
            return value
        w = self.scope.writer
        name = w.named(value.text)
        site = self.scope.site(SUMMED, self.cell.span)
        w.check(f"{name} != {name}" if taken is None else f"{taken} and {name} != {name}", site)
        return Scalar(name, "number", False)
