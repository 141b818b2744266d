"""One way on from a position: the chains at two orders, in step, and the bounds that they give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from seqlang.analyses.weak.entries import Entry
from seqlang.analyses.weak.profile import Array, Law
from seqlang.backends.solve.chain import Chain
from seqlang.backends.solve.lattice.lattice_chain import LatticeChain

ROUNDED = 1e-13
"""Relative error of one entry of a table by rounding, in one step and for each thousand further ones."""
OVERHEAD = 10_000
"""Numbers that could be computed in the time that one call takes."""


class Course:
    """The chains from one position on: by order and step what stopped, by outcome; `lefts` is at most what went on, by
    step, `never` at least what never stops, and `losts` by order the mass of unknown place."""

    def __init__(
        self,
        chains: tuple[Chain, ...],
        tables: Sequence[Sequence[Array]],
        lefts: list[float],
        losts: tuple[float, ...],
    ) -> None:
        self.chains = chains
        self.tables = tables
        self.lefts = lefts
        self.never = 0.0
        self.losts = losts

    @property
    def steps(self) -> int:
        return len(self.tables[0])

    def table(self, order: int, first: int = 0, rows: int | None = None) -> Array:
        """(steps, outcomes), from row `first` on. Outcomes that were met later are empty in earlier rows."""
        width = max(len(chain.outcomes) for chain in self.chains)
        part = self.tables[order][first : None if rows is None else first + rows]
        return np.array([np.pad(row, (0, width - len(row))) if len(row) < width else row for row in part])

    def law(self, first: int, head: tuple[float, float], blind: float, faint: float = 0.0) -> Law:
        """`faint`: nothing is known of smaller chances, as some that entered it have few digits or none."""
        low, high = ends([self.table(order) for order in range(len(self.tables))])
        if faint:
            low, high = np.where(high < faint, 0.0, low), np.maximum(high, faint)
        left = self.lefts[-1]
        return Law(
            first=first,
            head=(max(0.0, 1.0 - head[1]), 1.0 - head[0]),
            low=low,
            high=high,
            beyond=left,
            never=(min(self.never, left), left),
            lost=max(self.losts),
            blind=blind,
        )


def mixed(parts: Sequence[tuple[float, Course]]) -> Course:
    """The course of an entry of which only this is known: it is of each of these, equally long ones, with a chance."""
    if len(parts) == 1 and parts[0][0] == 1.0:
        return parts[0][1]
    chances, courses = zip(*parts, strict=True)
    chains = courses[0].chains
    orders = range(len(chains))
    tables = [np.sum([chance * course.table(order) for chance, course in parts], axis=0) for order in orders]
    lefts = [sum(c * left for c, left in zip(chances, row, strict=True)) * (1 + 1e-12)
             for row in zip(*(course.lefts for course in courses), strict=True)]  # fmt: skip
    losts = tuple(max(course.losts[order] for course in courses) for order in orders)
    whole = Course(chains, [list(table) for table in tables], lefts, losts)
    whole.never = sum(chance * course.never for chance, course in parts) * (1 - 1e-12)
    return whole


class Walk(Course):
    """A course taken step by step, with the entry of its first step forced (None: the free run)."""

    def __init__(self, chains: tuple[Chain, ...], starts: list[Any], entry: Entry | None) -> None:
        self._rows: list[list[Array]] = [[] for _ in chains]
        super().__init__(chains, self._rows, [], tuple(front.lost for front in starts))
        self.fronts = list(starts)
        self.forced: Mapping[str, Any] | None = entry

    def ended(self, tolerance: float) -> bool:
        if self.forced is not None:
            return False
        left = (self.lefts[-1] if self.lefts else 1.0) - max(self.losts)
        if left > tolerance:
            stuck = [chain.stuck(front) for chain, front in zip(self.chains, self.fronts, strict=True)]
            self.never = min(stuck) * (1 - 1e-12)
        return bool(left - self.never <= tolerance)

    def advance(self) -> int:
        """One step; how many numbers it touched."""
        work = 0
        masses = []
        for k, chain in enumerate(self.chains):
            at_once = chain.total(self.fronts[k]) if self.forced is None and isinstance(chain, LatticeChain) else None
            if at_once is not None:
                self.fronts[k], row, left = at_once
            else:
                self.fronts[k], stopped = chain.advance(self.fronts[k], self.forced)
                row = np.asarray(stopped.by_outcome, dtype=float).sum(axis=-1)
                left = float(np.sum(self.fronts[k].survivors))
            self._rows[k].append(row)
            masses.append(left)
            work += self.fronts[k].size + OVERHEAD
        self.forced = None
        self.losts = tuple(front.lost for front in self.fronts)
        self.lefts.append(between(masses, self.losts)[1])
        return work


def survival(fronts: list[Any]) -> tuple[float, float]:
    """Bounds of the mass that goes on: from two orders, each as far off as they differ."""
    return between([float(np.sum(f.survivors)) for f in fronts], tuple(f.lost for f in fronts))


def between(masses: Sequence[float], losts: tuple[float, ...]) -> tuple[float, float]:
    """Bounds of a mass, from its values at the orders and what each of them has lost."""
    fine, off = masses[-1], max(masses) - min(masses)
    lost = max(losts)
    return max(0.0, fine * (1 - 1e-12) - off), min(1.0, fine * (1 + 1e-12) + off + lost)


def ends(tables: list[Array]) -> tuple[Array, Array]:
    """Bounds of every entry: the finer table, give or take what it differs from the coarser, in a few steps around."""
    fine = tables[-1]
    rounded = ROUNDED * (1 + np.arange(len(fine)) / 1000)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.where(fine > 0, np.abs(fine - tables[0]) / fine, 0.0)
    # Where the difference happens to change sign it says nothing of the error: the largest of five steps counts.
    near = relative.copy()
    for by in (1, 2):
        near[by:] = np.maximum(near[by:], relative[:-by])
        near[:-by] = np.maximum(near[:-by], relative[by:])
    wide = np.abs(fine - tables[0])
    error = np.maximum(wide, near * fine) + rounded * fine
    return np.maximum(fine - error, 0.0), fine + error
