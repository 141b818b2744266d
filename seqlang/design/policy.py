"""A policy: by the score so far, the size of the next block, or the decision."""

from __future__ import annotations

from typing import Literal

from seqlang.design.pricing import Whole
from seqlang.record import record

Decision = Literal["reject", "accept"]


@record
class Policy:
    """`lattice`: a score is so many log-odds. `sizes[i]` belongs to the score `low + i`; score 0 is among those listed.
    Scores below `low` accept, scores above `high` reject. `at_once`: the decision of a policy that looks at nothing; it
    lists no scores, and is made in the first step."""

    lattice: float
    low: int
    sizes: tuple[int, ...]
    at_once: Decision | None = None

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


def policy_of(sizes: Whole, lattice: float, mirrored: bool) -> Policy:
    """The policy with these sizes or decisions at the scores -n .. n. It goes on within one interval around 0: what a
    dynamic program leaves beyond its first decision on either side is never reached with less. `mirrored`: the sizes of
    the scores below 0 are those of the scores above."""
    middle = len(sizes) // 2
    if sizes[middle] <= 0:
        return Policy(lattice, 1, (), "reject" if sizes[middle] == 0 else "accept")
    listed = sizes.copy()
    if mirrored:
        above = listed[middle:]
        listed[:middle] = above[:0:-1]
    goes_on = listed > 0
    up, down = middle, middle
    while up + 1 < len(listed) and goes_on[up + 1]:
        up += 1
    while down > 0 and goes_on[down - 1]:
        down -= 1
    return Policy(lattice, down - middle, tuple(int(m) for m in listed[down : up + 1]))
