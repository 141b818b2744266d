"""Comparisons in laws of programs whose steps are all alike.

Runs may compare a sum of logarithms with a number between two of its values, which differs from step to step
(`model/jumps.py`). A law that is the same in each step cannot: it compares the sides themselves, and takes those for
equal that differ by no more than rounding explains (`ties.py`).
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd, inf, lcm

import numpy as np

from seqlang.arithmetic.formula import Formula
from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.arrays.frame import Frame, Run
from seqlang.backends.arrays.values import CannotVectorise, Ragged, Value
from seqlang.backends.interpret.laws.tiny import has_tiny_weights
from seqlang.backends.interpret.values import UNKNOWN
from seqlang.backends.solve.step.dependencies import walk_defined
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model import expression as ir
from seqlang.model.at_the_moment import Decided
from seqlang.model.at_the_moment import Run as Form
from seqlang.model.constants import exactly
from seqlang.model.exact_numbers import nearest
from seqlang.model.growths import EXACT, UNIT
from seqlang.model.jumps import Jumps
from seqlang.model.precision import CLOSE, LATE, MANY
from seqlang.model.program import AllSteps, Margin, Program
from seqlang.model.wholes import Guarded
from seqlang.operators.groups import CHOSEN

TINY = "a weight is next to 0, and floats know too few digits of it"
MOST_TOLD = 1e10
"""Fractions of so many parts are plainly apart."""
LEAST_ERROR = 1e-300
"""Of numbers that are off by a small part of themselves: two of them may have one double."""
APART = 2.0**12
"""Units of rounding: what differs by more is plainly apart (see `ROUNDING` in states/equal_rows.py)."""


class SteadyCompiler(VectorCompiler):
    """Compiles such comparisons as they stand where somebody looks at their ties (`tied`). Others, such as those in the
    test of an `if`, must not come near a tie, however many steps were made. Raises CannotVectorise."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._tied: dict[int, ir.Expression] = {}
        self._step: float | None = None
        """In an error: the step up to which it is looked at."""
        if has_tiny_weights(self.exact, program):
            raise Unsolved(TINY)

    def tied(self, e: ir.Expression) -> Run:
        """A condition for which the caller takes numbers for equal that differ by rounding only."""
        self._tied[id(e)] = e
        return self.compile(e)

    def form(self, e: ir.Expression) -> Form:
        found = super().form(e)
        if not isinstance(e, ir.Apply) or is_steady(self.exact.jumps, e):
            return found
        if id(e) in self._tied and not any(map(self.exact.jumps.smooth.precision.is_lost, e.arguments)):
            return e
        guarded = found.guarded if isinstance(found, Decided) else found
        if not isinstance(guarded, Guarded):
            raise CannotVectorise("a comparison within an expression, by numbers that are kept from step to step")
        return guarded

    def compile(self, e: ir.Expression) -> Run:
        if self._step is not None and isinstance(e, ir.StepNumber):
            step = self._step
            return lambda f: step
        if isinstance(e, ir.CellValue | ir.MemoryValue | ir.Drawn) and not self._adds_up(e) and not self.is_told(e):
            raise CannotVectorise("numbers are kept or drawn that doubles do not tell from each other")
        checked = self.exact.jumps.smooth.checked(e)
        if checked is None:
            return super().compile(e)
        if checked[1] is None:
            raise CannotVectorise(UNKNOWN)
        return self._checked(checked[1])

    def key(self, e: ir.Expression) -> object:
        """In an error the number of the step is another one, see `bound`."""
        return id(e), self._step

    def _adds_up(self, e: ir.Expression) -> bool:
        """Sums may lose what is small beside them, but not its terms: only who returns a sum has to tell it apart."""
        cell = self.program.cell(e.name) if isinstance(e, ir.CellValue) else None
        table = None if cell is None else self.exact.grids.table(cell.body)
        told = table is None or table.numbers is None or table.is_told_by_doubles
        return cell is not None and cell.operator not in CHOSEN and told

    def is_told(self, e: ir.CellValue | ir.MemoryValue | ir.Drawn) -> bool:
        """Whether doubles tell different numbers that are kept or drawn."""
        jumps = self.exact.jumps
        return not jumps.grids.of(e).exact or jumps.units.are_told(e, jumps.growths.of(e).size.at(1))

    def shown(self, e: ir.Expression) -> tuple[Run, bool, float]:
        """(run, exact, error) of what is returned. `exact`: its doubles are nearest to the numbers, and those of
        different numbers differ; else it is off by a small part of itself, or by at most the absolute `error`. Raises
        CannotVectorise where doubles do not tell the numbers."""
        jumps, run = self.exact.jumps, self.compile(e)
        form, by = jumps.run(e), jumps.grids.of(e).denominator
        if isinstance(e, ir.Noised) and by is not None and jumps.grids.of(e).exact:
            return _on_its_grid(run, by), True, 0.0
        if jumps.smooth.is_told(e) and not (isinstance(form, Decided) and self._needs_the_step(form)):
            return run, True, 0.0
        if by is not None and jumps.grids.of(e).exact and jumps.smooth.are_numbers(e):
            raise CannotVectorise("a number is returned that doubles do not tell from others")
        if self._is_one_kept_number(e):
            return run, False, 0.0
        error = jumps.growths.of(e).error.at(LATE) * UNIT
        if error <= CLOSE:
            return run, False, error
        checked = jumps.smooth.check(e, None)
        if checked is None:
            raise CannotVectorise("a number is returned that doubles do not tell from others")
        return run if isinstance(form, Decided) else self._checked(checked), False, LEAST_ERROR

    def _checked(self, form: Guarded) -> Run:
        """A number with a small error in the steps that are looked at for numbers that jump nowhere."""
        return self._guarded(form, UNKNOWN, MANY)

    def _is_one_kept_number(self, e: ir.Expression) -> bool:
        """Whether it is one number that is kept and told from others, or its negative."""
        match e:
            case ir.Apply("abs" | "negate", (x,)):
                return self._is_one_kept_number(x)
            case ir.Local(name):
                return self._is_one_kept_number(self.program.define(name).expression)
            case ir.CellValue(name):
                cell, jumps = self.program.cell(name), self.exact.jumps
                if cell.operator != "mean" or jumps.grids.of(cell.body).denominator is None:
                    return False
                largest = jumps.growths.of(cell.body).size.at(LATE) * MANY
                return jumps.smooth.precision.are_told(largest, cell.body, MANY * APART)
        return False

    def _decided(self, form: Decided) -> Run:
        if form.is_truth:
            return super()._decided(form)
        if self._needs_the_step(form):
            if isinstance(self.exact.jumps.run(form.expression), Decided):  # it jumps
                raise CannotVectorise("a number that jumps, of which the number of the step tells the exact value")
            guarded = form.guarded or self.exact.jumps.smooth.check(form.expression, None)
            if guarded is None:
                raise CannotVectorise(UNKNOWN)
            return self._checked(guarded)
        return super()._decided(self.exact.jumps.smooth.told(form))

    def _needs_the_step(self, form: Decided) -> bool:
        """Whether the exact value follows from the number of the step, on which the expression does not depend. (A mean
        over all steps needs only a number that is not smaller than theirs.)"""
        read = list(walk_defined(self.program, form.expression))
        if ir.StepNumber() not in form.reads or any(isinstance(part, ir.StepNumber) for part in read):
            return False
        cells = [self.program.cell(part.name) for part in read if isinstance(part, ir.CellValue)]
        grids = self.exact.grids
        return any(grids.of(c.body).denominator is None or not isinstance(c.keep, AllSteps) for c in cells)

    def bound(self, e: ir.Expression, of: ir.Expression, step: float = LATE) -> Run:
        """With the errors that so many steps make, whatever the step is. A number that reads the step has those of the
        steps that were made."""
        if any(isinstance(part, ir.StepNumber) for part in walk_defined(self.program, of)):
            return self.compile(e)
        outer, self._step = self._step, min(step, LATE, self.exact.jumps.wholes.end)
        try:
            return self.compile(e)
        finally:
            self._step = outer


def _on_its_grid(run: Run, by: int) -> Run:
    """Multiples of 1/by as the doubles that are nearest to them: noise is added in doubles."""

    def on_its_grid(f: Frame) -> Value:
        value = run(f)
        if isinstance(value, Ragged):
            raise CannotVectorise("noise on a list that grows")
        wholes = np.asarray(value, dtype=np.float64) * by
        if np.any(np.abs(wholes[np.isfinite(wholes)]) >= EXACT / 8):
            raise Unsolved("a number is returned that doubles do not tell from others")
        return np.rint(wholes) / by

    return on_its_grid


def is_steady(jumps: Jumps, e: ir.Apply) -> bool:
    """Whether it is decided exactly, and alike in all steps, or is no comparison."""
    return e.operator not in ir.COMPARISONS or not (jumps.adds_step(e) or isinstance(jumps.run(e), Guarded))


def is_exact(jumps: Jumps, e: ir.Apply) -> bool:
    """Whether a comparison without noise is decided exactly."""
    return all(jumps.grids.of(side).exact for side in e.arguments) and is_steady(jumps, e)


def is_refined(jumps: Jumps, difference: ir.Expression) -> bool:
    """Whether it reads a rational number that gets more digits in each step, such as one that is halved."""
    if not jumps.rationals.of(difference):
        return False
    parts = walk_defined(jumps.program, difference)
    kept = [part for part in parts if isinstance(part, ir.MemoryValue | ir.CellValue)]
    return any(jumps.grids.of(part).denominator is None and not is_mean(jumps, part) for part in kept)


def least_difference(jumps: Jumps, difference: ir.Expression) -> float:
    """What the difference of numbers that are kept from step to step is at least, if it is not 0; 0 where nothing is
    known, infinite where it is far larger than rounding."""
    line = jumps.lines.of(difference)
    if line is not None and line.unit is not None:
        unit = exactly(line.unit, jumps.grids.values)
        if not isinstance(unit, Fraction | Formula) or not jumps.lines.is_told(line):
            return 0.0
        return abs(nearest(unit)) / line.denominator
    found = _mean_beside_a_constant(jumps, difference)
    if found is not None:
        return inf if found * MANY <= MOST_TOLD else 0.0
    parts = jumps.smooth.quotients.of(difference, jumps.places.of(difference))
    if parts is None:
        return 0.0
    above, below = parts
    by = jumps.grids.of(above).denominator or inf
    size = (jumps.growths.of(above).size.at(MANY) + 1) * by * jumps.growths.of(below).size.at(MANY)
    return inf if size <= MOST_TOLD else 0.0


def _mean_beside_a_constant(jumps: Jumps, difference: ir.Expression) -> float | None:
    """Of the difference of a mean of few values and a constant: the largest of these numbers, by the largest of which
    they are all multiples."""
    match difference:
        case ir.Apply("-" | "negate", sides):
            pass
        case _:
            sides = (difference,)
    values: list[object] = []
    for side in (_defined(jumps, side) for side in sides):
        constant = jumps.grids.exactly(side) if jumps.grids.is_constant(side) else None
        if constant is not None:
            values.append(constant)
        elif is_mean(jumps, side) and isinstance(side, ir.CellValue):
            table = jumps.grids.tables.of(jumps.program.cell(side.name).body)
            values += [None] if table is None or table.numbers is None else table.numbers
        else:
            return None
    fractions = [abs(x) for x in values if isinstance(x, Fraction)]
    if len(fractions) < len(values):
        return None
    shared = lcm(*(x.denominator for x in fractions))
    return float(max(fractions) * shared / (gcd(*(int(x * shared) for x in fractions)) or 1))


def _defined(jumps: Jumps, e: ir.Expression) -> ir.Expression:
    define = jumps.places.definition(e.name, jumps.places.of(e)) if isinstance(e, ir.Local) else None
    return e if define is None else _defined(jumps, define)


def is_mean(jumps: Jumps, part: ir.Expression) -> bool:
    """Whether it is a mean over steps, of which two are not close to each other."""
    return isinstance(part, ir.CellValue) and jumps.program.cell(part.name).operator == "mean"


def without_noise(jumps: Jumps, margin: Margin) -> ir.Expression | None:
    """The comparison of a margin without noise, where it is decided exactly."""
    holds = jumps.holds(margin)
    return holds if isinstance(holds, ir.Apply) and is_steady(jumps, holds) else None
