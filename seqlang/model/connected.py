"""Things that share something, directly or through others."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from typing import TypeVar

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


def connected(items: Iterable[tuple[T, Collection[K]]]) -> list[tuple[list[T], set[K]]]:
    """Each item comes with what it has; items that have nothing in common, even through others, are apart. Each group
    is given with all that its items have; items keep their order, a group has the place of its last item. By union and
    find, as one thing may connect ten thousand items: the time is linear in what all of them have."""
    given = list(items)
    parent = list(range(len(given)))
    first: dict[K, int] = {}

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for i, (_, own) in enumerate(given):
        for key in own:
            before = first.setdefault(key, i)
            if before != i:
                mine, other = root(i), root(before)
                parent[max(mine, other)] = min(mine, other)
    groups: dict[int, tuple[list[T], set[K]]] = {}
    for i in range(len(given) - 1, -1, -1):
        joined, keys = groups.setdefault(root(i), ([], set()))
        joined.append(given[i][0])
        keys.update(given[i][1])
    return [(joined[::-1], keys) for joined, keys in reversed(groups.values())]
