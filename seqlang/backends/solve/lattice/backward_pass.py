"""The future of many bands of a lattice by one pass backwards in time, instead of one pass forward for each band.

Where nothing depends on the step, the chance u_m(k) that a run at the sum k stops in some way in exactly m further
steps is the same after every number of steps: u_m(k) = sum over entries of P(entry) * P(no stop at k') * u_(m-1)(k')
with k' the sum after the entry. All numbers are at least 0, so no digits cancel. The chance for a band with mass x is
the inner product of x and u_m, for all bands and several m in one matrix product.

Sums are kept within a window. The chance to leave the window is added up, and counts as lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from seqlang.backends.solve.lattice.band import Band
from seqlang.backends.solve.lattice.chance_tables import StepTables
from seqlang.backends.solve.solution import Array
from seqlang.record import record

PRODUCTS = 16
"""Multiplications inside a matrix product that take as long as one elsewhere."""

Window = Mapping[int, tuple[int, int]]
"""Residue class of the lattice -> (first position, end) of the sums in it: those at which tables are kept."""


def window_of(ahead: StepTables, bands: Iterable[tuple[int, int, int]]) -> Window:
    """The least window that holds the bands, (step, low, rows) each."""
    found: dict[int, tuple[int, int]] = {}
    for step, low, rows in bands:
        residue, first = ahead.place(step, low)
        known = found.get(residue, (first, first + rows))
        found[residue] = min(known[0], first), max(known[1], first + rows)
    return found


@record
class _Class:
    """Sums of one residue class, (atoms, rows, theta): the chance of each entry and that the run goes on. One step
    leads to the class `following`, from position p to p + by."""

    first: int
    end: int
    following: int
    by: tuple[int, ...]
    moves: Array


class Backwards:
    """`values[residue]` is (stops + 2, rows, theta): the chance of each stop in exactly `steps` further steps, that of
    no stop so far, and that of having left the window by then."""

    def __init__(self, ahead: StepTables, window: Window) -> None:
        lattice = ahead.tables.lattice
        numerator, denominator = lattice.numerator or 0, lattice.denominator
        self.steps = 1
        self.values: dict[int, Array] = {}
        self._classes: dict[int, _Class] = {}
        for step in range(denominator):
            offset, residue = divmod(numerator * step, denominator)
            if residue not in window:
                continue
            first, end = window[residue]
            table = ahead.at(step, first - offset, end - first)
            atoms = len(ahead.atoms)
            carry, following = divmod(residue + numerator, denominator)
            by = tuple(shift + carry for shift, _ in ahead.atoms)
            self._classes[residue] = _Class(first, end, following, by, table[-atoms:])
            read = table[:-atoms]
            self.values[residue] = np.concatenate([read, np.zeros_like(read[:1])])
        self._leaving = {residue: self._out(one) for residue, one in self._classes.items()}
        for residue, leaving in self._leaving.items():
            self.values[residue][-1] = leaving
        self._spare = {residue: np.empty_like(value) for residue, value in self.values.items()}
        self._part = {residue: np.empty_like(value) for residue, value in self.values.items()}

    @property
    def size(self) -> int:
        return sum(value.size for value in self.values.values())

    @property
    def rows(self) -> int:
        """The stops, and none of them."""
        return len(next(iter(self.values.values()))) - 1

    def earlier(self) -> None:
        """Goes one step further back: `steps` grows by one."""
        for residue, one in self._classes.items():
            found = self._spare[residue]
            found.fill(0.0)
            for by, move in zip(one.by, one.moves, strict=True):
                here, there = self._inside(one, by)
                if here.start < here.stop:
                    part = self._part[residue][:, here]
                    np.multiply(move[here], self.values[one.following][:, there], out=part)
                    found[:, here] += part
            found[-1] += self._leaving[residue]
        self.values, self._spare = self._spare, self.values
        self.steps += 1

    def _inside(self, one: _Class, by: int) -> tuple[slice, slice]:
        """The rows from which a move stays in the window, and where it leads."""
        to = self._classes.get(one.following)
        if to is None:
            return slice(0, 0), slice(0, 0)
        start, stop = max(one.first, to.first - by), min(one.end, to.end - by)
        return slice(start - one.first, stop - one.first), slice(start + by - to.first, stop + by - to.first)

    def _out(self, one: _Class) -> Array:
        leaving = np.zeros(one.moves.shape[1:])
        for by, move in zip(one.by, one.moves, strict=True):
            here, _ = self._inside(one, by)
            out = np.ones(len(move), dtype=bool)
            if here.start < here.stop:
                out[here] = False
            leaving[out] += move[out]
        return leaving


class ManyBands:
    """Follows many bands at once. `block(steps)` is (steps, outcomes + 1, bands): what stops in the next steps, and
    what is left after each of them. `lost()` is, by band, what has left the window by then or lay outside it."""

    def __init__(self, ahead: StepTables, window: Window, bands: Sequence[Band], mixing: Array | None = None) -> None:
        self.backwards = Backwards(ahead, window)
        self._mixing = mixing
        self._bands = len(bands)
        self._groups: list[_Group] = []
        self._outside = np.zeros(len(bands))
        self._fresh = True
        members: dict[int, list[tuple[int, int]]] = {}
        for number, band in enumerate(bands):
            residue, first = ahead.place(band.step, band.low)
            members.setdefault(residue, []).append((number, first))
        for residue, found in members.items():
            self._groups.append(self._grouped(residue, found, bands, window))

    @property
    def work(self) -> int:
        """Numbers touched in one step, with matrix products counted at their speed."""
        rows = self.backwards.rows
        return self.backwards.size + rows * sum(group.mass.size for group in self._groups) // PRODUCTS

    def block(self, steps: int) -> Array:
        rows = self.backwards.rows
        read = [np.empty((steps, rows, group.mass.shape[0])) for group in self._groups]
        for step in range(steps):
            if not self._fresh:
                self.backwards.earlier()
            self._fresh = False
            for group, into in zip(self._groups, read, strict=True):
                values = self.backwards.values[group.residue][:-1, group.start : group.end]
                into[step] = values.reshape(rows, -1)
        found = np.zeros((steps, rows, self._bands))
        for group, part in zip(self._groups, read, strict=True):
            read_off = part.reshape(steps * rows, -1) @ group.mass
            found[:, :, list(group.numbers)] = read_off.reshape(steps, rows, -1)
        if self._mixing is None:
            return found
        outcomes = np.einsum("so,tsb->tob", self._mixing, found[:, :-1])
        return np.concatenate([outcomes, found[:, -1:]], axis=1)

    def lost(self) -> Array:
        found = self._outside.copy()
        for group in self._groups:
            leaving = self.backwards.values[group.residue][-1, group.start : group.end]
            found[list(group.numbers)] += leaving.reshape(-1) @ group.mass
        return found

    def _grouped(self, residue: int, members: list[tuple[int, int]], bands: Sequence[Band], window: Window) -> _Group:
        low, high = window.get(residue, (0, 0))
        start = max(low, min(first for _, first in members))
        end = max(start, min(high, max(first + len(bands[n].mass) for n, first in members)))
        theta = bands[members[0][0]].mass.shape[1]
        mass = np.zeros((len(members), end - start, theta))
        for row, (number, first) in enumerate(members):
            band = bands[number].mass
            a, b = max(first, start), min(first + len(band), end)
            if a < b:
                mass[row, a - start : b - start] = band[a - first : b - first]
            self._outside[number] = float(band[: max(0, a - first)].sum() + band[max(0, b - first) :].sum())
        numbers = tuple(number for number, _ in members)
        return _Group(residue, start - low, end - low, numbers, np.ascontiguousarray(mass.reshape(len(members), -1).T))


@record
class _Group:
    """Bands in one residue class: rows `start` to `end` of its values, and the masses there, (rows * theta, bands)."""

    residue: int
    start: int
    end: int
    numbers: tuple[int, ...]
    mass: Array
