"""Neighbouring inputs: extremes first, two-valued inputs of every composition, then random ones; reproducible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import TYPE_CHECKING, TypeVar, assert_never

from seqlang.analyses.trials.entries import Entries, Row
from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.values import as_index
from seqlang.model.program import AddRemove, Program, Replace, Within
from seqlang.record import record

if TYPE_CHECKING:
    from random import Random

T = TypeVar("T")
Rows = tuple[Row, ...]
LENGTHS = (6, 12, 3, 24)  # steps, in turn
LONGEST = 10**6  # records
SHARES = (0, 1, 0.25, 1 / 3, -2, 0.5, 2, 0.2, 3, 0.75)
"""Of the second of two values: parts of the length, or from 1 on counts (-2: all but one)."""
PATIENCE = 200  # attempts in a row at which no entry could be changed
EXHAUSTIVE = 3  # steps of the streams that are gone through one by one


@record
class Pair:
    """Two neighbouring inputs. `records` are there from the start, `entries` come one a step; in the entries both hold
    the same public inputs. `changed`: the first step in which the streams differ (0: the records do). `missing`: the
    numbers (from 1) of the first's records that the second lacks. `single`: one entry differs. `noisy`: noise is
    drawn; else it stays at its centre."""

    records: tuple[Rows, Rows]
    entries: tuple[Rows, Rows]
    changed: int
    missing: tuple[int, ...]
    single: bool
    noisy: bool


def pairs_of(program: Program, random: Random) -> Iterator[Pair]:
    """Pair after pair, without end; none where the inputs are not understood, or nobody has a neighbour."""
    maker = _Maker(program, random)
    if maker.size > LONGEST or not (maker.record_names or maker.stream_names):
        return
    in_vain = 0
    for number, (first, second, missing) in enumerate(maker.changes()):
        in_vain = in_vain + 1 if first == second else 0
        if in_vain > PATIENCE:
            return
        if first != second:
            yield maker.pair(number, first, second, missing)


class _Maker:
    """What is known of one program's inputs."""

    def __init__(self, program: Program, random: Random) -> None:
        self.program, self.random = program, random
        self.compiler = Compiler(program)
        self.record_names = program.data_set
        self.stream_names = [i.name for i in program.inputs if i.kind == "stream"]
        self.public_names = [i.name for i in program.inputs if i.kind == "public"]
        self.entries = Entries(program, random)
        self.size = as_index(self.compiler.constant(program.size)) if program.size is not None else 0
        self.static = bool(self.record_names)
        self.names = self.record_names or self.stream_names
        self.number = 0

    def pair(self, number: int, first: Rows, second: Rows, missing: tuple[int, ...]) -> Pair:
        """With everything that both sides share: streams beside a dataset, public inputs."""
        differing = [i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b]
        single = len(missing) + (0 if missing else len(differing)) == 1
        noisy = number % 2 == 1
        if not self.static:
            rows = self._with_public(first, second)
            return Pair(((), ()), rows, differing[0] + 1, (), single, noisy)
        steps = LENGTHS[number % len(LENGTHS)] if self.stream_names or self.public_names else 0
        beside = tuple(self.entries.random_row(self.stream_names) for _ in range(steps))
        return Pair((first, second), self._with_public(beside, beside), 0, missing, single, noisy)

    def _with_public(self, first: Rows, second: Rows) -> tuple[Rows, Rows]:
        if not self.public_names:
            return first, second
        steady = self.random.random() < 0.5
        shown: Row = {}
        both: tuple[list[Row], list[Row]] = ([], [])
        for n, (a, b) in enumerate(zip(first, second, strict=True)):
            shown = shown if n and steady else self.entries.random_row(self.public_names)
            both[0].append({**a, **shown})
            both[1].append({**b, **shown})
        return tuple(both[0]), tuple(both[1])

    # ---- what differs

    def changes(self) -> Iterator[tuple[Rows, Rows, tuple[int, ...]]]:
        match self.program.adjacency:
            case Replace(count):
                bases = self._bases()
                return self._replaced(bases, max(0, as_index(self.compiler.constant(count))))
            case AddRemove(count):
                if not self.static:
                    return iter(())  # every later entry moves: nothing is claimed
                return self._removed(max(0, as_index(self.compiler.constant(count))))
            case Within(extent=extent, same_direction=same_direction):
                return self._moved(extent, same_direction)
            case _:
                assert_never(self.program.adjacency)

    def _length(self) -> int:
        self.number += 1
        return self.size if self.static else LENGTHS[self.number % len(LENGTHS)]

    def _bases(self) -> Iterator[Rows]:
        """Inputs: two values in every proportion, among random mixtures of a few values and of any."""
        corners = self.entries.corners(self.names)
        proportions = _diagonally(list(_ordered_pairs(corners)), SHARES)
        while True:
            for (a, b), share in islice(proportions, 2):
                size = self._length()
                held = min(max(round(share * size) if abs(share) < 1 else int(share) % (size + 1), 0), size)
                yield (b,) * held + (a,) * (size - held)
            few = [self.random.choice(corners) for _ in range(self.random.choice((2, 3)))]
            yield tuple(self.random.choice(few) for _ in range(self._length()))
            yield tuple(self.entries.random_row(self.names) for _ in range(self._length()))

    def _replaced(self, bases: Iterator[Rows], count: int) -> Iterator[tuple[Rows, Rows, tuple[int, ...]]]:
        corners = self.entries.corners(self.names)
        if not self.static and count and len(corners) <= 3:
            for row in product(corners, repeat=EXHAUSTIVE):
                for k, new in product(range(EXHAUSTIVE), corners):
                    yield row, (*row[:k], new, *row[k + 1 :]), ()
        while count:
            first = _mixed(next(bases), self.random)
            if not first:
                return
            second = list(first)
            values = [row for n, row in enumerate(first) if row not in first[:n]][:8]
            for k in self._places(first, self.random.randint(1, count)):
                others = self.random.choice((values, corners))
                second[k] = self.random.choice(others) if self.random.random() < 0.8 else self.entries.random_row(
                    self.names
                )  # fmt: skip
                if second[k] == first[k]:
                    second[k] = self.random.choice(corners)
            yield first, tuple(second), ()

    def _places(self, rows: Rows, count: int) -> list[int]:
        return self.random.sample(range(len(rows)), min(count, len(rows)))

    def _removed(self, count: int) -> Iterator[tuple[Rows, Rows, tuple[int, ...]]]:
        for first in self._bases():
            gone = sorted(self._places(first, self.random.randint(1, max(count, 1)))) if count else []
            yield first, tuple(row for k, row in enumerate(first) if k not in gone), tuple(k + 1 for k in gone)

    def _moved(self, extent: str, same_direction: bool) -> Iterator[tuple[Rows, Rows, tuple[int, ...]]]:
        for base in self._bases():
            first = _mixed(base, self.random)
            second = list(first)
            way = self.random.choice((1, -1))
            everything = self.random.random() < 0.5
            for k in self._places(first, 1) if extent == "one" else range(len(first)):
                if extent == "every" and not everything and self.random.random() < 0.5:
                    continue
                turn = way if same_direction or everything else self.random.choice((1, -1))
                second[k] = self.entries.moved(first[k], turn, same_direction)
            yield first, tuple(second), ()


def _ordered_pairs(corners: Sequence[Row]) -> Iterator[tuple[Row, Row]]:
    for distance in range(1, len(corners)):
        for i in range(len(corners) - distance):
            yield corners[i], corners[i + distance]
            yield corners[i + distance], corners[i]


def _diagonally(rows: Sequence[T], columns: Sequence[float]) -> Iterator[tuple[T, float]]:
    """All of the product, such that a beginning of it has some of every row and column."""
    for total in range(len(rows) + len(columns) - 1):
        for i in range(min(total + 1, len(rows))):
            if total - i < len(columns):
                yield rows[i], columns[total - i]


def _mixed(rows: Rows, random: Random) -> Rows:
    """The same in another order, now and then: most statistics do not look at it, and runs of one value tell more."""
    if random.random() < 0.7:
        return rows
    shuffled = list(rows)
    random.shuffle(shuffled)
    return tuple(shuffled)
