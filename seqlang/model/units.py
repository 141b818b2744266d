"""The unit by whose multiples the numbers differ that a run keeps: two of them are then equal or plainly apart."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from itertools import chain

from seqlang.arithmetic.formula import Formula
from seqlang.model import exact_numbers as numbers
from seqlang.model.constants import exactly
from seqlang.model.expression import Expression, MemoryValue, Noised, Term, walk
from seqlang.model.grids import Grids, finest
from seqlang.model.lines import ZERO, Lines
from seqlang.model.program import AllSteps, Cell, Draw, LastSteps, Previous, Program, expressions_in, margins_of
from seqlang.operators.groups import SUMS
from seqlang.record import record

FINEST_TIE = 1 << 30
"""The largest denominator of numbers of which two are equal if they look so."""


@record
class Unit:
    """Two numbers of one step differ by a multiple of `size`; with `always`, two of any steps."""

    size: float
    always: bool = True


class Units:
    """The units of one program. None: not known."""

    def __init__(self, program: Program, grids: Grids, lines: Lines) -> None:
        self.program, self.grids, self.lines = program, grids, lines
        self._drawn = {noise.name for noise in program.noises}
        self._drawn |= {s.name for s in program.body if isinstance(s, Draw)}
        self._cells: dict[str, Unit | None] = {}
        self._others: dict[str, Unit | None] = {}

    def memory(self, name: str) -> Unit | None:
        """Of the values of a memory."""
        if name not in self._others:
            self._others[name] = _grid(self.grids.of(MemoryValue(name)).denominator)
        return self._others[name]

    def held(self, name: str) -> Unit | None:
        """Of the values of a noise or a draw."""
        if name not in self._drawn:
            return None
        if name not in self._others:
            self._others[name] = _grid(self.grids.law(self.grids.law_of(name)).denominator)
        return self._others[name]

    def cell(self, name: str) -> Unit | None:
        """Of what a cell keeps: its terms, their sum, or their number."""
        if name not in self._cells:
            self._cells[name] = self._of_cell(self.program.cell(name))
        return self._cells[name]

    @cached_property
    def blurred(self) -> frozenset[str]:
        """The noises that are added to numbers of which two may differ and look equal: what they are compared with,
        their factors and their own values are not multiples of one fraction that is far larger than rounding."""
        found: set[str] = set()
        for value, terms in self._with_noise():
            grids = [self.grids.of(value), *(self.grids.of(term.factor) for term in terms)]
            grids += [self.grids.law(self.grids.law_of(term.noise)) for term in terms]
            by = finest(*grids)
            tied = all(grid.exact for grid in grids)  # with a density among them no two are equal
            if tied and (by is None or by > FINEST_TIE):
                found.update(term.noise for term in terms)
        return frozenset(found)

    def _with_noise(self) -> Iterator[tuple[Expression, tuple[Term, ...]]]:
        nodes = chain.from_iterable(map(walk, chain.from_iterable(map(expressions_in, self.program.body))))
        yield from ((node.base, node.terms) for node in nodes if isinstance(node, Noised))
        for gate in self.program.gates:
            yield from ((margin.value, margin.terms) for margin in margins_of(gate))

    def _of_cell(self, cell: Cell) -> Unit | None:
        bodies = [cell.body, cell.keep.initial] if isinstance(cell.keep, Previous) else [cell.body]
        on = _grid(finest(*map(self.grids.of, bodies)))
        if on is not None or cell.binders or len(bodies) > 1:
            return on
        line = self.lines.of(cell.body)
        value = None if line is None or line.unit is None else exactly(line.unit, self.grids.values)
        if line is None or not isinstance(value, Fraction | Formula):
            return None
        always = line.constant == line.slope == line.other == ZERO
        in_step = cell.operator in SUMS and cell.where is None and isinstance(cell.keep, AllSteps | LastSteps)
        if not always and not in_step:  # the largest number may be of any step
            return None
        size = abs(numbers.nearest(value)) / line.denominator
        return Unit(size, always) if size > 0 else None


def _grid(denominator: int | None) -> Unit | None:
    return None if denominator is None else Unit(1 / denominator)
