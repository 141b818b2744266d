"""How far a number may move so that what is measured of it moves by a radius at most, in floating point."""

from __future__ import annotations

from fractions import Fraction
from math import isinf
from typing import Any


def moved_within(old: float, direction: int, low: float, high: float, radius: float, change: Any) -> float:
    """The farthest x on that side with |change(x)| <= radius, exactly so in floating point."""
    straight = min(max(old + direction * radius, low), high)
    if within(change(straight), radius) and change(straight) in (straight - old, direction * radius):
        return exactly_within(old, straight, radius)
    for sign in (direction, -direction):  # `of` may fall where the field rises
        end = high if sign > 0 else low
        if isinf(end):
            end = old + sign * max(radius, 1.0) * 8
        inside, outside = old, end
        if change(end) * direction < 0:
            continue
        if within(change(end), radius):
            return end
        for _ in range(60):
            middle = (inside + outside) / 2
            if within(change(middle), radius * (1 - 1e-12)):
                inside = middle
            else:
                outside = middle
        return inside
    return old


def moved_vector(
    old: tuple[float, ...], direction: int, low: float, high: float, radius: float, each: bool
) -> tuple[float, ...]:
    """Every coordinate moved by the radius, as far as [low, high] goes; the first alone if not `each` may."""
    count = len(old) if each else 1
    moved = [exactly_within(x, min(max(x + direction * radius, low), high), radius) for x in old[:count]]
    return (*moved, *old[count:])


def within(change: float, radius: float) -> bool:
    return abs(change) <= radius


def exactly_within(old: float, new: float, radius: float) -> float:
    """`new`, or the nearest float towards `old` whose exact distance is at most the radius."""
    limit = Fraction(radius)
    for _ in range(64):
        if abs(Fraction(new) - Fraction(old)) <= limit:
            return new
        new -= (new - old) * 2**-52
    return old
