"""Neighbouring streams by brute force, and what a class of shifts says about a sequence of differences."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from itertools import product

from small_statistics import Meaning, Prefix

DOMAIN = (Fraction(-1), Fraction(0), Fraction(2))


def changed(x: Prefix, y: Prefix) -> int:
    return sum(a != b for a, b in zip(x, y, strict=True))


def within(x: Prefix, y: Prefix, radius: int) -> bool:
    return all(abs(a - b) <= radius for a, b in zip(x, y, strict=True))


def one_way(x: Prefix, y: Prefix) -> bool:
    return all(a <= b for a, b in zip(x, y, strict=True)) or all(a >= b for a, b in zip(x, y, strict=True))


ADJACENT: dict[str, Callable[[Prefix, Prefix], bool]] = {
    "replace one": lambda x, y: changed(x, y) == 1,
    "replace 2": lambda x, y: 1 <= changed(x, y) <= 2,
    "one x within 1": lambda x, y: changed(x, y) == 1 and within(x, y, 1),
    "every x within 1": lambda x, y: within(x, y, 1),
    "every x within 2 same direction": lambda x, y: within(x, y, 2) and one_way(x, y),
}


@lru_cache
def pairs(adjacency: str, length: int) -> list[tuple[Prefix, Prefix]]:
    streams = list(product(DOMAIN, repeat=length))
    return [(x, y) for x in streams for y in streams if x != y and ADJACENT[adjacency](x, y)]


class Values:
    """The values of one statistic after each step, for every stream."""

    def __init__(self, meaning: Meaning) -> None:
        self.meaning = meaning
        self.known: dict[Prefix, tuple[Fraction, ...]] = {}

    def __call__(self, x: Prefix) -> tuple[Fraction, ...]:
        if x not in self.known:
            self.known[x] = tuple(self.meaning(x[: i + 1]) for i in range(len(x)))
        return self.known[x]

    def differences(self, x: Prefix, y: Prefix) -> tuple[Fraction, ...]:
        return tuple(b - a for a, b in zip(self(x), self(y), strict=True))


def fits(kind: str, differences: tuple[Fraction, ...]) -> bool:
    """Whether a sequence of differences belongs to the class."""
    moving = [d for d in differences if d]
    if kind in ("arbitrary", "unbounded"):
        return True
    if not moving:
        return True
    first = next(i for i, d in enumerate(differences) if d)
    last = max(i for i, d in enumerate(differences) if d)
    one_sign = all(d > 0 for d in moving) or all(d < 0 for d in moving)
    sizes = [abs(d) for d in differences[first:]]
    return {
        "none": False,
        "single step": len(moving) == 1,
        "same direction": one_sign,
        "uniform": len(set(differences[first:])) == 1,
        "window": len(set(differences[first : last + 1])) == 1,
        "same sign, not growing": one_sign and sizes == sorted(sizes, reverse=True),
        "same sign, not shrinking": one_sign and sizes == sorted(sizes),
    }[kind]
