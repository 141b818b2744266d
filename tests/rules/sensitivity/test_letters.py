"""Letters that occur twice: folds inside folds, letters hidden in accumulators, memory above and below its update.

Each sensitivity is held against the largest difference over all pairs of neighbours on a grid, computed by functions
written here; and it must not depend on which letters the binders have.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from itertools import product

import pytest
from small_statistics import program as read
from thorough import several

from seqlang.arithmetic.formula import enclose
from seqlang.model.program import Program
from seqlang.model.validate import validate
from seqlang.rules.sensitivity.motion.shifts import shift_of

Numbers = Sequence[float]
GRID = (0.0, 0.4, 1.0)
SIZE = 3


def made(text: str) -> Program:
    program = read(text)
    assert validate(program) == ()
    return program


def radius(program: Program, name: str) -> float:
    """The derived bound on how far the statistic moves; of a vector in l1."""
    found = shift_of(program, program.define(name).expression, norm="l1")
    return math.inf if found.radius.is_infinite else enclose(found.radius, {}).high


def largest_move(function: Callable[[Numbers], float | Numbers], grid: Numbers = GRID, size: int = SIZE) -> float:
    """The largest l1 distance over all pairs that differ in one entry."""
    most = 0.0
    for entries in product(grid, repeat=size):
        before = function(entries)
        for place, value in product(range(size), grid):
            after = function((*entries[:place], value, *entries[place + 1 :]))
            pairs = zip(before, after, strict=True) if isinstance(before, Sequence) else [(before, after)]
            most = max(most, sum(abs(a - b) for a, b in pairs))
    return most


INNER: dict[str, Callable[[Numbers], float]] = {
    "max(x[{i}] for {i} in records)": max,
    "min(x[{i}] for {i} in records)": min,
    "sum(x[{i}] for {i} in records)": sum,
    "mean(x[{i}] for {i} in records)": lambda xs: sum(xs) / len(xs),
    "count(x[{i}] > 0.5 for {i} in records)": lambda xs: sum(x > 0.5 for x in xs),
    "sum(x[{i}] where x[{i}] > 0.3 for {i} in records)": lambda xs: sum(x for x in xs if x > 0.3),
    "max(x)": max,
}
OUTER: dict[str, Callable[[Numbers, float], float | Numbers]] = {
    "count(x[{j}] >= {m} for {j} in records)": lambda xs, m: sum(x >= m for x in xs),
    "sum({m} - x[{j}] for {j} in records)": lambda xs, m: sum(m - x for x in xs),
    "sum(abs(x[{j}] - {m}) for {j} in records)": lambda xs, m: sum(abs(x - m) for x in xs),
    "count(abs(x[{j}] - {m}) > 0.2 for {j} in records)": lambda xs, m: sum(abs(x - m) > 0.2 for x in xs),
    "mean(min(x[{j}], {m}) for {j} in records)": lambda xs, m: sum(min(x, m) for x in xs) / len(xs),
    "max(x[{j}] * {m} for {j} in records)": lambda xs, m: max(x * m for x in xs),
    "[{m} - x[{j}] for {j} in records]": lambda xs, m: [m - x for x in xs],
    "[sum({m} * {j} for {k} in 1..2) for {j} in 1..3]": lambda xs, m: [2 * m * j for j in (1, 2, 3)],
}
HEAD = "algorithm a\ndataset x in [0, 1] size 3\n"


def nested(inner: str, outer: str, letters: tuple[str, str, str], named: bool) -> Program:
    i, j, k = letters
    m = inner.format(i=i)
    if " where " in m:  # `sum(E where C for i ..)` is written `sum(E for i .. where C)`
        body, rest = m[4:-1].split(" where ")
        condition, binder = rest.split(" for ")
        m = f"sum({body} for {binder} where {condition})"
    first, inside = (f"statistic m = {m}\n", "m") if named else ("", m)
    return made(f"{HEAD}{first}statistic s = {outer.format(j=j, k=k, m=inside)}\nstop return s\n")


@pytest.mark.parametrize("outer", OUTER)
@pytest.mark.parametrize("inner", INNER)
def test_a_fold_inside_a_fold(inner: str, outer: str) -> None:
    truth = largest_move(lambda xs: OUTER[outer](xs, INNER[inner](xs)))
    apart = radius(nested(inner, outer, ("i", "j", "k"), True), "s")
    assert apart >= truth - 1e-9
    cases = itertools.product((("i", "i", "k"), ("k", "j", "k"), ("j", "k", "j")), (True, False))
    for letters, named in itertools.islice(cases, 0, None, several(2, 1)):
        assert radius(nested(inner, outer, letters, named), "s") == apart


# ---- letters that an accumulator reads


def over_steps(xs: Numbers) -> list[int]:
    return [sum(x == k for x in xs) for k in (1, 2, 3)]


LISTS: dict[str, Callable[[Numbers], float | Numbers]] = {
    "[count(x == {k} over steps) for {k} in 1..3]": over_steps,
    "[l[1 + h[{k}]] for {k} in 1..3]": lambda xs: [j - over_steps(xs)[0] for j in (1 + h for h in over_steps(xs))],
    "[l[1 + h[{j}]] for {j} in 1..3]": lambda xs: [j - over_steps(xs)[0] for j in (1 + h for h in over_steps(xs))],
    "[h[{k}] - h[1] for {k} in 1..3]": lambda xs: [h - over_steps(xs)[0] for h in over_steps(xs)],
    "[sum(h[{k}] * {j} for {j} in 1..2) for {k} in 1..3]": lambda xs: [3 * h for h in over_steps(xs)],
    "[sum(x over last {k}) for {k} in 1..3]": lambda xs: [sum(xs[-k:]) for k in (1, 2, 3)],
    "[sum(sum(x over last {k}) for {j} in 1..2) for {k} in 1..3]": lambda xs: [2 * sum(xs[-k:]) for k in (1, 2, 3)],
    "[(if count(step <= {k} over steps) == 1 + 0 * {k} then x else 0) for {k} in 1..4]": lambda xs: (
        [xs[-1] if min(len(xs), k) == 1 else 0 for k in (1, 2, 3, 4)]
    ),
    "[sum(x == {k} + count(step <= {k} over steps) - min(step, {k}) over steps) for {k} in 1..3]": over_steps,
}


@pytest.mark.parametrize("length", [1, 3])
@pytest.mark.parametrize("text", LISTS)
def test_letters_hidden_in_accumulators(text: str, length: int) -> None:
    found = set()
    for letters in (("k", "j"), ("j", "k"), ("u", "v")):
        lists = (
            "statistic h = [count(x == {k} over steps) for {k} in 1..3]\n"
            "statistic l = [sum({j} - h[{k}] for {k} in 1..1) for {j} in 1..100]\n"
        )
        text_of = text.replace("sum(x ==", "count(x ==")
        program = made(
            f"algorithm a\nstream x in {{1, 2, 3}}\n"
            f"{lists.format(k=letters[0], j=letters[1])}"
            f"statistic r = {text_of.format(k=letters[0], j=letters[1])}\nstop when step >= {length} return r\n"
        )
        found.add(radius(program, "r"))
    (apart,) = found
    assert apart >= largest_move(LISTS[text], (1, 2, 3), length) - 1e-9


# ---- memory


@pytest.mark.parametrize(
    ("above", "below", "truth"),
    [
        ("w * x", "a - w * x", 1.0),
        ("sum(w * x over steps)", "a - sum(w * x over steps)", 1.0),
        ("if w > 0 then x else 0", "a - (if w > 0 then x else 0)", 1.0),
        ("[w * x, x]", "a - [w * x, x]", 1.0),
        ("w * x", "a + w * x", 1.0),
    ],
)
def test_memory_above_and_below_its_update_are_two_values(above: str, below: str, truth: float) -> None:
    program = made(
        "algorithm a\nstream x in [0, 1]\nmemory w = 0\n"
        f"statistic a = {above}\nupdate w = 1 - w\nstatistic b = {below}\nstop when step >= 1 return b\n"
    )
    assert radius(program, "b") >= truth - 1e-9


def test_an_update_below_takes_the_memory_as_it_was() -> None:
    """The same letter of a memory in both versions in one update, and in a look-back inside of it."""
    program = made(
        "algorithm a\nstream x in {0, 1}\nmemory w = 1\n"
        "update w = w + previous(w, 0)\nstatistic s = w * x\nstop when step >= 4 return s\n"
    )
    assert validate(program) == ()


# ---- what a variable ranges over


@pytest.mark.parametrize("order", [0, 1])
def test_the_same_letter_with_another_range_elsewhere(order: int) -> None:
    small, large = "statistic t = max(k for k in 1..2)\n", "update w = max(k * y for k in 1..50)\n"
    middle = (small + large, large + small)[order]
    program = made(
        f"algorithm a\nstream x in [0, 1]\npublic y in {{0, 1}}\nmemory w = 1\n{middle}statistic s = w * x\n"
        "stop when step >= 2 return s\n"
    )
    assert radius(program, "s") >= 50 - 1e-9
