"""Finds the lattice on which sums over all steps lie: what each entry adds to them, as a whole number."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np

from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.state import PartialState
from seqlang.backends.solve.solution import Array
from seqlang.backends.solve.step.dependencies import Needed, walk_defined
from seqlang.backends.solve.step.entries import entries, model_of, reads_step
from seqlang.backends.solve.step.rounding_of_sums import APART, NOISE
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model import expression as ir
from seqlang.model.jumps import jumps_of
from seqlang.model.program import AllSteps, Cell, Define, Program
from seqlang.operators.groups import ADDED
from seqlang.record import record

EXACT = 1e-14
"""A ratio of increments that differs relatively by less than this from a fraction with a small denominator is taken to
be that fraction."""
FINEST = 1e-9
"""Relative to the largest number that an entry adds: a smaller one is too near to rounding where sums are compared."""
DENOMINATOR = 256
"""The largest denominator of such a fraction."""
WIDEST = 4000
"""The largest difference of two increments in units of the lattice: the band grows by it in each step."""

CHANGES = (
    ir.StepNumber, ir.CellValue, ir.MemoryValue, ir.Reported, ir.Drawn, ir.Noised, ir.Records,
)  # fmt: skip
"""What an expression reads that is no function of the entry alone."""


@record
class Lattice:
    """After t steps the sums are t * start + k * unit, with k a whole number: (sums,) each.

    `shifts` (k of an entry) and `chances`, one an entry; `fields` the entry's values. Where `start` is
    numerator / denominator * unit, the sums are (t * numerator + k * denominator) * unit / denominator: the same values
    again and again; `numerator` is None where they never come again.
    """

    names: tuple[str, ...]
    start: Array
    unit: Array
    shifts: tuple[int, ...]
    chances: tuple[float, ...]
    fields: tuple[Mapping[str, Any], ...]
    numerator: int | None
    denominator: int
    missing: float
    means: tuple[bool, ...]

    @property
    def again(self) -> bool:
        """Whether the values are the same in every step, up to the class of numerator * t modulo denominator."""
        return self.numerator is not None and not any(self.means)

    def of_whole(self, whole: Any) -> dict[str, Array]:
        """The sums by cell name at whole = t * numerator + k * denominator."""
        return {n: whole * (u / self.denominator) for n, u in zip(self.names, self.unit, strict=True)}

    def values(self, step: Any, k: Any) -> dict[str, Array]:
        """Sums and means by cell name; shapes of `step` and `k` broadcast."""
        if self.numerator is not None:
            found = self.of_whole(np.asarray(step) * self.numerator + k * self.denominator)
        else:
            found = {n: step * s + k * u for n, s, u in zip(self.names, self.start, self.unit, strict=True)}
        return {n: value / step if mean else value for (n, value), mean in zip(found.items(), self.means, strict=True)}


def lattice_of(program: Program, model: str, needed: Needed | None = None) -> Lattice:
    """The lattice of the cells that matter (`needed`; None: all). Raises Unsolved where they are no sums over all steps
    of functions of the entry, or lie on no lattice."""
    body = [s for i, s in enumerate(program.body) if needed is None or i in needed.statements]
    cells = [s for s in body if isinstance(s, Cell)]
    if not cells:
        raise Unsolved("nothing is summed")
    if reads_step(model_of(program, model)):
        raise Unsolved("the model depends on the step")
    tables = [jumps_of(program).grids.table(cell.body) for cell in cells]
    if any(t is not None and t.numbers is not None and not t.is_told_by_doubles for t in tables):
        raise Unsolved("what the entries add has values that doubles do not tell from each other")
    found, missing = entries(program, model)
    reader = EntryReader(program)
    rows = np.array([[reader.increment(cell, entry.fields) for cell in cells] for entry in found], dtype=float)
    start, unit, shifts = _lattice(rows, [entry.chance for entry in found])
    numerator, denominator = _ratio(start, unit)
    return Lattice(
        names=tuple(c.name for c in cells), start=start, unit=unit, shifts=shifts,
        chances=tuple(e.chance for e in found), fields=tuple(e.fields for e in found),
        numerator=numerator, denominator=denominator, missing=missing,
        means=tuple(c.operator == "mean" for c in cells),
    )  # fmt: skip


class EntryReader:
    """Computes what a cell adds for a given entry, also through definitions that are functions of the entry."""

    def __init__(self, program: Program) -> None:
        self._compiler = Compiler(program)
        self._plain: dict[str, ir.Expression] = {}
        for statement in program.body:
            if isinstance(statement, Define) and self._of_entry(statement.expression):
                self._plain[statement.name] = statement.expression
        self._state = PartialState()

    def increment(self, cell: Cell, fields: Mapping[str, Any]) -> float:
        if not isinstance(cell.keep, AllSteps) or cell.binders or cell.operator not in ADDED:
            raise Unsolved(f"`{cell.name}` is no sum over all steps")
        if cell.operator == "mean" and cell.where is not None:
            raise Unsolved(f"`{cell.name}` is a mean over some steps")
        for part in (cell.body, cell.where):
            if part is not None and not self._of_entry(part):
                raise Unsolved(f"what `{cell.name}` adds is no function of the entry alone")
        values: dict[str, Any] = {}
        self._state.fields, self._state.locals = fields, values
        for name, e in self._plain.items():  # one may read those before it
            values[name] = self._value(e)
        if cell.where is not None and not self._value(cell.where):
            return 0.0
        value = self._value(cell.body)
        if cell.operator == "count":
            return 1.0 if value else 0.0
        if not isinstance(value, (int, float, bool)) or not math.isfinite(value):
            raise Unsolved(f"`{cell.name}` adds {value!r}")
        return float(value)

    def _value(self, expression: ir.Expression) -> Any:
        return self._compiler.compile(expression).run(self._state)

    def _of_entry(self, expression: ir.Expression) -> bool:
        return not any(isinstance(e, CHANGES) for e in walk_defined(self._compiler.program, expression))


def _lattice(rows: Array, chances: list[float]) -> tuple[Array, Array, tuple[int, ...]]:
    """start, unit and the whole numbers k of the rows (entries, sums)."""
    size = np.abs(rows).max(initial=0.0, axis=0)
    size[size == 0] = 1.0
    scaled = rows / size
    column = int(np.argmax(np.ptp(scaled, axis=0)))
    start = int(np.argmin(scaled[:, column]))  # the lowest: then no k is negative
    moves = scaled - scaled[start]
    far = int(np.argmax(np.abs(moves[:, column])))
    if not np.any(np.abs(moves) > 1e-13):
        return rows[start].copy(), np.zeros(rows.shape[1]), tuple(0 for _ in chances)
    direction = moves[far]
    least = _least(rows) / np.abs(rows).max(axis=0, where=rows != 0, initial=1e-300)
    if np.any(least < FINEST):
        raise Unsolved("what the entries add is of very different sizes")
    ratios: list[Fraction] = []
    for row, move in zip(scaled, moves, strict=True):
        ratio = move[column] / direction[column]
        near = Fraction(float(ratio)).limit_denominator(DENOMINATOR)
        size = np.maximum(np.abs(row), np.abs(scaled[start]))
        missed = np.abs(move - float(near) * direction)
        if np.any((missed > 10 * EXACT * size) | (missed > APART * least)):  # also for a move that is tiny
            raise Unsolved("what the entries add lies on no lattice")
        ratios.append(near)
    common = lcm(*(r.denominator for r in ratios))
    whole = [int(r * common) for r in ratios]
    step = gcd(*whole)
    shifts = tuple(w // step for w in whole)
    if max(shifts) - min(shifts) > WIDEST:
        raise Unsolved("the lattice of what the entries add is too fine")
    unit = (rows[far] - rows[start]) / shifts[far]
    return rows[start].copy(), unit, shifts


def _least(rows: Array) -> Array:
    """The least number of each column that is more than a rounding error (as the computed logarithm of 1 is)."""
    sizes = np.abs(rows)
    seen = sizes > NOISE * np.minimum(1.0, sizes.max(axis=0, initial=0.0))
    return np.asarray(np.where(seen, sizes, np.inf).min(axis=0, initial=np.inf))


def _ratio(start: Array, unit: Array) -> tuple[int | None, int]:
    """numerator, denominator with start = numerator / denominator * unit."""
    if not np.any(unit):
        return (0, 1) if not np.any(start) else (None, 1)
    column = int(np.argmax(np.abs(unit)))
    near = Fraction(float(start[column] / unit[column])).limit_denominator(64)
    if np.any(np.abs(start - float(near) * unit) > EXACT * np.maximum(np.abs(start), np.abs(unit))):
        return None, 1
    return near.numerator, near.denominator


def merged(shifts: Iterable[int], chances: Iterable[float]) -> tuple[tuple[int, float], ...]:
    """(whole number, chance) in rising order; entries that add the same number are one."""
    total: dict[int, float] = {}
    for shift, chance in zip(shifts, chances, strict=True):
        total[shift] = total.get(shift, 0.0) + chance
    return tuple(sorted(total.items()))
