"""Which comparisons are ties: two numbers that are equal may differ by what computing them has rounded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.simulate.arrays import Ragged, shape_of
from seqlang.backends.simulate.vectorised import VectorCompiler
from seqlang.backends.solve.drift import NOTHING, SUMS, drift, off, sums_in
from seqlang.backends.solve.laws import TIE
from seqlang.backends.solve.magnitude import magnitude
from seqlang.backends.solve.stage import Stage
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model import expression as ir
from seqlang.model.program import Cell, Program

Array = NDArray[Any]
Holds = Callable[[Stage], Any]
_TIED = {">=": True, "<=": True, "==": True, ">": False, "<": False, "!=": False}


class Ties:
    """Of one difference of numbers."""

    def __init__(self, difference: ir.Expression, compiler: VectorCompiler) -> None:
        program = compiler.program
        self.size = compiler.compile(magnitude(program, difference))
        self.sums = sums_in(program, difference)
        moved = drift(program, difference)
        self.drift = None if moved == NOTHING else compiler.compile(moved)

    def within(self, stage: Stage, difference: Array) -> Array:
        """How far from 0 a tie may look, by row: relative to the terms, and by what sums over the steps are off.
        Unsolved where a sum may be off by more than the least that was added to it, and the side is not sure."""
        found = 4 * TIE * np.abs(stage.numbers(self.size))
        if self.drift is None:
            return np.asarray(found)
        ends = {off(name): stage.off(name) for name in self.sums}
        forgiven, most = ({name: pair[k] for name, pair in ends.items()} for k in (0, 1))
        close = found + stage.drift(self.drift, forgiven)
        if forgiven != most:
            far, away = found + stage.drift(self.drift, most), np.abs(difference)
            if np.any((away > close) & (away <= far)):
                raise Unsolved("numbers of very different sizes are added up, and a comparison of their sum is close")
        return np.asarray(close)


def tested(e: ir.Expression, compiler: VectorCompiler) -> Holds:
    """Whether a condition without noise holds, by row, ties being ties."""
    direct = compiler.compile(e)
    match e:
        case ir.Apply("and" | "or" as operator, parts):
            holds = [tested(part, compiler) for part in parts]
            join = np.logical_and if operator == "and" else np.logical_or
            return lambda stage: join.reduce(np.broadcast_arrays(*(h(stage) for h in holds)))
        case ir.Apply("not", (part,)):
            inner = tested(part, compiler)
            return lambda stage: np.logical_not(inner(stage))
        case ir.Apply(operator, (left, right)) if operator in _TIED and not (
            _is_exact(compiler.program, e) or compiler.is_label(left) or compiler.is_label(right)
        ):
            difference = ir.Apply("-", (left, right))
            value, ties = compiler.compile(difference), Ties(difference, compiler)

            def compared(stage: Stage) -> Any:
                found, apart = stage.value(direct), stage.value(value)
                if isinstance(apart, Ragged) or shape_of(apart) or np.asarray(apart).dtype == np.bool_:
                    return found
                tied = np.abs(apart) <= ties.within(stage, np.asarray(apart, dtype=np.float64))
                return np.where(tied, _TIED[operator], found)

            return compared
        case _:
            return lambda stage: stage.value(direct)


def _is_exact(program: Program, e: ir.Expression) -> bool:
    """Whether it adds and multiplies nothing but whole numbers."""
    return all(_is_whole(program, node) for node in ir.walk(e))


def _is_whole(program: Program, node: ir.Expression) -> bool:
    match node:
        case ir.Number(value):
            return value.denominator == 1
        case ir.ParameterValue(name):
            return next(p for p in program.parameters if p.name == name).value.denominator == 1
        case ir.CellValue(name):
            cell = next(s for s in program.body if isinstance(s, Cell) and s.name == name)
            return cell.operator not in SUMS and _is_exact(program, cell.body)
        case ir.Apply(operator):
            return operator in (*ir.COMPARISONS, *ir.LOGIC, "+", "-", "*", "negate")
        case _:
            return isinstance(node, (ir.StepNumber, ir.Truth, ir.Label, ir.Bound))
