"""What is given up: events whose probability is not computed, and searches that would need too many values."""

from __future__ import annotations


class Unsupported(Exception):
    """The event's probability is not computed by this module; the text says why."""


class Work:
    """How many conditional probabilities were computed. Beyond `most` the event is given up as unsupported."""

    def __init__(self, most: float) -> None:
        self.most = most
        self.done = 0.0

    def add(self, values: float) -> None:
        self.done += values
        if self.done > self.most:
            raise Unsupported("too many values would be needed")
