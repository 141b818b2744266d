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


def test_distances_up_to_a_bound() -> None:
    """The bounded search looks at a part of the table only, and must see the same distances."""
    words = ["".join(p) for n in range(6) for p in product(LETTERS, repeat=n)]
    for a in words:
        for b in words:
            whole = distance(a, b)
            for most in range(4):
                assert min(distance(a, b, most), most + 1) == min(whole, most + 1), (a, b, most)


def test_many_unknown_names_are_not_compared_with_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    from seqlang.diagnostics import SpecError, suggest
    from seqlang.driver import load
    from seqlang.source import Source

    def compared(count: int) -> int:
        calls = []
        monkeypatch.setattr(suggest, "distance", lambda *words: calls.append(words) or 9)
        names = "".join(f"statistic stat_{i:05} = unknown_{i:05} + step\n" for i in range(count))
        with pytest.raises(SpecError) as raised:
            load(Source("many", f"algorithm a\nstream x in {{0, 1}}\n{names}stop when step >= 3\n"))
        assert len(raised.value.diagnostics) >= count
        return len(calls)

    few, many = compared(200), compared(400)
    assert 0 < many < 2.5 * few  # all pairs would be four times as many


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
