"""When a test with an end may look at its data: numbers of entries, and the sizes of blocks from each."""

from __future__ import annotations

from seqlang.designs.problem.criterion import multiples
from seqlang.designs.problem.problem import Problem
from seqlang.record import record

TIMES = 25
"""About so many numbers of entries at which a private test with an end may look: more would save less than a
hundredth, and make the schedule long."""
LONGER = 4
"""Where no end is asked for, but needed by the search, it is at so many times the best fixed size; at twice that size
with noise, where the best tests end sooner."""


@record
class Calendar:
    """Blocks end after `times` entries, of which the first is 0 and the last the end; from each, sizes of `menu` that
    do not lead beyond the end, and the one that leads there. `forced`: a block leads to the next time."""

    times: tuple[int, ...]
    menu: tuple[int, ...] = ()
    forced: bool = False

    @property
    def most(self) -> int:
        return self.times[-1]

    @property
    def all_sizes(self) -> tuple[int, ...]:
        return tuple(sorted({m for used in self.times for m in self.sizes(used)}))

    def sizes(self, used: int) -> tuple[int, ...]:
        """The sizes of a block that begins after so many entries; none where only a decision is left."""
        if used == self.most:
            return ()
        if self.forced:
            return (self.times[self.times.index(used) + 1] - used,)
        rest = self.most - used
        found = [m for m in self.menu if m < rest]
        return (*found, rest) if self.menu[0] <= rest <= self.menu[-1] else tuple(found)


def calendar_for(problem: Problem, fixed: int) -> Calendar | None:
    """None where the test may look whenever it likes and has no end. `fixed` is the best size of a single block."""
    limits, private = problem.limits, problem.privacy.notion != "none"
    if limits.looks:
        return Calendar((0, *limits.looks), forced=True)
    most = limits.most
    if most is None:
        one_sided = problem.course == "one-sided"
        if problem.endless or (not problem.criterion.needs_end and problem.course == "both ends"):
            return None
        most = (2 if private and not one_sided else LONGER) * max(
            fixed, limits.every or 1, limits.smallest, limits.unit
        )
    if limits.every is not None:
        return Calendar((0, *multiples(limits.every, most)), forced=True)
    unit, smallest = limits.unit, max(limits.unit, limits.smallest)
    most -= most % unit
    if private:
        unit *= -(-most // (TIMES * unit))
    largest = most if private else 2 * smallest - 1
    menu = tuple(m for m in multiples(unit, largest) if m >= smallest)
    return Calendar((0, *multiples(unit, most - 1), most), menu or (most,))
