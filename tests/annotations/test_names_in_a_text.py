"""Which declaration a name means, and that renaming changes it there and nowhere else."""

from __future__ import annotations

import random
import re

import pytest
from library_slices import SPECS

from seqlang.annotations.edit import applied
from seqlang.annotations.names import OURS
from seqlang.annotations.outline import foldings, outline
from seqlang.annotations.reading import read
from seqlang.annotations.renaming import references, renamed

SHADOWS = """\
algorithm a
param x = 2
param n = 3
stream y in {0, 1}
let f(x, k) = x * k + n
statistic s = sum(y over steps) + sum(f(x, k = i) + x for i in 1..n where i > 1)
statistic t = sum(sum(i * x for i in 1..2) + i for i in 1..n)
stop when s > x return halt
stop when t > x return s
claim probability(halt) <= 0.5 under m
model m: y ~ bernoulli(0.5)
"""


WORDS = frozenset("size one every within steps last same direction replace add remove strong weak per expect".split())


def by_tokens(text: str, old: str, new: str) -> str:
    """Every word of that name replaced, outside of texts and comments."""
    return re.sub(rf'"[^"\n]*"|#[^\n]*|\b{old}\b', lambda m: new if m[0] == old else m[0], text)


def at(text: str, nth: int, word: str) -> int:
    """Where the word stands the nth time, from 0, as a word of its own."""
    return [m.start() for m in re.finditer(rf"\b{word}\b", text)][nth]


def places(word: str, nth: int) -> list[int]:
    """Which of the places of a word name the same thing as its nth one."""
    starts = [m.start() for m in re.finditer(rf"\b{word}\b", SHADOWS)]
    return [starts.index(o.span.start) for o in references(read(SHADOWS), at(SHADOWS, nth, word))]


def test_scopes() -> None:
    # x: the param, f's parameter (declared, read), f's argument, in the first sum, in the inner sum, in two stops
    assert places("x", 0) == [0, 3, 4, 5, 6, 7]
    assert places("x", 1) == [1, 2]
    # k: declared in f, read in f, the keyword
    assert places("k", 0) == places("k", 2) == [0, 1, 2]
    # i: the argument, the binder, the condition; the inner one; the outer one
    assert places("i", 0) == [0, 1, 2]
    assert places("i", 3) == [3, 4]
    assert places("i", 5) == [5, 6]
    assert places("halt", 1) == [0, 1]
    assert places("m", 1) == [0, 1]
    assert places("s", 2) == [0, 1, 2]


def test_a_variable_is_not_seen_in_its_own_domain() -> None:
    text = "algorithm a\nparam n = 3\nlet s = sum(n for n in 1..n where n > 1)\nstop when step > s\n"
    reading = read(text)
    assert not reading.errors
    starts = [m.start() for m in re.finditer(r"\bn\b", text)]
    assert [starts.index(o.span.start) for o in references(reading, starts[0])] == [0, 3]
    assert [starts.index(o.span.start) for o in references(reading, starts[1])] == [1, 2, 4]


@pytest.mark.parametrize(
    ("nth", "word", "name", "why"),
    [
        (0, "x", "k", "parameter"),  # nothing of that name where x is read, but f would have ..
        (1, "x", "k", "parameter"),  # .. two parameters of one name
        (1, "x", "n", "param"),  # captures the n in the body of f
        (3, "i", "x", "param"),  # captures the x beside it
        (0, "x", "s", "statistic"),
        (0, "halt", "s", "statistic"),  # a label that is declared is no label
        (0, "s", "stops", "change what the file means"),
        (0, "s", "step", "word of the language"),
        (0, "s", "1a", "no name"),
        (0, "f", "laplace", "change what the file means"),
        (0, "halt", "laplace", "change what the file means"),
    ],
)
def test_what_would_capture_is_refused(nth: int, word: str, name: str, why: str) -> None:
    found = renamed(read(SHADOWS), at(SHADOWS, nth, word), name)
    if (nth, word, name) == (0, "x", "k"):
        assert not isinstance(found, str)  # the parameter k hides it in f only, where it is not read
        return
    assert isinstance(found, str) and why in found, found


def test_inner_names_may_hide_outer_ones_where_nothing_reads_those() -> None:
    found = renamed(read(SHADOWS), at(SHADOWS, 5, "i"), "z")
    assert not isinstance(found, str)
    assert "sum(sum(i * x for i in 1..2) + z for z in 1..n)" in applied(SHADOWS, found)
    again = applied(SHADOWS, found)
    found = renamed(read(again), at(again, 3, "i"), "z")  # hides the outer z, which the inner sum does not read
    assert not isinstance(found, str)
    assert "sum(sum(z * x for z in 1..2) + z for z in 1..n)" in applied(again, found)
    assert not read(applied(again, found)).errors


def test_names_of_the_language_are_not_renamed() -> None:
    assert "language" in str(renamed(read(SHADOWS), at(SHADOWS, 0, "bernoulli"), "b"))
    assert "no name" in str(renamed(read(SHADOWS), SHADOWS.index("{"), "b"))


def test_every_name_of_the_library_is_known_and_renamed_as_by_tokens() -> None:
    """Names that are declared once and bound nowhere else: whoever replaces every token gets the same text."""
    rng = random.Random(7)
    compared = 0
    for path in rng.sample(sorted(SPECS.rglob("*.seq")), 40):
        text = path.read_text("utf-8")
        reading = read(text, path.name)
        assert not [o for o in reading.names if o.meaning.kind == "unknown"], path
        meanings = sorted(
            {o.meaning for o in reading.names if o.meaning.kind not in OURS}, key=lambda m: m.declared or 0
        )
        plain = [m for m in meanings if sum(o.name == m.name for o in meanings) == 1 and m.name not in WORDS]
        meaning = rng.choice([m for m in plain if not re.search(rf"[\"#].*\b{m.name}\b", text)])
        found = renamed(reading, meaning.declared or 0, "renamed_")
        assert not isinstance(found, str), (path, found)
        assert applied(text, found) == by_tokens(text, meaning.name, "renamed_"), path
        compared += len(found)
    assert compared > 80


def test_outline_and_foldings() -> None:
    reading = read(
        "# one\n# two\nalgorithm a\nstream x in {0, 1},\n  y in real\nattach laplace(1) to x\nstop when\n  x > 1\n"
    )
    assert [(e.kind, e.name) for e in outline(reading)] == [
        ("algorithm", "a"), ("stream", "x"), ("stream", "y"), ("attach", "noise on x"), ("stop", "stop when x > 1"),
    ]  # fmt: skip
    assert foldings(reading) == ((1, 2, "comment"), (4, 5, "region"), (7, 8, "region"))
