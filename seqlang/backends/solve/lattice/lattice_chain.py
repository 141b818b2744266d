"""The chain for sums over all steps that lie on a lattice: a state is one whole number, a step a few shifted additions.

After t steps the sums are t * start + k * unit with a whole number k (see `increments.py`). The runs that have not
stopped are kept by k in a contiguous band that follows the mass: `mass` has shape (rows, theta), row j is k = low + j.
A step draws the entry, moves the mass, and multiplies it by the chances of the stops. Chances come from tables made
once for many steps: where neither the chances nor the lattice depend on the step, one table serves for ever; else a
block of steps is computed in one call.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from seqlang.backends.solve.chain import Stopped
from seqlang.backends.solve.lattice.backward_pass import ManyBands, Window, window_of
from seqlang.backends.solve.lattice.band import Band
from seqlang.backends.solve.lattice.chance_tables import StepTables, Tables
from seqlang.backends.solve.lattice.closed_form import linear_tail
from seqlang.backends.solve.lattice.increments import EntryReader, Lattice, merged
from seqlang.backends.solve.solution import Array, Outcome, Tail
from seqlang.backends.solve.step.dependencies import walk_defined
from seqlang.backends.solve.stops.chances import Chances
from seqlang.backends.solve.stops.watched import Watched
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model import expression as ir
from seqlang.model.program import Cell, Program, Stop, expressions_in
from seqlang.record import record, replace

NOTHING = np.zeros(0)
ROW, TABLE = 1.0, 10.0
"""The cost of one number of the mass in a step, and of one number of a table of chances, as `recursion.py` counts."""
MOST_ATOMS = 8
"""`StepTables` are kept for at most so many different increments, as each needs a table of its own."""
TRIM = 8
"""Steps between two checks whether the ends of the band are rare enough to be dropped."""


@record
class _Group:
    """Entries that the stops read in the same way: `atoms` are (whole number added, chance)."""

    atoms: tuple[tuple[int, float], ...]
    fields: Mapping[str, Any]


class LatticeChain:
    """A `Chain`. `rare` is the mass that may be dropped at one end of the band at once, `lost` that of nodes that were
    left out."""

    def __init__(
        self,
        program: Program,
        lattice: Lattice,
        chances: Chances,
        weights: Array,
        watch: tuple[ir.Expression, ...] = (),
        rare: float = 1e-17,
        lost: float = 0.0,
    ) -> None:
        self.program = program
        self.lattice = lattice
        self.chances = chances
        self.weights = np.asarray(weights, dtype=float)
        self.rare, self.lost = rare, lost
        self.watch = watch
        self._reader = EntryReader(program)
        self._cells = [s for s in program.body if isinstance(s, Cell) and s.name in lattice.names]
        self._fields_matter = _reads_fields(program, watch)
        self._groups = self._grouped(list(zip(lattice.shifts, lattice.chances, lattice.fields, strict=True)))
        self._watched = Watched(chances, watch) if watch else None
        self._made = [self._tables_of(group) for group in self._groups]
        mixing = chances.mixing
        steady = len(self._made) == 1 and self._made[0].for_ever and not watch
        steady = steady and len(self._groups[0].atoms) <= MOST_ATOMS
        self._step_tables = StepTables(self._made[0], self._groups[0].atoms) if steady else None
        self._mixing = None if mixing.shape[0] == mixing.shape[1] and np.all(mixing == np.eye(len(mixing))) else mixing

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        return self.chances.outcomes

    def begin(self) -> Band:
        return Band(0, 0, self.weights[None, :].copy(), self.lost)

    def advance(self, frontier: Band, forced: Mapping[str, Any] | None = None) -> tuple[Band, Stopped]:
        step, before = frontier.step + 1, self._computed()
        groups, tables = (self._groups, self._made) if forced is None else self._forced(forced)
        low = min(g.atoms[0][0] for g in groups)
        high = max(g.atoms[-1][0] for g in groups)
        rows, theta = frontier.mass.shape
        following: Array | None = None
        by_outcome: Array | None = None
        watched = np.zeros(len(self.watch)) if self.watch else NOTHING
        for group, made in zip(groups, tables, strict=True):
            first = group.atoms[0][0]
            moved = _moved(frontier.mass, group.atoms)
            width = len(moved)
            table = made.at(step, frontier.low + first, width)
            stopped = np.einsum("srt,rt->st", table[:-1], moved)
            by_outcome = stopped if by_outcome is None else by_outcome + stopped
            if self.watch:
                values = made.watched_at(step, frontier.low + first, width)
                watched += np.einsum("wsr,srt,rt->w", values, table[:-1], moved)
            np.multiply(moved, table[-1], out=moved)
            if len(groups) == 1:
                following = moved
            else:
                if following is None:
                    following = np.zeros((rows + high - low, theta))
                following[first - low : first - low + width] += moved
        assert following is not None and by_outcome is not None
        if self._mixing is not None:
            by_outcome = self._mixing.T @ by_outcome
        cost = ROW * following.size * len(groups) + TABLE * (self._computed() - before)
        after = Band(step, frontier.low + low, following, frontier.lost + self.lattice.missing, cost)
        return (self._trimmed(after) if step % TRIM == 0 else after), Stopped(by_outcome, watched)

    def total(self, frontier: Band) -> tuple[Band, Array, float] | None:
        """One free step, with sums over the nodes only: what stopped by outcome, and what is left. None where the
        chances depend on the step, or something is watched. It touches half the numbers that `advance` does: what stops
        is read off the mass before the step, and the chance to go on is in the tables that move it."""
        if self._step_tables is None:
            return None
        atoms, rows = self._groups[0].atoms, len(frontier.mass)
        ahead = self._step_tables.at(frontier.step, frontier.low, rows)
        read, moves = ahead[: -len(atoms)], ahead[-len(atoms) :]
        sums: list[float] = (read.reshape(len(read), -1) @ frontier.mass.reshape(-1)).tolist()
        left = sums.pop()
        first = atoms[0][0]
        following = np.empty((rows + atoms[-1][0] - first, frontier.mass.shape[1]))
        np.multiply(frontier.mass, moves[0], out=following[:rows])
        following[rows:] = 0.0
        part = np.empty_like(frontier.mass)
        for (shift, _), move in zip(atoms[1:], moves[1:], strict=True):
            np.multiply(frontier.mass, move, out=part)
            following[shift - first : shift - first + rows] += part
        after = Band(frontier.step + 1, frontier.low + first, following, frontier.lost + self.lattice.missing)
        if after.step % TRIM == 0:
            after = self._trimmed(after)
            left = float(after.mass.sum())
        stopped = np.array(sums)
        return after, stopped if self._mixing is None else self._mixing.T @ stopped, left

    def window(self, bands: Iterable[tuple[int, int, int]]) -> Window | None:
        """The sums that lie in the bands, (step, low, rows) each; None where `many_bands` follows none."""
        return None if self._step_tables is None else window_of(self._step_tables, bands)

    def many_bands(self, window: Window, bands: Sequence[Band]) -> ManyBands:
        """The free steps of many bands at once, while their sums are in the window."""
        assert self._step_tables is not None, "there is a window"
        return ManyBands(self._step_tables, window, bands, self._mixing)

    def close(self, frontier: Band) -> Tail | None:
        if len(self._groups) != 1 or not self.lattice.again or not self.chances.time_invariant or self.watch:
            return None
        atoms, tables = self._groups[0].atoms, self._made[0]
        tail = linear_tail(self.lattice, atoms, tables, frontier.step, frontier.low, frontier.mass, self.rare * 1e3)
        if tail is None or self._mixing is None:
            return tail
        return replace(tail, outcomes=self._mixing.T @ tail.outcomes)

    def stuck(self, frontier: Band) -> float:
        """Runs whose sums never move any more, where nothing else can stop them."""
        if not self.chances.time_invariant or any(self.lattice.means) or len(self._groups) != 1:
            return 0.0
        if any(self.lattice.shifts) or np.any(self.lattice.start):
            return 0.0
        table = self._made[0].at(frontier.step + 1, frontier.low, len(frontier.mass))
        return float(frontier.mass[(table[:-1] == 0.0).all(axis=0)].sum())  # the chance to stay may round to 1

    # ---- parts

    def _computed(self) -> int:
        return sum(made.computed for made in self._made)

    def _grouped(self, entries: list[tuple[int, float, Mapping[str, Any]]]) -> list[_Group]:
        if not self._fields_matter:
            shifts, chances, fields = zip(*entries, strict=True)
            return [_Group(merged(shifts, chances), fields[0])]
        together: dict[tuple[Any, ...], list[tuple[int, float, Mapping[str, Any]]]] = {}
        for shift, chance, fields in entries:
            together.setdefault(tuple(fields[n] for n in self._fields_matter), []).append((shift, chance, fields))
        return [_Group(merged([s for s, _, _ in g], [c for _, c, _ in g]), g[0][2]) for g in together.values()]

    def _forced(self, entry: Mapping[str, Any]) -> tuple[list[_Group], list[Tables]]:
        """The entry in place of a draw: fields that it does not name keep their law."""
        left = [
            (s, c, {**f, **entry}) for s, c, f in zip(self.lattice.shifts, self.lattice.chances, self.lattice.fields,
                                                      strict=True)
        ]  # fmt: skip
        if set(entry) >= set(left[0][2]):
            left = [(0, 1.0, dict(entry))]
        moved: list[tuple[int, float, Mapping[str, Any]]] = [(self._shift(f), c, f) for _, c, f in left]
        groups = self._grouped(moved)
        if not self._fields_matter:
            return groups, self._made
        return groups, [self._tables_of(group) for group in groups]

    def _tables_of(self, group: _Group) -> Tables:
        return Tables(self.lattice, self.chances, group.fields, len(self.weights), self._watched)

    def _shift(self, fields: Mapping[str, Any]) -> int:
        """The whole number k that an entry adds; it must lie on the lattice of the model's entries."""
        for k, known in zip(self.lattice.shifts, self.lattice.fields, strict=True):
            if all(known[n] == v for n, v in fields.items()):
                return k
        added = np.array([self._reader.increment(cell, fields) for cell in self._cells])
        move = added - self.lattice.start
        column = int(np.argmax(np.abs(self.lattice.unit)))
        unit = self.lattice.unit[column]
        k = 0 if unit == 0 else round(float(move[column] / unit))
        size = np.maximum(np.abs(added), np.abs(self.lattice.start)) + np.abs(k * self.lattice.unit)
        if np.any(np.abs(move - k * self.lattice.unit) > 1e-13 * size):
            raise Unsolved("an entry outside the lattice of the model's entries")
        return k

    def _trimmed(self, band: Band) -> Band:
        column = band.mass.sum(axis=1)
        rising = np.cumsum(column)
        first = int(np.searchsorted(rising, self.rare, side="right"))
        last = len(column) - int(np.searchsorted(np.cumsum(column[::-1]), self.rare, side="right"))
        if first >= last:
            if rising[-1] <= 0:
                return Band(band.step, band.low, np.zeros((1, len(self.weights))), band.lost, band.cost)
            return band
        if first == 0 and last == len(column):
            return band
        lost = float(column[:first].sum() + column[last:].sum())
        mass = band.mass[first:last]
        return Band(band.step, band.low + first, mass, band.lost + lost, band.cost)


def _moved(mass: Array, atoms: tuple[tuple[int, float], ...]) -> Array:
    """Row j of the result is k = low + first + j: the mass after the entry."""
    rows, theta = mass.shape
    first = atoms[0][0]
    span = atoms[-1][0] - first
    if span == 0:
        return mass * atoms[0][1]
    if len(atoms) > 12 and rows > 4:
        band = np.zeros((rows + span, rows))
        places = np.arange(rows)
        for shift, chance in atoms:
            band[places + shift - first, places] = chance
        return np.asarray(band @ mass)
    moved = np.empty((rows + span, theta))
    np.multiply(mass, atoms[0][1], out=moved[:rows])
    moved[rows:] = 0.0
    part = np.empty_like(mass)
    for shift, chance in atoms[1:]:
        np.multiply(mass, chance, out=part)
        moved[shift - first : shift - first + rows] += part
    return moved


def _reads_fields(program: Program, watch: tuple[ir.Expression, ...]) -> tuple[str, ...]:
    """Fields that the stops, or what they read, read directly: not only through cells."""
    stops = [s for s in program.body if isinstance(s, Stop)]
    read = walk_defined(program, *expressions_in(tuple((s.when, s.result) for s in stops)), *watch)
    return tuple(dict.fromkeys(e.name for e in read if isinstance(e, ir.Field)))
