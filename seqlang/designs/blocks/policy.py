"""A policy: by the score so far, and by the entries used where it has an end, the size of the next block or the
decision."""

from __future__ import annotations

from typing import Literal

import numpy as np

from seqlang.designs.search.pricing import Whole
from seqlang.record import record

Decision = Literal["reject", "accept"]
DECISIONS: tuple[Decision, ...] = ("reject", "accept")


NEVER = 30.0
"""So far below 0, in log-odds, lies the boundary that stands for none: it is reached with chance exp(-30) at most where
the alternative holds, and what is there rejects no more often where the null does."""


@record
class Row:
    """What a policy does once `used` entries are in its blocks. `sizes[i]` belongs to the score `low + i`. Scores below
    `low` accept, scores above `high` reject; a row without sizes only decides."""

    used: int
    low: int
    sizes: tuple[int, ...]

    @property
    def high(self) -> int:
        """The last score that is listed."""
        return self.low + len(self.sizes) - 1

    def ranges(self) -> tuple[tuple[int, int, int], ...]:
        """(from, to, size) for all runs of equal sizes, in the order of the scores."""
        found: list[tuple[int, int, int]] = []
        for score, size in enumerate(self.sizes, self.low):
            if found and found[-1][2] == size:
                found[-1] = (found[-1][0], score, size)
            else:
                found.append((score, score, size))
        return tuple(found)


@record
class Policy:
    """`lattice`: a score is so many log-odds; it begins at 0. `ends`: there is a row for every number of entries at
    which a block may end, and the last row only decides; otherwise there is one row, which holds at all times. The
    first row lists score 0. `at_once`: the decision of a policy that looks at nothing; it has no rows, and decides in
    the first step. `floor`: a score is never counted below it. `ignoring`: the same where no end for futility is
    heeded; it rejects where this does. `endless`: it stops to reject only, and scores below all that are listed, NEVER
    below 0, go on as the first one does; evaluations take it that no run comes back from there."""

    lattice: float
    rows: tuple[Row, ...]
    ends: bool = False
    at_once: Decision | None = None
    floor: int | None = None
    ignoring: Policy | None = None
    endless: bool = False

    @property
    def lowest(self) -> int:
        """The least score of a chain: the floor, or one below all that are listed, where all that lies below is
        counted."""
        return min(row.low for row in self.rows) - 1 if self.floor is None else self.floor

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes in use, each once; those that are in use only where no end for futility is heeded, too."""
        beyond = () if self.ignoring is None else self.ignoring.sizes
        return tuple(sorted({*beyond, *(size for row in self.rows for size in row.sizes)}))

    @property
    def most(self) -> int | None:
        """The largest number of entries; None where there is none."""
        if self.at_once is not None:
            return 1
        return self.rows[-1].used if self.ends else None


def row_of(choice: Whole, middle: int, used: int = 0) -> Row:
    """The row with these choices at the scores -middle, -middle + 1, ..: a size, 0 to reject, -1 to accept. It goes on
    from the first to the last score that does; a decision between them takes the size next to it."""
    on = np.flatnonzero(choice > 0)
    if len(on) == 0:
        rejects = np.flatnonzero(choice == 0)
        return Row(used, int(rejects[0]) - middle if len(rejects) else middle + 1, ())
    inside = choice[on[0] : on[-1] + 1]
    known = np.maximum.accumulate(np.where(inside > 0, np.arange(len(inside)), 0))
    return Row(used, int(on[0]) - middle, tuple(int(m) for m in inside[known]))


def always(lattice: float, choice: Whole, mirrored: bool) -> Policy:
    """The policy that does at all times what is best at the scores -n .. n. It goes on within one interval around 0:
    what a dynamic program leaves beyond its first decision on either side is never reached with less. `mirrored`: the
    choices below 0 are those above."""
    middle = len(choice) // 2
    if choice[middle] <= 0:
        return Policy(lattice, (), at_once="reject" if choice[middle] == 0 else "accept")
    listed = choice.copy()
    if mirrored:
        above = listed[middle:]
        listed[:middle] = above[:0:-1]
    stops = np.flatnonzero(listed <= 0)
    listed[stops[stops > middle].min(initial=len(listed)) :] = 0
    listed[: stops[stops < middle].max(initial=-1) + 1] = -1
    return Policy(lattice, (row_of(listed, middle),))
