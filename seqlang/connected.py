"""Things that share something, directly or through others."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from typing import TypeVar

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


def connected(items: Iterable[tuple[T, Collection[K]]]) -> list[tuple[list[T], set[K]]]:
    """Each item comes with what it has; items that have nothing in common, even through others, are apart. Each group
    is given with all that its items have."""
    groups: dict[int, tuple[list[T], set[K]]] = {}
    group_of: dict[K, int] = {}
    for number, (item, own) in enumerate(items):
        joined, keys = [item], set(own)
        for earlier in sorted({group_of[key] for key in own if key in group_of}):
            others, theirs = groups.pop(earlier)
            joined, keys = others + joined, keys | theirs
        groups[number] = joined, keys
        group_of.update(dict.fromkeys(keys, number))
    return list(groups.values())
