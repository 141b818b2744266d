"""Whether two conditions of an event on one noise leave it a range that is empty, or not, by the rounding of floats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from seqlang.backends.transcript.follow import Follower, Phase
from seqlang.backends.transcript.integrals.linear_conditions import (
    Alternatives,
    LinearCondition,
    Terms,
    is_shared,
    ranges,
)

NEAR = 1e-9
"""Of the size of the ends of a range: ends that are as close as that may be one number, or change places."""


def rests_on_a_near_miss(follower: Follower, phases: list[Phase]) -> bool:
    """Whether a noise with a density must lie above one number and below another that only rounding tells apart."""
    for _, system in follower.systems(phases):
        for conditions in _together(system):
            if any(_is_near(follower, terms, low, high) for terms, (low, _), (high, _) in ranges(conditions)):
                return True
    return False


def _together(system: Mapping[Alternatives, int]) -> Iterator[list[LinearCondition]]:
    """Conditions that must hold at once: those of a step; of all steps those that read no fresh noise."""
    lasting: dict[LinearCondition, None] = {}
    for step in system:
        for conjunction in step:
            if len(conjunction) > 1:
                yield list(conjunction)
        if len(step) == 1:
            for condition in step[0]:
                if condition[1] and all(is_shared(key) for key, _ in condition[1]):
                    lasting[condition] = None
    yield list(lasting)


def _is_near(follower: Follower, terms: Terms, low: float, high: float) -> bool:
    if low == high or abs(low - high) > NEAR * (1 + abs(low)):
        return False
    return any(follower.law(key).kind == "density" for key, _ in terms)
