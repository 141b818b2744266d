"""Which comparisons are ties: two sides count as equal where they differ by no more than rounding explains."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.arrays.values import Ragged, shape_of
from seqlang.backends.interpret.values import FOR_OTHERS
from seqlang.backends.solve.noises.point_laws import ONE_UNIT
from seqlang.backends.solve.noises.scalar_law import TIE
from seqlang.backends.solve.step.dependencies import walk_defined
from seqlang.backends.solve.step.magnitude import magnitude
from seqlang.backends.solve.step.reading import Reading
from seqlang.backends.solve.step.rounding_of_sums import NOTHING, RoundingBound, drift, off, sums_in
from seqlang.backends.solve.step.steady import is_exact, is_refined, least_difference
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model import expression as ir
from seqlang.model.lines import ZERO, times
from seqlang.model.precision import MANY
from seqlang.model.program import Program
from seqlang.model.running_error import TWO
from seqlang.operators.groups import COMPARISONS, SIGNS

Array = NDArray[Any]
Holds = Callable[[Reading], Any]
FAR_LESS = 0.1
"""The ignored difference must be less than this part of what the least added number makes of the compared value; where
it is not, and the comparison is close, the program is not solved."""
SURE = 1e-14
"""A difference of more than this, relative to its terms, is none that rounding has made in one comparison."""
CLOSE_CALL = "two numbers are compared that agree in the first digits that are told apart, and not in all"


def _constants(program: Program, e: ir.Expression) -> Iterator[float]:
    """The absolute values of the constants in the expression, without 0."""
    parameters = {p.name: p.value for p in program.parameters}
    for node in walk_defined(program, e):
        match node:
            case ir.Number(value) if value:
                yield abs(float(value))
            case ir.ParameterValue(name) if parameters[name]:
                yield abs(float(parameters[name]))
            case _:
                pass


class Ties:
    """Decides for one compared difference, to which the noises of `terms` are added, how close to 0 counts as 0.
    `apart`: what it is at least where it is not 0. `coarse`: how far it may be off, and is then not decided."""

    def __init__(self, difference: ir.Expression, compiler: VectorCompiler, terms: tuple[ir.Term, ...] = ()) -> None:
        program = compiler.program
        self.program = program
        self.size = compiler.compile(magnitude(program, difference))
        self.sums = sums_in(program, difference)
        self.grain = min(_constants(program, difference), default=np.inf)
        moved = drift(program, difference)
        self.drift = None if moved == NOTHING else compiler.compile(moved)
        jumps = compiler.exact.jumps
        grid = jumps.grids.of(difference)
        alone = jumps.units.apart(difference) or least_difference(jumps, difference)
        alone = 0.0 if is_refined(jumps, difference) else alone
        self.apart = min(alone, jumps.units.apart(difference, terms)) if terms else alone
        off = jumps.smooth.error(difference) if grid.exact and not alone else ZERO
        if off is None and not jumps.smooth.precision.is_lost(difference):
            off = ZERO
        self.coarse = None if off is None else compiler.bound(times(off, TWO), difference, MANY)
        one_rounding = grid.exact and (jumps.smooth.is_told(difference) or jumps.smooth.precision.nearest(difference))
        self.sure = ONE_UNIT if one_rounding else SURE

    def within(self, stage: Reading, difference: Array) -> Array:
        """How far from 0 a tie may look, by row: relative to the terms, and by what sums over the steps are off.
        Unsolved where that is not far less than what the least number that is added does, and the side is not sure."""
        found, away = 4 * TIE * np.abs(stage.numbers(self.size)), np.abs(difference)
        coarse = self._coarse(stage)
        if np.any((coarse > 0) & ~(away > coarse + found)):
            raise Unsolved(FOR_OTHERS)
        offs = {off(self.program, name).number: stage.off(name) for name in self.sums} if self.drift is not None else {}
        close = far = found
        if self.drift is not None:
            close = found + stage.drift(self.drift, {name: o.forgiven for name, o in offs.items()})
            if any(o.most > o.forgiven for o in offs.values()):
                far = found + stage.drift(self.drift, {name: o.most for name, o in offs.items()})
        surely = self.surely(stage, offs)
        if np.any((away > surely) & (away <= found)):
            raise Unsolved(CLOSE_CALL)
        near = away <= np.maximum(close, far)
        if np.any(near & (2 * surely >= self.apart)):
            raise Unsolved(FOR_OTHERS)
        if np.any(near) and np.any(near & ((away > close) | (close > FAR_LESS * self._least(stage, offs)))):
            raise Unsolved("numbers of very different sizes are added up, and a comparison of their sum is close")
        return np.asarray(close)

    def _coarse(self, stage: Reading) -> Any:
        """Infinite where terms may have lost digits, and no bound is known."""
        return np.inf if self.coarse is None else np.abs(stage.numbers(self.coarse))

    def surely(self, stage: Reading, offs: Mapping[int, RoundingBound] | None = None) -> Array:
        """What rounding explains of the difference, by row: a larger one is not 0. `offs`: of the sums."""
        found = self._coarse(stage) + self.sure * np.abs(stage.numbers(self.size))
        if self.drift is not None:
            if offs is None:
                offs = {off(self.program, name).number: stage.off(name) for name in self.sums}
            found = found + stage.drift(self.drift, {name: o.most for name, o in offs.items()})
        return np.asarray(found)

    def rounding(self, stage: Reading) -> Array:
        """A bound on the rounding error of the difference, by row."""
        found = self._coarse(stage) + 4 * TIE * np.abs(stage.numbers(self.size))
        if self.drift is not None:
            most = {off(self.program, name).number: stage.off(name).most for name in self.sums}
            found = found + stage.drift(self.drift, most)
        return np.asarray(found)

    def _least(self, stage: Reading, offs: Mapping[int, RoundingBound]) -> Any:
        """What the least constant, and the least number that was added to any of the sums, makes of the difference."""
        least: Any = self.grain
        if self.drift is not None:
            none = dict.fromkeys(offs, 0.0)
            always = stage.drift(self.drift, none)
            for name, one in offs.items():
                if np.isfinite(one.least):
                    least = np.minimum(least, stage.drift(self.drift, {**none, name: one.least}) - always)
        return least


def tested(e: ir.Expression, compiler: VectorCompiler) -> Holds:
    """A function that says in which rows a condition without noise holds. Exact sides are compared exactly; others that
    differ by rounding only are equal."""
    match e:
        case ir.Apply("and" | "or" as operator, parts):
            holds = [tested(part, compiler) for part in parts]
            join = np.logical_and if operator == "and" else np.logical_or
            return lambda stage: join.reduce(np.broadcast_arrays(*(h(stage) for h in holds)))
        case ir.Apply("not", (part,)):
            inner = tested(part, compiler)
            return lambda stage: np.logical_not(inner(stage))
        case ir.Apply(operator, (left, right)) if operator in COMPARISONS and not (
            is_exact(compiler.exact.jumps, e) or compiler.is_label(left) or compiler.is_label(right)
        ):
            difference = ir.Apply("-", (left, right))
            direct, value, ties = compiler.tied(e), compiler.compile(difference), Ties(difference, compiler)

            def compared(stage: Reading) -> Any:
                found, apart = stage.value(direct), stage.value(value)
                if isinstance(apart, Ragged) or shape_of(apart) or np.asarray(apart).dtype == np.bool_:
                    return found
                tied = np.abs(apart) <= ties.within(stage, np.asarray(apart, dtype=np.float64))
                return np.where(tied, 0 in SIGNS[operator], found)

            return compared
        case _:
            plain = compiler.compile(e)
            return lambda stage: stage.value(plain)
