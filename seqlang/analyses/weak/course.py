"""One way on from a position: the chains at two orders, in step, and the bounds that they give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from seqlang.analyses.weak.entries import Entry
from seqlang.analyses.weak.profile import Array, Law
from seqlang.backends.solve.chain import Chain
from seqlang.backends.solve.lattice import LatticeChain

ROUNDED = 1e-13
"""Relative error of one entry of a table by rounding, in one step and for each thousand further ones."""
OVERHEAD = 10_000
"""Numbers that could be computed in the time that one call takes."""


class Course:
    """The chains from one position on, with one entry forced (None: the free run). `lefts` is what went on, by step."""

    def __init__(self, chains: tuple[Chain, ...], starts: list[Any], entry: Entry | None) -> None:
        self.chains = chains
        self.fronts = list(starts)
        self.forced: Mapping[str, Any] | None = entry
        self.tables: list[list[Array]] = [[] for _ in chains]
        self.never = 0.0
        self.lefts: list[float] = []

    @property
    def steps(self) -> int:
        return len(self.tables[0])

    def ended(self, tolerance: float) -> bool:
        if self.forced is not None:
            return False
        left = (self.lefts[-1] if self.lefts else 1.0) - max(front.lost for front in self.fronts)
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
            self.tables[k].append(row)
            masses.append(left)
            work += self.fronts[k].size + OVERHEAD
        self.forced = None
        self.lefts.append(_between(masses, self.fronts)[1])
        return work

    def table(self, order: int, first: int = 0, rows: int | None = None) -> Array:
        """(steps, outcomes), from row `first` on. Outcomes that were met later are empty in earlier rows."""
        width = max(len(chain.outcomes) for chain in self.chains)
        part = self.tables[order][first : None if rows is None else first + rows]
        return np.array([np.pad(row, (0, width - len(row))) if len(row) < width else row for row in part])

    def law(self, first: int, head: tuple[float, float], blind: float) -> Law:
        low, high = ends([self.table(order) for order in range(len(self.tables))])
        left = self.lefts[-1]
        return Law(
            first=first,
            head=(max(0.0, 1.0 - head[1]), 1.0 - head[0]),
            low=low,
            high=high,
            beyond=left,
            never=(min(self.never, left), left),
            lost=max(front.lost for front in self.fronts),
            blind=blind,
        )


def survival(fronts: list[Any]) -> tuple[float, float]:
    """Bounds of the mass that goes on: from two orders, each as far off as they differ."""
    return _between([float(np.sum(f.survivors)) for f in fronts], fronts)


def _between(masses: list[float], fronts: list[Any]) -> tuple[float, float]:
    fine, off = masses[-1], max(masses) - min(masses)
    lost = max(f.lost for f in fronts)
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
