"""The steps in which a condition can hold, as a value."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from seqlang.record import record


@record
class Schedule:
    """Of the steps 1..`known` those that are `listed`; of later steps n those with (n - known - 1) % `period` in
    `again`, both in order. In all other steps the condition certainly does not hold."""

    listed: tuple[int, ...]
    known: int
    period: int
    again: tuple[int, ...]

    @property
    def ends(self) -> bool:
        """There is a last step."""
        return not self.again

    def up_to(self, step: int) -> int:
        """How many of the steps 1..`step` it has."""
        rounds, rest = divmod(max(step - self.known, 0), self.period)
        return bisect_right(self.listed, step) + rounds * len(self.again) + bisect_left(self.again, rest)

    def within(self, length: int) -> int:
        """The most that `length` successive steps have."""
        starts = range(1, self.known + self.period + 1)
        return max(self.up_to(start + length - 1) - self.up_to(start - 1) for start in starts)

    def first(self) -> int | None:
        """The first of its steps."""
        if self.listed:
            return self.listed[0]
        return self.known + 1 + self.again[0] if self.again else None


ALWAYS = Schedule((), 0, 1, (0,))
"""Every step; also where nothing is known."""
