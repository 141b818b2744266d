"""The ways on from many positions together, where the chains are walks on a lattice that never change.

The free run is taken first. As a forced entry of chance p can be in the free run, no forced run has more than 1/p times
its mass: so the free run tells how long the forced ones take, and which sums they can be at.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from seqlang.analyses.weak.course import OVERHEAD, Course, between
from seqlang.analyses.weak.entries import Entry
from seqlang.analyses.weak.profile import Array
from seqlang.backends.solve.chain import Chain
from seqlang.backends.solve.lattice.backward_pass import PRODUCTS, ManyBands, Window
from seqlang.backends.solve.lattice.band import Band
from seqlang.backends.solve.lattice.lattice_chain import LatticeChain
from seqlang.process.time_limit import poll

NUMBERS = 4_000_000
"""So many are kept at a time: of masses, of chances, of tables."""
CLASSES = 8
"""Residue classes of a lattice; with more, chances are computed for many sums that no run is at."""
SHARE = 8
"""The free run may take the work that is left divided by this."""
SPARE = 2
"""The forced runs may take so many times as long as the free run."""
FEWEST = 4
"""Fewer positions than this are followed one by one."""


def together_of(chains: tuple[Chain, ...], rarest: float, tolerance: float) -> Together | None:
    """None where the chains are others, or an entry has chance 0. `rarest`: the least chance of an entry."""
    walks = tuple(chain for chain in chains if isinstance(chain, LatticeChain))
    if rarest <= 0 or len(walks) < len(chains) or any(not _fits(walk) for walk in walks):
        return None
    return Together(walks, rarest, tolerance)


def _fits(chain: LatticeChain) -> bool:
    lattice = chain.lattice
    moves = any(lattice.shifts) or bool(np.any(lattice.start))  # else runs may never stop
    return chain.window([]) is not None and moves and lattice.denominator <= CLASSES


class Together:
    """`courses` follows the entries from several positions on."""

    def __init__(self, chains: tuple[LatticeChain, ...], rarest: float, tolerance: float) -> None:
        self.chains = chains
        self.tolerance = tolerance
        self._rarest = rarest
        self._windows: list[Window] | None = None
        self._steps = 0

    def courses(
        self, fronts: list[Band], wanted: Mapping[int, Entry], most: int, work: float
    ) -> tuple[list[dict[int, Course]], float]:
        """For positions from that of `fronts` on, at most `most` of them, the course of each wanted entry; and the work
        done. Empty where the work, or room, does not suffice."""
        done = 0.0
        if self._windows is None:
            done += self._run_freely(work / SHARE)
        if self._windows is None:
            return [], done
        count = min(most, self._room(len(wanted), self._windows, work - done))
        if count < FEWEST:
            return [], done
        firsts = []
        for _ in range(count):
            firsts += [_First(self.chains, fronts, place, entry) for place, entry in wanted.items()]
            fronts = [chain.advance(front)[0] for chain, front in zip(self.chains, fronts, strict=True)]
            done += sum(front.size + OVERHEAD for front in fronts) * (1 + len(wanted))
        found, more = self._followed(firsts, self._windows, len(wanted), work - done)
        courses = [dict(found[k : k + len(wanted)]) for k in range(0, len(found), len(wanted))]
        return courses, done + more

    def _room(self, entries: int, windows: list[Window], work: float) -> int:
        """Positions for which memory and work suffice."""
        states = [
            len(chain.weights) * sum(end - first for first, end in window.values())
            for chain, window in zip(self.chains, windows, strict=True)
        ]
        rows = len(self.chains[0].outcomes) + 2
        memory = NUMBERS / (entries * max(*states, SPARE * self._steps * rows))
        spare = work / (SPARE * self._steps) - sum(size * rows + OVERHEAD for size in states)
        return int(max(0.0, min(memory, spare * PRODUCTS / (entries * rows * sum(states)))))

    def _run_freely(self, work: float) -> float:
        """Sets the windows and the number of steps, unless that takes more than `work`; returns the work done. Goes on
        past the end, for as long as the forced runs may: at the sums that they can be at then, no mass is lost."""
        fronts = [chain.begin() for chain in self.chains]
        bands: list[list[tuple[int, int, int]]] = [[] for _ in fronts]
        done, steps, ended = 0.0, 0, 0
        while ended == 0 or steps <= SPARE * ended:
            poll()
            if done > work:
                return done
            masses = []
            for k, chain in enumerate(self.chains):
                bands[k].append((fronts[k].step, fronts[k].low, len(fronts[k].mass)))
                at_once = chain.total(fronts[k])
                assert at_once is not None, "the chain fits"
                fronts[k], _, mass = at_once
                masses.append(mass)
                done += fronts[k].size + OVERHEAD
            steps += 1
            if ended == 0 and between(masses, (0.0,))[1] <= self.tolerance * self._rarest:
                ended = steps
        self._steps = ended
        windows = [chain.window(found) for chain, found in zip(self.chains, bands, strict=True)]
        self._windows = [window for window in windows if window is not None]
        return done

    def _followed(
        self, firsts: list[_First], windows: list[Window], entries: int, work: float
    ) -> tuple[list[tuple[int, Course]], float]:
        """All go on until those of each position have ended."""
        crowds = [
            chain.many_bands(window, [first.bands[k] for first in firsts])
            for k, (chain, window) in enumerate(zip(self.chains, windows, strict=True))
        ]
        blocks: list[list[Array]] = [[np.array([f.rows[k] for f in firsts]).T[None]] for k in range(len(crowds))]
        ends = np.full(len(firsts) // entries, -1)
        goes_on: list[Array] = []
        at, done = 0, 0.0
        while True:
            masses = np.array([block[-1][:, -1] for block in blocks])
            fine, off = masses[-1], masses.max(axis=0) - masses.min(axis=0)
            goes_on.append(fine * (1 + 1e-12) + off)
            over = (goes_on[-1].reshape(len(fine), -1, entries) <= self.tolerance).all(axis=2)
            ends = np.where((ends < 0) & over.any(axis=0), at + over.argmax(axis=0), ends)
            at += len(fine)
            if np.all(ends >= 0):
                break
            if at > SPARE * self._steps or done > work:
                return [], done
            steps = self._at_once(crowds)
            for crowd, found in zip(crowds, blocks, strict=True):
                poll()
                found.append(crowd.block(steps))
                done += steps * (crowd.work + OVERHEAD)
        tables = [np.concatenate(found)[:, :-1] for found in blocks]
        lefts = np.concatenate(goes_on)
        losts = [
            crowd.lost() + np.array([f.bands[k].lost for f in firsts]) + chain.lattice.missing * at
            for k, (chain, crowd) in enumerate(zip(self.chains, crowds, strict=True))
        ]

        def course(column: int) -> Course:
            last = int(ends[column // entries]) + 1
            lost = tuple(float(part[column]) for part in losts)
            left = np.minimum(lefts[:last, column] + max(lost), 1.0).tolist()
            rows = [list(np.ascontiguousarray(table[:last, :, column])) for table in tables]
            return Course(self.chains, rows, left, lost)

        return [(first.place, course(column)) for column, first in enumerate(firsts)], done

    def _at_once(self, crowds: list[ManyBands]) -> int:
        """Steps in one matrix product."""
        return max(1, min(64, NUMBERS // (4 * max(crowd.backwards.size for crowd in crowds))))


class _First:
    """The step that is forced: what stops in it and what is left, by order, and the bands after it."""

    def __init__(self, chains: tuple[LatticeChain, ...], fronts: list[Any], place: int, entry: Entry) -> None:
        self.place = place
        self.bands: list[Band] = []
        self.rows: list[Array] = []
        for chain, front in zip(chains, fronts, strict=True):
            band, stopped = chain.advance(front, entry)
            self.bands.append(band)
            self.rows.append(np.append(stopped.by_outcome.sum(axis=-1), band.survivors.sum()))
