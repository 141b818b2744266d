"""The chances of the stops on panels, by period and place in it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.solve.mesh.moves import remember
from seqlang.backends.solve.mesh.periods import Layout
from seqlang.backends.solve.mesh.private_number import Reading
from seqlang.backends.solve.quadrature.grid import Grid
from seqlang.backends.solve.solution import Array
from seqlang.backends.solve.step.integration_plan import IntegrationPlan
from seqlang.backends.solve.stops.chances import Chances, Environment
from seqlang.backends.solve.stops.watched import Watched
from seqlang.model import expression as ir
from seqlang.record import record, replace

ROOM_LEAST, ROOM_SHARE = 2, 4
"""Periods beyond those that the mass reaches for which chances are computed too: so many, and this part of them."""


@record
class Band:
    """Chances (stops + 1, live, periods, rows) from period `first` on; watched values (expressions, stops, live,
    periods, rows). `live` are the nodes of the persistent noises for which they were computed, in rising order."""

    layout: Layout
    first: int
    live: NDArray[np.intp]
    table: Array
    watched: Array | None

    @property
    def end(self) -> int:
        """The period after the last one."""
        return self.first + int(self.table.shape[2])

    def has(self, live: NDArray[np.intp]) -> bool:
        """Whether it was computed for all of these nodes."""
        if live is self.live:
            return True
        return bool((self.live.take(np.searchsorted(self.live, live), mode="clip") == live).all())

    def watched_in(self, periods: slice, places: NDArray[np.intp] | None) -> Array | None:
        """The watched values in these periods of the table, and of the nodes at these places; None: of all."""
        if self.watched is None or places is None:
            return None if self.watched is None else self.watched[:, :, :, periods]
        return self.watched[:, :, places, periods]

    def places(self, live: NDArray[np.intp]) -> NDArray[np.intp] | None:
        """Where these nodes stand among those of the table; None where they are all of them."""
        return None if len(live) == len(self.live) else np.searchsorted(self.live, live)


class Bands:
    """The bands of one chain. `fixed`: they are the same in every step."""

    def __init__(
        self, reading: Reading, plan: IntegrationPlan, grid: Grid, watch: tuple[ir.Expression, ...], chances: Chances,
        fixed: bool,
    ) -> None:  # fmt: skip
        self.reading, self.plan, self.grid, self.watch = reading, plan, grid, watch
        self.chances, self.fixed = chances, fixed
        self._tables: dict[int, Band] = {}
        self._singles: dict[int, Chances] = {}

    def at(self, step: int, layout: Layout, first: int, count: int, live: NDArray[np.intp]) -> Band:
        """The chances on these periods, for at least the nodes `live`. Where they are the same in every step, a table
        with room for later steps is kept: it moves on with the mass and forgets what lies far behind, as a table of all
        periods that the mass has ever reached would be made anew for every few of them."""
        if not self.fixed:
            return self._chances(step, layout, first, count, live)
        key, end = id(layout), first + count
        known = self._tables.get(key)
        if known is None:
            found = self._chances(step, layout, first, count, live)
        elif known.first <= first and end <= known.end and known.has(live):
            return known
        else:
            room = ROOM_LEAST + count // ROOM_SHARE
            low = first - room if first < known.first else max(known.first, first - room)
            high = end + room if end > known.end else min(known.end, end + room)
            found = self._chances(step, layout, low, high - low, live)
        remember(self._tables, key, found)
        return found

    def _chances(self, step: int, layout: Layout, first: int, count: int, live: NDArray[np.intp]) -> Band:
        where = layout.positions(first, count)
        where = where.reshape(len(where), -1)
        if len(where) > 1 and not self.watch:
            where = where[live]
            environment = Environment(step, self.reading.cells(where.ravel(), step))
            flat = self.chances.paired(step, environment, np.repeat(live, where.shape[1]))
            return Band(layout, first, live, flat.reshape(len(flat), len(live), count, layout.rows), None)
        tables, values = [], []
        for g in live if len(where) > 1 else range(1):
            chances, nodes = (self.chances, live) if len(where) == 1 else (self._chances_of(g), None)
            environment = Environment(step, self.reading.cells(where[g], step))
            tables.append(chances.table(step, environment, nodes))
            if self.watch:
                values.append(Watched(chances, self.watch).at(step, environment, where.shape[1]))
        table = np.concatenate(tables, axis=1)
        table = np.ascontiguousarray(table).reshape(table.shape[0], len(live), count, layout.rows)
        watched = None
        if self.watch:
            seen = np.stack(values, axis=2)  # (expressions, stops, groups, rows)
            seen = seen.reshape(*seen.shape[:3], count, layout.rows)
            watched = np.broadcast_to(seen, (*seen.shape[:2], len(live), *seen.shape[3:]))
        return Band(layout, first, live, table, watched)

    def _chances_of(self, theta: int) -> Chances:
        if theta not in self._singles:
            values = {name: v[theta : theta + 1] for name, v in self.grid.values.items()}
            single = replace(self.grid, values=values, weights=np.ones(1), groups=())
            self._singles[theta] = Chances(self.reading.program, self.plan, single, self.watch)
        return self._singles[theta]
