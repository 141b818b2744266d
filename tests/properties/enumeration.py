"""The exact law of a small program by going through every value of every draw, with the interpreter: no rule is read.

For noise on the integers (cut off where less than 1e-12 is left) and finite laws, and for streams of a few steps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

from seqlang.backends.interpret.machine import Machine
from seqlang.model.program import Draw, Noise, Program

LEFT = 1e-12
LIKELY = 1e-7  # an outcome of this chance is possible, whatever the cut takes


class _Path:
    """One path through all draws: the numbers of the values taken so far, and the chance of the path."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self.numbers, self.sizes, self.chance = list(numbers), list[int](), 1.0

    def noise(self, noise: Noise, life: int, law: Any, shape: tuple[int, ...]) -> Any:
        assert shape == (), "vectors are not gone through here"
        return self._taken(law)

    def draw(self, draw: Draw, life: int, law: Any) -> Any:
        return self._taken(law)

    def entry(self, field: str, step: int, law: Any) -> Any:
        raise AssertionError("no entry is drawn")

    def _taken(self, law: Any) -> Any:
        values = law.support()
        if values is None:
            reach = next(k for k in range(1, 400) if law.cdf(-k) < LEFT)
            values = tuple(range(-reach, reach + 1))
        place = len(self.sizes)
        self.sizes.append(len(values))
        if place == len(self.numbers):
            self.numbers.append(0)
        value = values[self.numbers[place]]
        self.chance *= law.pmf(value)
        return value


def law_of(program: Program, stream: Sequence[dict[str, Any]]) -> dict[Any, float]:
    """The chance of every transcript."""
    found: dict[Any, float] = {}
    numbers: list[int] = []
    while True:
        path = _Path(numbers)
        seen = _transcript(Machine(program, path), stream)
        found[seen] = found.get(seen, 0.0) + path.chance
        numbers = path.numbers
        while numbers and numbers[-1] + 1 == path.sizes[len(numbers) - 1]:
            numbers.pop()
        if not numbers:
            return found
        numbers[-1] += 1


def _transcript(machine: Machine, stream: Sequence[dict[str, Any]]) -> Any:
    seen = []
    for entry in stream:
        outcome = machine.step(entry)
        seen.append(outcome)
        if outcome.stopped:
            break
    return tuple(seen)


def loss_of(program: Program, field: str, values: Sequence[float], steps: int, entries: int) -> float:
    """The largest loss between streams that differ in at most so many entries, from below; inf where one of them cannot
    show what the other likely shows."""
    streams = list(product(values, repeat=steps))
    laws = {stream: law_of(program, [{field: x} for x in stream]) for stream in streams}
    worst = 0.0
    for one, other in combinations(streams, 2):
        if sum(a != b for a, b in zip(one, other, strict=True)) <= entries:
            for p, q in ((laws[one], laws[other]), (laws[other], laws[one])):
                worst = max([worst, *(_ratio(p[seen], q.get(seen, 0.0)) for seen in p if p[seen] > LIKELY)])
    return worst


def _ratio(p: float, q: float) -> float:
    return math.inf if q == 0 else math.log(p / q) - 1e-6
