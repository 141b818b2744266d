"""How far a number may move so that what is measured of it moves by a radius at most, in floating point."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import hypot, inf, isinf, sqrt
from typing import Any

from seqlang.model.program import Norm, Within

Vector = tuple[float, ...]


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


def moved_vector(old: Vector, direction: int, norm: Norm, radius: float, each: bool, nearest: Any) -> Vector:
    """Moved by the radius in the norm, as far as the domain goes, to whose `nearest` vector it is taken back: every
    coordinate by as much, or the first alone where not `each` may move, or nothing is gained by moving several."""
    count = len(old) if each and norm != "l1" else 1
    part = radius / sqrt(count) if norm == "l2" else radius
    goal = nearest(tuple(x + direction * part if i < count else x for i, x in enumerate(old)))
    return tuple(exactly_within(x, y, part) if i < count else x for i, (x, y) in enumerate(zip(old, goal, strict=True)))


def size_of(move: Sequence[float], norm: Norm) -> float:
    """The norm of a move."""
    match norm:
        case "l1":
            return sum(map(abs, move))
        case "l2":
            return hypot(*move)
        case "linf":
            return max(map(abs, move), default=0.0)


def measured_move(before: Any, after: Any, adjacency: Within) -> float:
    """How far what `adjacency.of` measures moves from `before` to `after`.

    Of a number this is the difference. Of a vector it is the norm of the difference, with the sign of its largest
    coordinate, and infinite where all coordinates must move in one direction and do not."""
    if not isinstance(before, tuple):
        return float(after - before)
    moves = [float(b - a) for a, b in zip(before, after, strict=True)]
    if adjacency.same_direction and min(moves, default=0.0) < 0.0 < max(moves, default=0.0):
        return inf
    size = size_of(moves, adjacency.norm)
    return -size if max(moves, key=abs, default=0.0) < 0 else size


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
