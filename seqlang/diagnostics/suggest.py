"""Which of the known names was probably meant."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate nearest to `name`, if it is near enough to be a slip of the hand; the first of equals.

    Near enough: one edit for up to four letters, two for up to eight, three beyond. A name that differs only in the
    case of its letters is always near enough. The name itself is no suggestion.
    """
    allowed = 1 if len(name) <= 4 else 2 if len(name) <= 8 else 3
    best, best_distance = None, allowed + 1
    for candidate in candidates:
        if candidate == name:
            continue
        if candidate.lower() == name.lower():
            return candidate
        if abs(len(candidate) - len(name)) >= best_distance or min(len(candidate), len(name)) < 2:
            continue
        apart = distance(name, candidate)
        if apart < best_distance and apart < len(candidate):
            best, best_distance = candidate, apart
    return best


def distance(a: str, b: str) -> int:
    """Damerau-Levenshtein distance in its restricted form: insertions, deletions, substitutions and swaps of two
    neighbouring letters, no part edited twice."""
    before: list[int] = []
    previous = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            cost = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and y == a[i - 2]:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, previous = previous, row
    return previous[-1]
