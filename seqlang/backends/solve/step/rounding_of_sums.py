"""How far rounding may have moved a sum that is carried from step to step, and what is computed from it.

Such a sum may come back to 0 and be 1e-16 instead: a comparison must not tell the two apart. How large a difference is
ignored follows from the numbers that were added, and is carried through the expression that is compared (`drift`): a
relative tolerance would not do, as 1e-16 is rounding beside 1, and a value of its own beside 1e-20.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.cells.cell import VectorCell
from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.arrays.frame import Frame, Run
from seqlang.backends.arrays.values import Value
from seqlang.backends.solve.step.dependencies import walk_defined
from seqlang.backends.solve.step.magnitude import magnitude
from seqlang.model import expression as ir
from seqlang.model.program import Cell, Program, Update
from seqlang.operators.catalogue import numerics
from seqlang.operators.groups import ADDITIVE, ROUNDINGS, SUMS
from seqlang.record import record, replace

Array = NDArray[Any]
OFF = 1e-14
"""The error of a carried sum, relative to the sum of the sizes of all terms, is taken to be at most this."""
ONCE = 1e-15
"""The relative error of a sum that is computed in one operation, as a multiple of a unit."""
APART = 1e-7
"""Relative to the least term: two different values of a sum are never taken to lie closer than this."""
NOISE = 1e-15
"""A term below this is taken for 0 (a computed logarithm of 1, say); relative to the largest term of its step where
that is below 1."""
WHOLE = 2.0**53
"""Sums of whole numbers below this are exact."""
NOTHING: ir.Expression = ir.Number(Fraction(0))


@record
class RoundingBound:
    """The rounding error of a sum: a difference of at most `forgiven` is ignored, `most` bounds the error, and `least`
    is the least number that was added."""

    forgiven: float
    most: float
    least: float


NONE = RoundingBound(0.0, 0.0, np.inf)


def rounding_bound(values: Array) -> RoundingBound:
    """The rounding error of a sum that takes these values, which lie at equal distances or anywhere."""
    finite = values[np.isfinite(values)]
    most = ONCE * float(np.max(np.abs(finite), initial=0.0))
    gaps = np.diff(np.sort(finite))
    gap = float(gaps.min(initial=np.inf))
    if not gaps.size or gap <= 0 or float(gaps.max()) > gap * (1 + 1e-6):
        return RoundingBound(most, most, np.inf)
    return RoundingBound(min(most, APART * gap), most, gap)


class Added:
    """What was added to a sum so far in all rows. `size` bounds the sum of the sizes of the terms of one row, `least`
    is the least term, and `whole` says whether all terms are whole numbers."""

    def __init__(self) -> None:
        self.least, self.size, self.whole = np.inf, 0.0, True
        self._step, self._largest = 0, 0.0

    def note(self, step: int, terms: Array) -> None:
        """Counts the terms of one step. The terms of a step may come in several calls, and a step may be computed
        again."""
        sizes = np.abs(terms)
        largest = float(sizes.max(where=np.isfinite(sizes), initial=0.0))
        sizes = sizes[np.isfinite(sizes) & (sizes > NOISE * min(1.0, largest))]
        if not sizes.size:
            return
        self.least = min(self.least, float(sizes.min()))
        self.whole = self.whole and bool(np.array_equal(sizes, np.rint(sizes)))
        if step > self._step:
            self._step, self._largest = step, 0.0
        if largest > self._largest:
            self.size += largest - self._largest
            self._largest = largest

    @property
    def off(self) -> RoundingBound:
        if self.whole and self.size < WHOLE:
            return RoundingBound(0.0, 0.0, self.least)
        return RoundingBound(min(OFF * self.size, APART * self.least), OFF * self.size, self.least)


class CarriedCell(VectorCell):
    """A cell that knows what was added to it. Copies of the cell share this knowledge."""

    def __init__(self, cell: Cell, compiler: VectorCompiler) -> None:
        super().__init__(cell, compiler)
        self.added = Added()

    def note(self, step: int, taken: Value, value: Value) -> None:
        if self.cell.operator in SUMS:
            self.added.note(step, np.asarray(value if taken is True else np.where(taken, value, 0.0), dtype=np.float64))


def sums_in(program: Program, e: ir.Expression) -> tuple[str, ...]:
    """The cells and memories read by the expression that add up terms over the steps."""
    found: dict[str, None] = {}
    for node in walk_defined(program, e):
        match node:
            case ir.CellValue(name) if program.cell(name).operator in SUMS:
                found[name] = None
            case ir.MemoryValue(name) if any(
                isinstance(s, Update) and s.memory == name and adds_up(s) for s in program.body
            ):
                found[name] = None
            case _:
                pass
    return tuple(found)


def adds_up(update: Update) -> bool:
    """Whether the new value of a memory is the old one and a term."""
    return (
        isinstance(update.value, ir.Apply)
        and update.value.operator in ADDITIVE
        and any(part == ir.MemoryValue(update.memory) for part in update.value.arguments)
    )


def drift(program: Program, e: ir.Expression) -> ir.Expression:
    """How far `e` is off, to first order, where the cell of the name N is off by the bound number `off(program, N)`."""

    def of(inner: ir.Expression) -> ir.Expression:
        return drift(program, inner)

    match e:
        case ir.CellValue(name) | ir.MemoryValue(name):
            return ir.Bound(off(program, name)) if sums_in(program, e) else NOTHING
        case ir.Local(name):
            return of(program.define(name).expression)
        case ir.Noised(base=base):
            return of(base)
        case ir.Apply("abs", (inner,)):
            return of(inner)
        case ir.Apply("sqrt", (inner,)):
            moved = of(inner)
            over = ir.Choice(ir.Apply(">", (inner, moved)), _over(moved, e), ir.Apply("sqrt", (moved,)))
            return NOTHING if moved == NOTHING else over
        case ir.Apply(operator, arguments) if operator in _SLOPES and operator != "^":
            rounded = OFF if _SLOPES[operator].spreads_rounding else 0
            found = NOTHING
            for place, inner in enumerate(arguments):
                moved = _plus(of(inner), _times(ir.Number(Fraction(rounded)), magnitude(program, inner)))
                found = _plus(found, _by_slope(operator, place, moved, e, arguments))
            return found
        case ir.Quantified("sum" | "mean" | "max" | "min", body):
            moved = of(body)
            return NOTHING if moved == NOTHING else replace(e, operator="sum", body=moved)
        case ir.Choice(test, yes, no):
            first, second = of(yes), of(no)
            return first if first == second else ir.Choice(test, first, second)
        case ir.Apply(operator) if operator in ir.COMPARISONS | ir.LOGIC:
            return NOTHING
        case ir.Apply(_, arguments):
            return reduce(_plus, map(of, arguments), NOTHING)
        case _:
            return reduce(_plus, [ir.Bound(off(program, name)) for name in sums_in(program, e)], NOTHING)


_SLOPES = {
    name: numeric
    for count in (1, 2)
    for name, numeric in numerics(count).items()
    if numeric.slopes is not None and name not in ROUNDINGS
}
"""Operators whose value moves by their slope. That of others moves at most as their arguments do."""


def _by_slope(
    operator: str, place: int, moved: ir.Expression, e: ir.Expression, arguments: tuple[ir.Expression, ...]
) -> ir.Expression:
    """How far the value is off where the argument at this place is off by `moved`."""
    slopes = _SLOPES[operator].slopes
    assert slopes is not None
    size: _Size = slopes(_Size(moved), _Size(e), *map(_Size, arguments))[place]
    return size.expression


@record
class _Size:
    """The size of an expression, with which the slopes of the catalogue compute: signs do not matter."""

    expression: ir.Expression

    def __neg__(self) -> _Size:
        return self

    def __radd__(self, other: float) -> _Size:
        return _Size(_plus(ir.Number(Fraction(other)), self.expression))

    def __mul__(self, other: _Size | float) -> _Size:
        factor = other.expression if isinstance(other, _Size) else ir.Number(Fraction(other))
        return _Size(_times(self.expression, _size(factor)))

    def __truediv__(self, other: _Size) -> _Size:
        return _Size(_over(self.expression, _size(other.expression)))


def size_of(run: Run, frame: Frame, bound: Mapping[int, float]) -> Array:
    """The size of a compiled value with these bound numbers, by row; of a vector the largest coordinate; what is no
    number has none."""
    frame.bound.update(bound)
    with np.errstate(all="ignore"):
        value = np.abs(np.asarray(run(frame), dtype=np.float64))
        value = np.where(np.isfinite(value), value, 0.0)
    return np.atleast_1d(value.max(axis=tuple(range(value.ndim - 1))))


def off(program: Program, name: str) -> ir.Variable:
    """The variable that stands for how far the sum in this cell or memory is off; no binder of a program has a negative
    number, and placeholders of other kinds have larger ones."""
    sums = [s.name for s in program.body if isinstance(s, Cell)] + [m.name for m in program.memories]
    return ir.Variable(-1000 - sums.index(name), f"how far {name} is off")


def _plus(left: ir.Expression, right: ir.Expression) -> ir.Expression:
    if NOTHING in (left, right):
        return right if left == NOTHING else left
    return ir.Apply("+", (left, right))


def _times(left: ir.Expression, right: ir.Expression) -> ir.Expression:
    return NOTHING if NOTHING in (left, right) else ir.Apply("*", (left, right))


def _over(left: ir.Expression, right: ir.Expression) -> ir.Expression:
    return NOTHING if left == NOTHING else ir.Apply("/", (left, right))


def _size(e: ir.Expression) -> ir.Expression:
    return ir.Apply("abs", (e,))
