"""The unit by whose multiples the numbers differ that a run keeps: two of them are then equal or plainly apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from itertools import chain
from math import gcd, inf, lcm

from seqlang.arithmetic.formula import Formula
from seqlang.model import exact_numbers as numbers
from seqlang.model.constants import exactly
from seqlang.model.expression import (
    CellValue,
    Choice,
    Density,
    Drawn,
    Expression,
    Law,
    MemoryValue,
    Noised,
    Sequence,
    Term,
    Weights,
    WeightsOf,
    walk,
)
from seqlang.model.grids import Grids, finest
from seqlang.model.growths import Growths
from seqlang.model.lines import ZERO, Lines
from seqlang.model.precision import MANY
from seqlang.model.program import AllSteps, Cell, Draw, LastSteps, Previous, Program, expressions_in, margins_of
from seqlang.operators.groups import CHOSEN, SUMS
from seqlang.record import record

MOST_TOLD = 2.0**52
"""Units: larger numbers may be the same double as the next one."""


@record
class Unit:
    """Two numbers of one step differ by a multiple of `size`; with `always`, two of any steps."""

    size: float
    always: bool = True


class Units:
    """The units of one program. None: not known."""

    def __init__(self, program: Program, grids: Grids, lines: Lines, growths: Growths) -> None:
        self.program, self.grids, self.lines, self.growths = program, grids, lines, growths
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
    def gaps(self) -> Mapping[str, float]:
        """What two bounds on each noise, or two released numbers divided by its factor, differ at least."""
        found: dict[str, float] = {}
        for value, terms in chain(self.shown(), self.compared()):
            apart = self.apart(value, terms)
            for term in terms:
                size = self.growths.of(term.factor).size.at(MANY)
                gap = apart / size if size > 0 else inf
                found[term.noise] = min(found.get(term.noise, inf), gap)
        return found

    def apart(self, value: Expression, terms: tuple[Term, ...] = ()) -> float:
        """What a number with its noise differs at least from another one that it is not equal to: 0 where nothing is
        known, infinite where a density is among the noises, as no two are equal then."""
        grids = [self.grids.of(value), *(self.grids.of(term.factor) for term in terms)]
        grids += [self.grids.law(self.grids.law_of(term.noise)) for term in terms]
        by = finest(*grids)
        return (0.0 if by is None else 1 / by) if all(grid.exact for grid in grids) else inf

    def shown(self) -> Iterator[tuple[Expression, tuple[Term, ...]]]:
        """What noise is added to before it is shown, with the noise."""
        nodes = chain.from_iterable(map(walk, chain.from_iterable(map(expressions_in, self.program.body))))
        yield from ((node.base, node.terms) for node in nodes if isinstance(node, Noised))

    def compared(self) -> Iterator[tuple[Expression, tuple[Term, ...]]]:
        """What noise is added to before it is compared with 0, with the noise."""
        for gate in self.program.gates:
            yield from ((margin.value, margin.terms) for margin in margins_of(gate))

    def are_told(self, e: CellValue | MemoryValue | Drawn, size: float) -> bool:
        """Whether doubles tell the numbers that are kept, or drawn, from each other, as far as their unit is known:
        they are up to `size`, and later perhaps larger."""
        match e:
            case CellValue(name):
                unit = self.cell(name)
            case MemoryValue(name):
                unit = self.memory(name)
            case Drawn(name):
                unit = None if _listed(self.grids.law_of(name)) else self.held(name)
        return self._listed_are_told(e) if unit is None else size < MOST_TOLD * unit.size

    def _listed_are_told(self, e: CellValue | MemoryValue | Drawn) -> bool:
        """The same of numbers that are one of a few; where these are not known, nothing is said of them."""
        values: list[Expression] = []
        if isinstance(e, CellValue):
            cell = self.program.cell(e.name)
            if cell.operator in CHOSEN or isinstance(cell.keep, Previous):
                values = [cell.body, *([cell.keep.initial] if isinstance(cell.keep, Previous) else [])]
        elif isinstance(e, Drawn):
            values = _listed(self.grids.law_of(e.name))
        exact: set[Fraction | Formula] = set()
        if any(isinstance(node, Density) for value in values for node in walk(value)):
            return False  # exact arithmetic does not know these chances
        for value in values:
            table = None if self.grids.is_constant(value) else self.grids.table(value)
            found = exactly(value, self.grids.values) if self.grids.is_constant(value) else None
            exact.update(table.numbers or () if table is not None else ())
            exact.update((found,) if isinstance(found, Fraction | Formula) else ())
        try:
            return len(set(map(numbers.nearest, exact))) == len(exact)
        except (numbers.Undecided, OverflowError):
            return False

    def _of_cell(self, cell: Cell) -> Unit | None:
        bodies = [cell.body, cell.keep.initial] if isinstance(cell.keep, Previous) else [cell.body]
        on = self._of_table(bodies) or _grid(finest(*map(self.grids.of, bodies)))
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

    def _of_table(self, bodies: list[Expression]) -> Unit | None:
        """Of a body that has a few values, all of them fractions."""
        table = self.grids.table(bodies[0]) if len(bodies) == 1 else None
        values = None if table is None else table.numbers
        if not values or not all(isinstance(value, Fraction) for value in values):
            return None
        fractions = [value for value in values if isinstance(value, Fraction)]
        by = lcm(*(value.denominator for value in fractions))
        whole = gcd(*(int(value * by) for value in fractions))
        return Unit(whole / by) if whole else None


def _listed(law: Expression) -> list[Expression]:
    """The values that a law lists."""
    match law:
        case Weights(pairs):
            return [value for value, _ in pairs]
        case WeightsOf(value):
            return [value]
        case Law("point", (value,)):
            return [value]
        case Law("uniform", (Sequence("set", items),)):
            return list(items)
        case Law(_, arguments):
            return [value for part in arguments for value in _listed(part)]
        case Choice(_, yes, no):
            return [*_listed(yes), *_listed(no)]
    return []


def _grid(denominator: int | None) -> Unit | None:
    return None if denominator is None else Unit(1 / denominator)
