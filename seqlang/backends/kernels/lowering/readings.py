"""What expressions read of the cells and noises of a kernel while it is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from seqlang.backends.kernels.lowering.values import Value
from seqlang.model import expression as ir


class WrittenCell(Protocol):
    """A cell whose variables are declared. `cells.cell.KernelCell` is one."""

    def begin(self, fired_before: dict[str, str]) -> None:
        """Writes what happens at the start of a step, after the last step's reports."""

    def tick(self) -> None:
        """Writes what happens at the cell's place in the step."""

    def read(self, at: tuple[Value, ...] = ()) -> Value:
        """The value at this place, for these values of the cell's binders."""


class WrittenNoises(Protocol):
    """The noises of the program. `noises.Noises` is such."""

    @property
    def chosen(self) -> Mapping[str, tuple[str, str]]:
        """Random sets of records: by their names the number of records, and the array that says who is in."""

    def drawn(self, name: str) -> Value:
        """The value of a named draw."""

    def noised(self, e: ir.Noised) -> Value:
        """The value of `e.base` after the noises are added."""
