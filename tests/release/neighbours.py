"""Random files of rows, and their neighbours in the program's own sense: with entries inside of their domains, at their
ends and beyond, and with cells and lines that are missing or that nobody can read."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

from seqlang.model.domain import Domain, Finite, Integers, Interval
from seqlang.model.expression import Expression, Field
from seqlang.model.program import Input, Program, Replace, Within
from seqlang.release.exact.code import Compiler
from seqlang.release.rows import Form

UNREADABLE = ("", "abc", "nan", "-inf", "1e999999", "1/0", "\0", "9" * 500)
"""Cells that are read as 0, or as what is nearest to it."""
STRANGE = (*UNREADABLE, '"1', "٣", "1e-300", "1e300", "7,8", "1\n0", '"')
NO_RECORD = ('"x"y', ",,,,", "\xff\r", '"x" ')
"""Lines that are no record."""


class Files:
    """Of one program. Columns of public fields come first: what a cell does to its line cannot change them."""

    def __init__(self, program: Program, form: Form, coins: random.Random) -> None:
        self._program, self._coins, self._compiler = program, coins, Compiler(program)
        self._fields = sorted(program.inputs, key=lambda field: field.kind != "public")
        self._scales = dict(form.scales)
        self.heading = ",".join(field.name for field in self._fields)

    def pair(self, steps: int) -> tuple[list[str], list[str]]:
        """The lines of two neighbouring files, with so many rows where the program does not say how many."""
        adjacency, size = self._program.adjacency, self._program.size
        count = steps if size is None else int(self._compiler.constant(size))
        if isinstance(adjacency, Within):
            mine, other = self._moved(adjacency, count)
        else:
            mine = [self._line() for _ in range(count)]
            other = list(mine)
            for _ in range(self._coins.randint(1, int(self._compiler.constant(adjacency.count)))):
                place = self._place(len(other))
                if isinstance(adjacency, Replace):
                    other[place] = self._line(mine[place].split(","))
                elif self._coins.random() < 0.5 and other:
                    del other[place]
                else:
                    other.insert(place, self._line())
        return [self.heading, *mine], [self.heading, *other]

    def _place(self, count: int) -> int:
        """More often an early one: many runs stop before the end."""
        return int(count * self._coins.random() ** 3)

    def _line(self, like: Sequence[str] = ()) -> str:
        """Any; its public cells are those of another line."""
        cells = [
            like[i] if like and field.kind == "public" else self._cell(field) for i, field in enumerate(self._fields)
        ]
        if self._coins.random() < 0.05 and all(field.kind != "public" for field in self._fields):
            return self._coins.choice(NO_RECORD)
        return ",".join(map(as_csv, cells))

    def _cell(self, field: Input) -> str:
        if field.kind == "public":
            return self._public_cell(field)
        kind = self._coins.random()
        if kind < 0.15:
            return self._coins.choice(STRANGE)
        if kind < 0.3:
            scale = self._scales.get(field.name, 1)
            ends = [Fraction(self._compiler.constant(end)) / scale for end in ends_of(field.domain) if end is not None]
            return str(self._coins.choice(ends) + self._coins.choice((0, 0, 1, -1))) if ends else "0"
        return str(Fraction(self._coins.randint(-48, 80), self._coins.choice((1, 4, 16, 16, 3))))

    def _public_cell(self, field: Input) -> str:
        """One of its domain: another one ends a release for everybody."""
        scale = self._scales.get(field.name, 1)
        match field.domain:
            case Finite(values):
                return str(Fraction(self._compiler.constant(self._coins.choice(values))) / scale)
            case Integers() | Interval():
                ends = [None if end is None else int(self._compiler.constant(end)) for end in ends_of(field.domain)]
                low, high = (-48 if ends[0] is None else ends[0]), (80 if ends[1] is None else ends[1])
                return str(Fraction(self._coins.randint(low, high)) / scale)
        raise AssertionError("a field of another kind is not known here")

    def _moved(self, adjacency: Within, count: int) -> tuple[list[str], list[str]]:
        """Whole units, inside of the domain; where the one is what is read for a cell without a number, the cell has
        none."""
        assert isinstance(adjacency.of, Field), "neighbours of another kind are not known here"
        name, radius = adjacency.of.name, int(self._compiler.constant(adjacency.radius))
        sign = self._coins.choice((1, -1))
        chosen = range(count) if adjacency.extent == "every" else (self._place(count),)
        mine, other = [], []
        for place in range(count):
            public = [self._cell(f) for f in self._fields if f.kind == "public"]
            assert {f.name for f in self._fields if f.kind != "public"} == {name}
            low, high = (int(self._compiler.constant(e)) for e in ends_of(self._program.input(name).domain) if e)
            value = self._coins.choice((low, high, *(self._coins.randint(-60, 90) for _ in range(6)), 0))
            move = self._coins.randint(0 if adjacency.same_direction else -radius, radius) * sign
            moved = min(max(value + move, low), high) if place in chosen else value
            mine.append(",".join([*public, self._text(name, value, low, high)]))
            other.append(",".join([*public, self._text(name, moved, low, high)]))
        return mine, other

    def _text(self, name: str, value: int, low: int, high: int) -> str:
        if self._coins.random() < 0.3:
            if value == 0:
                return self._coins.choice(UNREADABLE)
            if value in (low, high):
                return f"{'-' if value == low else ''}{self._coins.choice(('1e300', '9' * 30))}"
        return str(Fraction(value, self._scales.get(name, 1)))


def as_csv(cell: str) -> str:
    """The cell, in quotes where it needs them."""
    return '"' + cell.replace('"', '""') + '"' if any(c in cell for c in ',"\n\r') else cell


def ends_of(domain: Domain) -> list[Expression | None]:
    match domain:
        case Finite(values):
            return list(values)
        case Integers() | Interval():
            return [domain.low, domain.high]
    return []
