"""Chances of the stops on a lattice, made for many steps at once and handed out in slices.

Nodes of persistent noises are the last axis here: a slice of rows is then contiguous, and a step several times faster.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.solve.lattice.increments import Lattice
from seqlang.backends.solve.solution import Array
from seqlang.backends.solve.stops.chances import Chances, Environment
from seqlang.backends.solve.stops.watched import Watched
from seqlang.record import record

LARGEST = 400_000
"""Numbers in one block of steps: three megabytes, which fit a cache."""
LONGEST = 64
"""Steps in one block."""
KEPT = 4
"""Blocks that are kept: weak privacy walks the same steps several times."""


@record
class _Block:
    """`table` (steps, stops + 1, rows, theta), `watched` (steps, expressions, stops, rows), from `step` and k = low."""

    step: int
    low: int
    table: Array
    watched: Array | None


@record
class _Whole:
    """A table that serves for every step: positions low, low + 1, .. of one residue class."""

    low: int
    table: Array
    watched: Array | None


class Tables:
    """`at(step, low, width)` is (stops + 1, width, theta) for k = low, low + 1, ..; do not change it."""

    def __init__(
        self,
        lattice: Lattice,
        chances: Chances,
        fields: Mapping[str, Any],
        theta: int,
        watch: Watched | None = None,
    ) -> None:
        self.lattice, self.chances, self.fields, self.theta, self.watch = lattice, chances, fields, theta, watch
        self.for_ever = lattice.again and chances.time_invariant
        self._whole: dict[int, _Whole] = {}
        self._blocks: list[_Block] = []
        self.computed = 0
        """Numbers computed so far, by node and row."""
        self._widest = max(lattice.shifts) - min(lattice.shifts)

    def at(self, step: int, low: int, width: int) -> Array:
        if self.for_ever:
            whole, position = self._class_of(step, low, width)
            return whole.table[:, position : position + width]
        block = self._block_of(step, low, width)
        start = low - block.low
        return block.table[step - block.step, :, start : start + width]

    def watched_at(self, step: int, low: int, width: int) -> Array:
        """(expressions, stops, width): values at each stop."""
        if self.for_ever:
            whole, position = self._class_of(step, low, width)
            assert whole.watched is not None
            return whole.watched[:, :, position : position + width]
        block = self._block_of(step, low, width)
        assert block.watched is not None
        start = low - block.low
        return block.watched[step - block.step, :, :, start : start + width]

    def over(self, low: int, high: int) -> Array:
        """(stops + 1, high - low + 1, theta) at sums low, low + 1, .. times unit / denominator; where `for_ever`."""
        denominator = self.lattice.denominator
        found: Array | None = None
        for residue in range(denominator):
            start = (residue - low) % denominator
            count = len(range(start, high - low + 1, denominator))
            if count:
                whole, position = self._known(residue, (low + start) // denominator, count)
                part = whole.table[:, position : position + count]
                if found is None:
                    found = np.empty((len(part), high - low + 1, part.shape[2]))
                found[:, start::denominator] = part
        assert found is not None
        return found

    # ---- one table for ever

    def _class_of(self, step: int, low: int, width: int) -> tuple[_Whole, int]:
        numerator, denominator = self.lattice.numerator or 0, self.lattice.denominator
        offset, residue = divmod(numerator * step, denominator)
        return self._known(residue, low + offset, width)

    def _known(self, residue: int, first: int, width: int) -> tuple[_Whole, int]:
        known = self._whole.get(residue)
        if known is None or first < known.low or first + width > known.low + known.table.shape[1]:
            known = self._extended(residue, known, first, width)
        return known, first - known.low

    def _extended(self, residue: int, known: _Whole | None, first: int, width: int) -> _Whole:
        """At least the asked positions; what grows, grows by half its length, so that it is seldom done."""
        room = 16 + width // 4
        if known is None:
            made = self._positions(residue, first - room, first + width + room)
        else:
            high = known.low + known.table.shape[1]
            room = max(room, known.table.shape[1] // 3)
            parts = [known]
            if first < known.low:
                parts.insert(0, self._positions(residue, first - room, known.low))
            if first + width > high:
                parts.append(self._positions(residue, high, first + width + room))
            watched = None
            if self.watch is not None:
                watched = np.concatenate([part.watched for part in parts if part.watched is not None], axis=2)
            made = _Whole(parts[0].low, np.concatenate([part.table for part in parts], axis=1), watched)
        self._whole[residue] = made
        return made

    def _positions(self, residue: int, low: int, end: int) -> _Whole:
        whole = np.arange(low, end) * self.lattice.denominator + residue
        return _Whole(low, *self._table(1, self.lattice.of_whole(whole), self._may_come(whole)))

    # ---- blocks of steps

    def _block_of(self, step: int, low: int, width: int) -> _Block:
        for block in self._blocks:
            inside = block.low <= low and low + width <= block.low + block.table.shape[2]
            if inside and block.step <= step < block.step + block.table.shape[0]:
                return block
        made = self._block(step, low, width)
        self._blocks = [made, *self._blocks[: KEPT - 1]]
        return made

    def _block(self, step: int, low: int, width: int) -> _Block:
        """From `step` on, for as many steps as the band may grow by about half."""
        few = 2 if self.theta * width < 5000 else 6  # many numbers: calls are cheap beside numbers that are not used
        steps = max(32 // few, width // (few * max(1, self._widest)))
        most = width + steps * self._widest
        steps = max(1, min(steps, LONGEST, LARGEST // (most * self.theta * 3)))
        rows = width + (steps - 1) * self._widest
        times = np.repeat(np.arange(step, step + steps), rows)
        k = np.tile(np.arange(low, low + rows), steps)
        possible = (times * min(self.lattice.shifts) <= k) & (k <= times * max(self.lattice.shifts))
        table, watched = self._table(step if steps == 1 else times, self.lattice.values(times, k), possible)
        if watched is not None:
            watched = watched.reshape(*watched.shape[:2], steps, rows).transpose(2, 0, 1, 3)
        table = table.reshape(table.shape[0], steps, rows, self.theta).transpose(1, 0, 2, 3)
        return _Block(step, low, table, watched)

    def _may_come(self, whole: NDArray[Any]) -> NDArray[np.bool_]:
        """Whether a sum may come in some step; most tables are wider."""
        moves = [(self.lattice.numerator or 0) + shift * self.lattice.denominator for shift in self.lattice.shifts]
        least = min(moves) if min(moves) >= 0 else -np.inf
        most = max(moves) if max(moves) <= 0 else np.inf
        return np.asarray((least <= whole) & (whole <= most))

    def _table(self, step: Any, cells: Mapping[str, Array], possible: NDArray[np.bool_]) -> tuple[Array, Array | None]:
        environment, rows = Environment(step, cells, self.fields, possible), len(possible)
        self.computed += self.theta * rows
        table = self.chances.table(step, environment)
        table = np.broadcast_to(table, (table.shape[0], self.theta, rows))
        table = np.ascontiguousarray(table.transpose(0, 2, 1))
        if self.watch is None:
            return table, None
        return table, self.watch.at(step, environment, rows)


class StepTables:
    """What one step makes of a unit of mass at a sum, before its entry is drawn; for tables that serve for every step.
    `at(step, low, width)` is (stops + 1 + atoms, width, theta) for k = low, low + 1, .. after `step` steps: the chance
    of each stop, the chance of none, and for each atom the chance that it is drawn and the run goes on."""

    def __init__(self, tables: Tables, atoms: tuple[tuple[int, float], ...]) -> None:
        self.tables, self.atoms = tables, atoms
        self._known: dict[int, _Whole] = {}

    def place(self, step: int, low: int) -> tuple[int, int]:
        """The residue class of the sums after `step` steps, and the position of k = low in it: the same sum has the
        same place after every step."""
        lattice = self.tables.lattice
        offset, residue = divmod((lattice.numerator or 0) * step, lattice.denominator)
        return residue, low + offset

    def at(self, step: int, low: int, width: int) -> Array:
        residue, first = self.place(step, low)
        offset = first - low
        known = self._known.get(residue)
        if known is None or first < known.low or first + width > known.low + known.table.shape[1]:
            room = 16 + width // 2
            start, end = first - room, first + width + room
            if known is not None:
                start, end = min(start, known.low), max(end, known.low + known.table.shape[1])
            known = self._known[residue] = _Whole(start, self._read(step, start - offset, end - start), None)
        return known.table[:, first - known.low : first - known.low + width]

    def _read(self, step: int, low: int, width: int) -> Array:
        parts = [chance * self.tables.at(step + 1, low + shift, width) for shift, chance in self.atoms]
        return np.concatenate([sum(parts[1:], start=parts[0]), *(part[-1:] for part in parts)])
