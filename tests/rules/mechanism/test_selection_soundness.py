"""Proved bounds of selections from counts, never below the truth on all datasets of two or three records."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product
from math import exp, inf, log

import pytest
from elaborated import elaborated
from thorough import several

from seqlang.analyses.prove import prove, size_of

Row = tuple[int, ...]
Score = Callable[[Row], int]


def bound(*lines: str) -> float:
    made = elaborated("\n".join(("algorithm t", *lines)))
    proved = prove(made).pure
    return inf if proved is None else size_of(made, proved)


def datasets(adjacency: str) -> list[tuple[Row, Row]]:
    """Neighbours: up to three records in {0, 1, 2}, order kept."""
    pairs = []
    for size in (2, 3):
        for rows in product(range(3), repeat=size):
            if adjacency == "replace":
                pairs += [(rows, (*rows[:i], v, *rows[i + 1 :])) for i in range(size) for v in range(3) if v != rows[i]]
            else:
                pairs += [p for i in range(size) for p in ((rows, (*rows[:i], *rows[i + 1 :])),)]
                pairs += [p for i in range(size) for p in (((*rows[:i], *rows[i + 1 :]), rows),)]
    return pairs


def _score(w: int, test: Callable[[int], bool], shape: int) -> Score:
    def value(rows: Row) -> int:
        n = sum(test(v) for v in rows)
        return (w * n, abs(n - 1), min(n, 1) * w)[shape]

    return value


def scores(random_: random.Random) -> tuple[str, list[Score], int]:
    """A list of scores as text, and as functions of a dataset; how many there are."""
    items: list[str] = []
    functions: list[Score] = []
    for _ in range(random_.randint(2, 4)):
        c, w, kind = random_.randint(0, 2), random_.choice([1, 1, 2, -1]), random_.randrange(4)
        text = ["x[i] == {}", "x[i] <= {}", "x[i] >= {}", "x[i] != {}"][kind].format(c)
        tests: list[Callable[[int], bool]] = [c.__eq__, c.__ge__, c.__le__, c.__ne__]  # v == c, v <= c, v >= c, v != c
        shape = random_.randrange(3)
        count = f"count({text} for i in records)"
        items.append([f"{w} * {count}", f"abs({count} - 1)", f"min({count}, 1) * {w}"][shape])

        functions.append(_score(w, tests[kind], shape))
    return ", ".join(items), functions, len(items)


@pytest.mark.parametrize("seed", range(several(3, 40)))
def test_the_exponential_mechanism(seed: int) -> None:
    random_ = random.Random(seed)
    text, functions, k = scores(random_)
    adjacency = random_.choice(["replace", "resize"])
    lines = ["dataset x in 0..2 size 3", f"statistic h = [{text}]", f"draw r ~ {{j: exp(h[j] / 2) for j in 1..{k}}}"]
    lines += ["stop return r"] + ["adjacent add or remove one"] * (adjacency == "resize")
    worst = 0.0
    for a, b in datasets(adjacency):
        p, q = ([exp(f(rows) / 2) for f in functions] for rows in (a, b))
        worst = max(worst, *(log(u / sum(p)) - log(v / sum(q)) for u, v in zip(p, q, strict=True)))
    assert worst <= bound(*lines) + 1e-9


RATIO = 0.5
POINTS = range(-40, 41)
LAW = [(1 - RATIO) / (1 + RATIO) * RATIO ** abs(z) for z in POINTS]
BELOW = [sum(LAW[: i + 1]) for i in range(len(LAW))]


def below(z: int) -> float:
    return 0.0 if z < -40 else 1.0 if z > 40 else BELOW[z + 40]


def positions(values: list[int]) -> list[float]:
    """The law of the first largest of values + two-sided geometric noise."""
    chances = []
    for i, own in enumerate(values):
        total = 0.0
        for z, p in zip(POINTS, LAW, strict=True):
            y = own + z
            for j, other in enumerate(values):
                if j != i:
                    p *= below(y - other - (j < i))
            total += p
        chances.append(total)
    return chances


@pytest.mark.parametrize("seed", range(15))
def test_noisy_maxima_with_ties(seed: int) -> None:
    random_ = random.Random(1000 + seed)
    text, functions, _ = scores(random_)
    adjacency = random_.choice(["replace", "resize"])
    lines = ["dataset x in 0..2 size 3", f"statistic h = [{text}]", "stop return argmax(h)"]
    lines += [f"attach geometric({RATIO}) to h"] + ["adjacent add or remove one"] * (adjacency == "resize")
    laws: dict[tuple[int, ...], list[float]] = {}
    worst = 0.0
    for a, b in datasets(adjacency):
        keys = [tuple(f(rows) for f in functions) for rows in (a, b)]
        for key in keys:
            laws.setdefault(key, positions(list(key)))
        worst = max(worst, *(log(u / v) for u, v in zip(laws[keys[0]], laws[keys[1]], strict=True)))
    assert worst <= bound(*lines) + 1e-6


@pytest.mark.parametrize("seed", range(20))
def test_lists_of_scores_with_noise(seed: int) -> None:
    """Independent two-sided geometric noise: the loss is the l1 distance times log(1 / ratio), no more and no less."""
    random_ = random.Random(2000 + seed)
    text, functions, _ = scores(random_)
    adjacency = random_.choice(["replace", "resize"])
    lines = ["dataset x in 0..2 size 3", f"statistic h = [{text}]", "stop return h"]
    lines += [f"attach geometric({RATIO}) to h"] + ["adjacent add or remove one"] * (adjacency == "resize")
    worst = max(sum(abs(f(a) - f(b)) for f in functions) for a, b in datasets(adjacency))
    assert worst * log(1 / RATIO) <= bound(*lines) + 1e-9
