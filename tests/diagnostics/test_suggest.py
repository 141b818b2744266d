"""Suggestions: distances against a brute-force search, and what counts as near."""

from __future__ import annotations

from itertools import product

import pytest

from seqlang.diagnostics.suggest import did_you_mean, distance

LETTERS = "ab"


def _one_edit(word: str) -> set[str]:
    found = set()
    for i in range(len(word) + 1):
        found |= {word[:i] + c + word[i:] for c in LETTERS}
        if i < len(word):
            found.add(word[:i] + word[i + 1 :])
            found |= {word[:i] + c + word[i + 1 :] for c in LETTERS}
        if i + 1 < len(word):
            found.add(word[:i] + word[i + 1] + word[i] + word[i + 2 :])
    return found - {word}


def test_distance_one_is_exactly_one_edit() -> None:
    words = ["".join(p) for n in range(5) for p in product(LETTERS, repeat=n)]
    for a in words:
        near = _one_edit(a)
        for b in words:
            assert (distance(a, b) == 1) == (b in near), (a, b)
            assert (distance(a, b) == 0) == (a == b)
            assert distance(a, b) == distance(b, a)


def test_known_distances() -> None:
    assert distance("kitten", "sitting") == 3
    assert distance("", "abc") == 3
    assert distance("ca", "abc") == 3  # the restricted form; the full one gives 2


@pytest.mark.parametrize(
    ("name", "candidates", "expected"),
    [
        ("statistc", ["stop", "statistic", "stream"], "statistic"),
        ("stpo", ["stop", "step"], "stop"),
        ("Alpha", ["alpha"], "alpha"),
        ("lr", ["llr", "eps"], "llr"),
        ("eps", ["eps"], None),
        ("b", ["a"], None),
        ("zzz", ["alpha", "beta"], None),
        ("x", [], None),
        ("sigma1", ["sigma2", "sigma"], "sigma2"),
    ],
)
def test_did_you_mean(name: str, candidates: list[str], expected: str | None) -> None:
    assert did_you_mean(name, candidates) == expected
