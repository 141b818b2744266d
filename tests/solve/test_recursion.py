"""The loop over steps: when it ends, and what it says of the rest."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any

import numpy as np
import pytest

from seqlang.backends.solve.chain import Stopped
from seqlang.backends.solve.memoryless import MemorylessFrontier
from seqlang.backends.solve.recursion import follow
from seqlang.backends.solve.solution import Array, Outcome, Tail


class Coin:
    """Stops with chance `stop[node]` in every step."""

    def __init__(self, weights: list[float], stop: list[float], closed: bool = False, interrupt: int = 0) -> None:
        self.weights, self.stop = np.array(weights), np.array(stop)
        self.closed, self.interrupt = closed, interrupt
        self.outcomes: tuple[Outcome, ...] = ("out",)

    def begin(self) -> MemorylessFrontier:
        return MemorylessFrontier(0, self.weights, 0.0)

    def advance(
        self, frontier: MemorylessFrontier, forced: Mapping[str, Any] | None = None
    ) -> tuple[MemorylessFrontier, Stopped]:
        if self.interrupt and frontier.step == self.interrupt:
            raise KeyboardInterrupt
        out: Array = frontier.survivors * self.stop
        return MemorylessFrontier(frontier.step + 1, frontier.survivors - out, 0.0), Stopped(out[None, :], np.zeros(0))

    def close(self, frontier: MemorylessFrontier) -> Tail | None:
        if not self.closed:
            return None
        steps = frontier.survivors * (frontier.step + 1 / self.stop)
        return Tail(np.array([frontier.survivors.sum()]), float(steps.sum()), 0.0, steps)

    def stuck(self, frontier: MemorylessFrontier) -> float:
        return float(frontier.survivors[self.stop == 0].sum())


def test_two_speeds() -> None:
    course = follow(Coin([0.9, 0.1], [0.5, 0.01]))
    assert course.finished and course.unresolved <= 1e-9
    truth = 0.9 * 2 + 0.1 * 100
    assert abs(course.steps - truth) <= course.rest_steps
    assert course.rest_steps < 1e-8 * truth
    assert np.abs(course.by_node - np.array([1.8, 10.0])).max() < 1e-7


def test_closed_form_for_the_rest() -> None:
    course = follow(Coin([0.9, 0.1], [0.5, 0.001], closed=True))
    assert course.tail is not None and course.unresolved == 0
    assert abs(course.steps - (1.8 + 100)) < 1e-9
    assert np.abs(course.by_node - np.array([1.8, 100.0])).max() < 1e-9


def test_never() -> None:
    course = follow(Coin([0.75, 0.25], [0.5, 0.0]))
    assert course.finished and course.never == 0.25 and course.rest_steps == inf
    assert abs(course.table.sum() - 0.75) < 1e-9


def test_work_is_bounded() -> None:
    course = follow(Coin([1.0], [1e-9]), work=1e7)
    assert not course.finished and len(course.table) < 2000
    assert abs(course.unresolved - (1 - 1e-9 * len(course.table))) < 1e-9


def test_an_interrupt_ends_it() -> None:
    with pytest.raises(KeyboardInterrupt):
        follow(Coin([1.0], [0.01], interrupt=21))
