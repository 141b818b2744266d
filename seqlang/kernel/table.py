"""Two neighbouring data sets: what they have in common, and where they differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from seqlang.kernel.core import Expression, Letters, Program, Range, Read, Remove, Step, Within
from seqlang.kernel.refused import Refused
from seqlang.kernel.terms import Formula, Linear, at_least, equal, holds_one, number
from seqlang.kernel.values import Reader, Space, Value


@dataclass(frozen=True, slots=True)
class Case:
    """One way in which entries or rows may differ. `letters`: the values of what has finitely many, by (kind, index,
    run). `row`: of listed rows the one that is changed. `added`: whether run 2 has the row that run 1 lacks."""

    letters: Mapping[tuple[str, int, int], Fraction] = field(default_factory=dict)
    row: int | None = None
    added: bool = False


def number_in(space: Space, domain: Letters | Range, name: str, known: list[Formula]) -> Linear:
    """A new variable in the domain, which is added to what is known."""
    if isinstance(domain, Letters):
        found = space.new(name, all(v.denominator == 1 for v in domain.values))
        known.append(holds_one(equal(found, number(v)) for v in domain.values))
        return found
    found = space.new(name, domain.whole)
    if domain.low is not None:
        known.append(at_least(found, number(domain.low)))
    if domain.high is not None:
        known.append(at_least(number(domain.high), found))
    return found


def moved_within(
    space: Space, adjacency: Within, old: Callable[[Read | Step], Value], new: Callable[[Read | Step], Value]
) -> tuple[Linear, tuple[Formula, ...]]:
    """By how much an entry or a row moves, and that it is no more than the adjacency allows."""
    move = Reader(space, new).number(adjacency.of) - Reader(space, old).number(adjacency.of)
    radius = space.constant(adjacency.radius)
    return move, (at_least(radius, move), at_least(radius, move.times(Fraction(-1))))


class Table:
    """`known`: domains, and how the rows differ. `ways`: the moves of an adjacency with one direction. `listed`: of
    listed rows the numbers of both runs. Of other rows a total in run 1 is a number that depends on what it adds up,
    seen as a function of any row; in run 2 it is larger by what the changed row adds."""

    def __init__(self, space: Space, program: Program, case: Case) -> None:
        assert program.rows is not None
        self.space, self.rows, self.adjacency, self.case = space, program.rows, program.adjacency, case
        self.known: list[Formula] = []
        self.ways: list[Linear] = []
        self.listed: tuple[dict[int, Linear], dict[int, Linear]] = ({}, {})
        self.changed: list[tuple[Fraction, dict[int, Linear]]] = []
        if self.rows.listed:
            self._list()
        else:
            self._fold()

    def total(self, body: Expression, reader: Reader) -> Linear:
        """In run 1, of what the reader reads beside the rows."""
        if self.rows.listed:
            raise Refused("a total of rows that are read one by one")
        return self.space.total(self._at(self.any, body, reader))

    def moved(self, body: Expression, reader: Reader) -> Linear:
        """How much larger it is in run 2 for the rows alone."""
        found = number(0)
        for sign, row in self.changed:
            found = found + self._at(row, body, reader).times(sign)
        return found

    def _at(self, row: Mapping[int, Linear], body: Expression, reader: Reader) -> Linear:
        def read(what: Read | Step) -> Value:
            if isinstance(what, Read) and what.kind == "row":
                if what.run or what.index not in row:
                    raise Refused("a total reads a field that does not exist")
                return row[what.index]
            return reader.read(what)

        # a total of no rows reads nothing: one run may read what is shown, and the other not
        return Reader(self.space, read, reader.is_shown, is_certain=False).number(body)

    def _fold(self) -> None:
        self.any = self._row("of any row", 0)
        if isinstance(self.adjacency, Remove):
            self.changed = [(Fraction(1 if self.case.added else -1), self._row("of the row", 1))]
            return
        old, new = self._row("of the row", 1), self._row("of the row'", 2)
        self.changed = [(Fraction(-1), old), (Fraction(1), new)]
        if isinstance(self.adjacency, Within):
            if self.adjacency.every:
                raise Refused("every row changes, and a total is taken of them")
            self._within(self.adjacency, old, new)

    def _list(self) -> None:
        assert self.rows.size is not None  # see `cases_of`
        width = len(self.rows.fields)
        every = isinstance(self.adjacency, Within) and self.adjacency.every
        for k in range(self.rows.size):
            old = self._row(f"of row {k}", 0)
            new = self._row(f"of row {k}'", 0) if every or k == self.case.row else old
            for f in range(width):
                self.listed[0][k * width + f], self.listed[1][k * width + f] = old[f], new[f]
            if isinstance(self.adjacency, Within) and new is not old:
                self._within(self.adjacency, old, new)

    def _row(self, name: str, run: int) -> dict[int, Linear]:
        found: dict[int, Linear] = {}
        for f, domain in enumerate(self.rows.fields):
            letter = self.case.letters.get(("row", f, run))
            label = f"field {f} {name}"
            found[f] = number_in(self.space, domain, label, self.known) if letter is None else number(letter)
        return found

    def _within(self, adjacency: Within, old: Mapping[int, Linear], new: Mapping[int, Linear]) -> None:
        move, bounds = moved_within(self.space, adjacency, _fields(old), _fields(new))
        self.known.extend(bounds)
        self.ways.append(move)


def _fields(row: Mapping[int, Linear]) -> Callable[[Read | Step], Value]:
    def read(what: Read | Step) -> Value:
        if isinstance(what, Read) and what.kind == "row" and what.run == 0 and what.index in row:
            return row[what.index]
        raise Refused("an adjacency reads more than the row")

    return read
