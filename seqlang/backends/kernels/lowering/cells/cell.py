"""What a cell of a kernel keeps from step to step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from seqlang.backends.kernels.lowering.expressions import value_of
from seqlang.backends.kernels.lowering.scope import Scope
from seqlang.backends.kernels.lowering.values import CannotCompile, List, Scalar, Value, scalar
from seqlang.backends.kernels.operations import Variable
from seqlang.model.program import AtReports, Cell, SinceReport

SUMMED = "a value that is summed over the steps"
START = {"sum": "0.0", "mean": "0.0", "count": "0.0", "max": "-math.inf", "min": "math.inf"}


class KernelCell(ABC):
    """One cell. `begin` is written at the start of a step, `tick` where the cell stands, `read` where it is read."""

    def __init__(self, scope: Scope, cell: Cell) -> None:
        self.scope = scope
        self.cell = cell
        self.report = cell.keep.report if isinstance(cell.keep, (SinceReport, AtReports)) else None

    def begin(self, fired_before: dict[str, str]) -> None:
        """Nothing, for what no report resets."""
        return

    @abstractmethod
    def tick(self) -> None:
        """Writes how the step's value enters what is kept."""

    @abstractmethod
    def read(self, at: tuple[Value, ...] = ()) -> Value:
        """The value at this place of the step, for these values of the binders."""

    # ---- what all of them need

    def variable(self, start: str, kind: Any = "number") -> str:
        """Declares a variable of the run, which begins as `start`, and gives its name."""
        name = self.scope.writer.fresh("v")
        self.scope.variables.append(Variable(name, kind, start))
        self.scope.writer.kinds[name] = kind
        return name

    def entry(self) -> tuple[str | None, Value]:
        """(name of whether this step counts, the body's value)."""
        scope, cell = self.scope, self.cell
        taken = None
        if cell.where is not None:
            test = scalar(value_of(scope, cell.where), "a condition")
            taken = scope.writer.named(test.truth, "truth")
        value = value_of(scope, cell.body)
        if isinstance(value, List) and value.grows:
            raise CannotCompile("a fold over lists that grow")
        return taken, value

    def checked(self, taken: str | None, value: Scalar) -> Scalar:
        """The value, with a fault where it counts and is not a number."""
        if value.finite or value.kind != "number":
            return value
        w = self.scope.writer
        name = w.named(value.text)
        site = self.scope.site(SUMMED, self.cell.span)
        w.check(f"{name} != {name}" if taken is None else f"{taken} and {name} != {name}", site)
        return Scalar(name, "number", False)
