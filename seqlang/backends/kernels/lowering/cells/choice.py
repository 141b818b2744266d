"""Folds over time: which kind of cell a kernel makes of each."""

from __future__ import annotations

from seqlang.backends.interpret.cells import changing_length, whole_length
from seqlang.backends.interpret.shapes import UNKNOWN, shape_of_expression
from seqlang.backends.kernels.lowering.cells.cell import KernelCell
from seqlang.backends.kernels.lowering.cells.earlier_values import History, PreviousValue
from seqlang.backends.kernels.lowering.cells.over_steps import BestStep, ScalarFold, VectorFold
from seqlang.backends.kernels.lowering.cells.windows import Window
from seqlang.backends.kernels.lowering.cells.with_binders import WithBinders
from seqlang.backends.kernels.lowering.scope import Scope
from seqlang.backends.kernels.lowering.values import CannotCompile
from seqlang.model.program import AtReports, Cell, LastSteps, Previous
from seqlang.operators.groups import COUNTS, PLACES


def cell_of(scope: Scope, cell: Cell) -> KernelCell:
    """The cell's variables, declared."""
    if changing_length(cell, scope.exact) is not None:
        raise CannotCompile("a window whose length changes")
    if cell.binders:
        return WithBinders(scope, cell)
    if isinstance(cell.keep, Previous):
        return PreviousValue(scope, cell)
    lengths = shape_of_expression(scope.exact, cell.body)
    if UNKNOWN in lengths:
        raise CannotCompile("a fold over lists that grow")
    shape = () if cell.operator in COUNTS else tuple(scope.constants.whole(n) for n in lengths)
    match cell.keep:
        case LastSteps(count):
            return Window(scope, cell, shape, whole_length(scope.exact.constant(count)))
        case AtReports():
            return History(scope, cell, shape)
        case _ if cell.operator in PLACES:
            return BestStep(scope, cell)
        case _:
            return VectorFold(scope, cell, shape) if shape else ScalarFold(scope, cell)
