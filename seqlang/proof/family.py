"""A refutation of every finite epsilon: pairs of neighbours of which the loss grows with their length."""

from __future__ import annotations

from collections.abc import Mapping

from seqlang.proof.entry import Entry
from seqlang.record import record


@record
class FamilyStep:
    """One step: an entry of each stream, and what the transcript says of it (report -> value, "stop" -> how)."""

    first: Entry
    second: Entry
    told: Mapping[str, object]


@record
class Likely:
    """A value of a noise that stays: between `low` and `high`, of positive probability."""

    noise: tuple[object, ...]
    low: float
    high: float


@record
class Family:
    """The streams `head`, n times `block`, `middle`, n times `again`, `tail`, for every n; the event is that all of it
    happens as told. (Of most families `middle` and `again` are empty.)

    Given the noise that stays, repeated blocks are independent. Below, a block and its `again` count as one. Under the
    first stream a block has at least the chance
    e^`at_least` where the noise lies in `likely`, which has at least the chance e^-`start` together with head and tail.
    Under the second it has at most the chance e^`at_most`, whatever the noise is that head and tail leave possible. So
    n blocks have a loss of at least n `rate` - `start`, `rate` at most `at_least` - `at_most` and positive: no finite
    epsilon serves them all.

    `losses`: (steps, loss) of some of them, computed as a witness's are, rounded down.
    """

    head: tuple[FamilyStep, ...]
    block: tuple[FamilyStep, ...]
    tail: tuple[FamilyStep, ...]
    likely: tuple[Likely, ...]
    at_least: float
    at_most: float
    start: float
    rate: float
    losses: tuple[tuple[int, float], ...] = ()
    middle: tuple[FamilyStep, ...] = ()
    again: tuple[FamilyStep, ...] = ()

    def steps(self, blocks: int) -> tuple[FamilyStep, ...]:
        return self.head + self.block * blocks + self.middle + self.again * blocks + self.tail
