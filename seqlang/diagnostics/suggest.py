"""Which of the known names was probably meant."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate nearest to `name`, if it is near enough to be a slip of the hand; the first of equals.

    Near enough: one edit for up to four letters, two for up to eight, three beyond. A name that differs only in the
    case of its letters is always near enough. The name itself is no suggestion.
    """
    allowed = 1 if len(name) <= 4 else 2 if len(name) <= 8 else 3
    best, best_distance, lower = None, allowed + 1, name.lower()
    for candidate in candidates:
        if candidate == name:
            continue
        if len(candidate) == len(name) and candidate.lower() == lower:
            return candidate
        if abs(len(candidate) - len(name)) >= best_distance or min(len(candidate), len(name)) < 2:
            continue
        apart = distance(name, candidate, best_distance - 1)
        if apart < best_distance and apart < len(candidate):
            best, best_distance = candidate, apart
    return best


def hint(name: str, known: Iterable[str]) -> str | None:
    """A help line that names the nearest known name, or None."""
    other = did_you_mean(name, known)
    return f"did you mean `{other}`?" if other else None


def distance(a: str, b: str, most: int | None = None) -> int:
    """Damerau-Levenshtein distance in its restricted form: insertions, deletions, substitutions and swaps of two
    neighbouring letters, no part edited twice. Any number above `most` stands for all of them."""
    if most is None:
        most = max(len(a), len(b))
    if abs(len(a) - len(b)) > most:
        return most + 1
    far = most + 1
    before: list[int] = []
    previous = [min(j, far) for j in range(len(b) + 1)]
    for i, x in enumerate(a, 1):
        low, high = max(1, i - most), min(len(b), i + most)  # elsewhere the distance is too large already
        row = [far] * (len(b) + 1)
        if i <= most:
            row[0] = i
        for j in range(low, high + 1):
            y = b[j - 1]
            cost = previous[j - 1] + (x != y)
            if previous[j] < cost:
                cost = previous[j] + 1
            if row[j - 1] < cost:
                cost = row[j - 1] + 1
            if i > 1 and j > 1 and x == b[j - 2] and y == a[i - 2] and before[j - 2] < cost:
                cost = before[j - 2] + 1
            row[j] = cost
        if min(row) > most and (not before or min(previous) > most):
            return far
        before, previous = previous, row
    return min(previous[-1], far)
