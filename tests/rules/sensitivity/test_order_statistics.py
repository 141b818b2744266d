"""Sorted lists, quantiles, gaps between counts, and what a record added or removed does to means and extremes.

The oracle goes through all pairs of small neighbouring datasets and evaluates the statistic in Python.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from random import Random

import pytest

from seqlang import driver
from seqlang.arithmetic.formula import enclose, number, root
from seqlang.driver.contradicted import Contradicted
from seqlang.model.program import Program
from seqlang.rules.gates.radius import radius_of
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.motion import courses, motion_of
from seqlang.rules.sensitivity.motion.elements import weighted
from seqlang.rules.sensitivity.motion.entry import Norms
from seqlang.rules.sensitivity.motion.motion import scaled
from seqlang.source import Source

REPLACE, RESIZE, TWO = "replace one", "add or remove one", "add or remove 2"
Data = Sequence[int]


def program(body: str) -> Program:
    return driver.load(Source("order.seq", f"algorithm order\n{body}\n")).program


def derived(domain: str, size: int, adjacency: str, statistic: str) -> float:
    given = program(
        f"dataset x in {domain} size {size}\nadjacent {adjacency}\nstatistic s = {statistic}\nstop return s\n"
        "attach laplace(1) to s"
    )
    gate = next(gate for gate in given.gates if gate.name == "return 1")
    found = radius_of(given, gate.value, "abs")
    return math.inf if isinstance(found, str) else enclose(found[0], {}).high


def neighbours(letters: Data, size: int, adjacency: str) -> Iterator[tuple[Data, Data]]:
    for data in product(letters, repeat=size):
        if adjacency == REPLACE:
            yield from ((data, (letter, *data[1:])) for letter in letters)
        else:
            yield from ((data, data[gone:]) for gone in range(1, 1 + (2 if adjacency == TWO else 1)))


def seen(letters: Data, size: int, adjacency: str, statistic: Callable[[Data], float]) -> float:
    return max(abs(statistic(a) - statistic(b)) for a, b in neighbours(letters, size, adjacency))


def gap(data: Data) -> float:
    counts = sorted(data.count(value) for value in (1, 2, 3))
    return counts[2] - counts[1]


def bent(data: Data) -> float:
    counts = sorted(data.count(value) for value in (1, 2, 3))
    return counts[2] - 2 * counts[1] + counts[0]


NUMBERS = [
    (REPLACE, "sort(x)[2]", lambda d: sorted(d)[1]),
    (REPLACE, "sort(x)[3] - sort(x)[1]", lambda d: sorted(d)[2] - sorted(d)[0]),
    (REPLACE, "sort(x)[ceil(length(x) / 2)]", lambda d: sorted(d)[math.ceil(len(d) / 2) - 1]),
    (RESIZE, "sort(x)[ceil(3 / 4 * length(x))]", lambda d: sorted(d)[math.ceil(0.75 * len(d)) - 1]),
    (RESIZE, "sort(x)[2]", lambda d: sorted(d)[1]),
    (RESIZE, "mean(x)", lambda d: sum(d) / len(d)),
    (TWO, "mean(x)", lambda d: sum(d) / len(d)),
    (TWO, "mean(2 * x[i] + 5 for i in records)", lambda d: 2 * sum(d) / len(d) + 5),
    (RESIZE, "max(x) - 1", lambda d: max(d) - 1),
    (TWO, "min(x[i] for i in records)", min),
]
COUNTS = "sort([count(x[i] == c for i in records) for c in 1..3])"


@pytest.mark.parametrize(("adjacency", "statistic", "function"), NUMBERS)
def test_numbers_of_records(adjacency: str, statistic: str, function: Callable[[Data], float]) -> None:
    """On 0..2 the datasets are few, and the bound is what some pair of them attains."""
    for domain in ("0..2", "[0, 2]"):
        assert derived(domain, 4, adjacency, statistic) == pytest.approx(seen((0, 1, 2), 4, adjacency, function))


@pytest.mark.parametrize(
    ("adjacency", "statistic", "function", "bound"),
    [
        (REPLACE, f"{COUNTS}[3] - {COUNTS}[2]", gap, 2),
        (RESIZE, f"{COUNTS}[3] - {COUNTS}[2]", gap, 1),
        (REPLACE, f"{COUNTS}[3] - 2 * {COUNTS}[2] + {COUNTS}[1]", bent, math.sqrt(12)),  # by l2; 3 is seen
        (RESIZE, f"{COUNTS}[3] - 2 * {COUNTS}[2] + {COUNTS}[1]", bent, 2),
    ],
)
def test_gaps_of_counts(adjacency: str, statistic: str, function: Callable[[Data], float], bound: float) -> None:
    assert derived("1..3", 5, adjacency, statistic) == pytest.approx(bound, rel=1e-12)
    observed = seen((1, 2, 3), 5, adjacency, function)
    assert bound * 0.75 <= observed <= bound


def test_what_cannot_be_bounded() -> None:
    """A position that may not be there, a mean of no record, a mean of records that fulfil a condition."""
    for size, statistic in ((4, "sort(x)[4]"), (1, "mean(x)"), (4, "mean(x[i] for i in records where x[i] > 0)")):
        assert derived("0..2", size, RESIZE, statistic) == math.inf
    assert derived("0..2", 4, RESIZE, "sort(x)[ceil(5 / 4 * length(x))]") == math.inf


def test_weighted_elements_by_hoelder() -> None:
    """Random moves with random weights; the first bound is attained by a move along the weights."""
    random = Random(1)
    facts = facts_of(program("stream x in [0, 1]\nstop when step >= 1"))
    for _ in range(300):
        move, weights = ([random.randint(-3, 3) for _ in range(4)] for _ in range(2))
        if random.random() < 0.5:
            weights[0] -= sum(weights)
        norms = Norms(
            number(sum(map(abs, move))),
            root(number(sum(d * d for d in move))),
            number(max(map(abs, move))),
            number(max(move) - min(move)),
        )
        bound = weighted(facts, norms, [number(w) for w in weights])
        assert bound is not None
        assert abs(sum(c * d for c, d in zip(weights, move, strict=True))) <= enclose(bound, {}).high + 1e-12
    l2_only = Norms(None, number(5), None, None)
    found = weighted(facts, l2_only, [number(3), number(4)])
    assert found is not None
    assert enclose(found, {}).high == pytest.approx(25)


def test_sorting_moves_no_norm() -> None:
    """Sorted lists of random lists differ by no more in l1, l2, linf, nor by more apart."""
    random = Random(2)
    for _ in range(500):
        a, d = ([random.randint(-4, 4) for _ in range(5)] for _ in range(2))
        b = [x + y for x, y in zip(a, d, strict=True)]
        moved = [y - x for x, y in zip(sorted(a), sorted(b), strict=True)]
        assert sum(map(abs, moved)) <= sum(map(abs, d))
        assert math.hypot(*moved) <= math.hypot(*d) + 1e-12
        assert min(d) <= min(moved) <= max(moved) <= max(d)


def test_a_list_of_constants_is_sorted() -> None:
    result = driver.check(driver.load(Source("constant.seq", (
        "algorithm constant\nparam a = 3\nstream x in [0, 1]\nstatistic s = sort([4, a, 9])[2] * x\nreport r = s\n"
        "attach laplace(4) to s\nstop when step >= 1\nclaim strong pure(1)\n"
    ))))  # fmt: skip
    assert result.ok


MEDIAN = "dataset x in [0, 1] size 5\nstatistic s = sort(x)[3]\nstop return s\nattach laplace(1) to s"
GAP = (
    f"dataset x in 1..3 size 5\nstatistic c = {COUNTS}\nstatistic s = c[3] - c[2]\nstop return s\n"
    "attach laplace(1) to s"
)
MEAN = (
    "dataset x in [0, 1] size 5\nadjacent add or remove one\nstatistic s = mean(x)\nstop return s\n"
    "attach laplace(1) to s"
)


@pytest.mark.parametrize("fault", ["sort", "weighted", "mean"])
def test_wrong_rules_are_noticed(fault: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Half of each bound is contradicted by what neighbouring datasets are seen to do."""
    monkeypatch.chdir(tmp_path)
    body = {"sort": MEDIAN, "weighted": GAP, "mean": MEAN}[fault]
    driver.check(driver.load(Source("right.seq", f"algorithm right\n{body}\n")))
    if fault == "sort":
        half = number(1) / 2
        right = courses._sort
        monkeypatch.setitem(
            courses.TRANSFERS,
            "sort",
            lambda entry, part, moved: scaled(entry.facts, right(entry, part, moved), half),
        )
    elif fault == "weighted":
        monkeypatch.setattr(motion_of, "weighted", lambda facts, norms, weights: number(1))
    else:
        from seqlang.rules.sensitivity.motion import records

        monkeypatch.setattr(records, "records_in", lambda facts, domain: number(50))
    with pytest.raises(Contradicted):
        driver.check(driver.load(Source("wrong.seq", f"algorithm wrong\n{body}\n")))
