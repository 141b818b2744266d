"""Randomised answers about one finite entry: closed forms of the literature, and random laws by brute force."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import permutations
from math import exp, inf, log

import pytest
from elaborated import elaborated
from thorough import several

from seqlang.analyses.prove import prove, size_of


def bounds(*lines: str) -> tuple[float, float]:
    """(pure, zcdp)."""
    made = elaborated("\n".join(("algorithm t", *lines)))
    proved = prove(made)
    return tuple(inf if b is None else size_of(made, b) for b in (proved.pure, proved.zcdp))


FOUR = "stream x in {1, 2, 3, 4}"
BIT = "stream x in {0, 1}"
SHOW = "report r = y"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        # k-ary response, as weights (Kairouz, Oh & Viswanath 2016)
        ((FOUR, "draw y ~ {v: if x == v then exp(1) else 1 for v in 1..4}", SHOW), 1),
        ((FOUR, "draw y ~ {v: exp(if x == v then 1 else 0) for v in 1..4}", SHOW), 1),
        # optimised and symmetric unary encoding (Wang, Blocki, Li & Jha 2017)
        ((FOUR, "draw y ~ bernoulli([if x == k then 1 / 2 else 1 / (1 + exp(1)) for k in 1..4])", SHOW), 1),
        ((FOUR, "let t = 1 / (1 + exp(1))", "draw y ~ bernoulli([if x == k then 1 - t else t for k in 1..4])",
          SHOW), 2),
        # Warner's two coins
        (
            ("stream x in {0, 1}", "draw a ~ bernoulli(1 / 2)", "draw b ~ bernoulli(1 / 2)",
             "report r = if a == 1 then x else b"),
            log(3),
        ),
        # a threshold of a real number decides the coin
        (("stream x in [0, 1]", "draw y ~ bernoulli(if x >= 0.3 then 0.75 else 0.25)", SHOW), log(3)),
        # neighbours that are close: one step on a line of four
        ((FOUR, "adjacent one x within 1", "draw y ~ {v: exp(-abs(x - v)) for v in 1..4}", SHOW), None),
        # two entries
        ((FOUR, "adjacent replace 2", "draw y ~ {v: if x == v then exp(1) else 1 for v in 1..4}", SHOW), 2),
        # one record of a dataset, answered three times
        (("dataset x in {0, 1} size 5", "draw y ~ bernoulli(if x[2] == 1 then 0.75 else 0.25)", SHOW,
          "stop when step >= 3"), 3 * log(3)),
        # a public input decides, too
        ((BIT, "public u in {0, 1}", "draw y ~ bernoulli(if x == u then 0.75 else 0.25)", SHOW), log(3)),
    ],
)  # fmt: skip
def test_costs(lines: tuple[str, ...], expected: float | None) -> None:
    if expected is None:
        chances = {x: [exp(-abs(x - v)) for v in range(1, 5)] for x in range(1, 5)}
        laws = {x: [c / sum(row) for c in row] for x, row in chances.items()}
        expected = max(
            log(p / q) for a in laws for b in (a - 1, a + 1) if b in laws for p, q in zip(laws[a], laws[b], strict=True)
        )
    assert bounds(*lines)[0] == pytest.approx(expected)


@pytest.mark.parametrize(
    "lines",
    [
        # what is possible for one entry only
        (FOUR, "draw y ~ {v: 1 for v in 1..x}", SHOW),
        (FOUR, "draw y ~ bernoulli(if x == 1 then 0 else 0.5)", SHOW),
        # the coin is shown elsewhere, or tossed once for all steps
        ("stream x in {0, 1}", "draw a ~ bernoulli(1 / 2)", "report r = if a == 1 then x else 0", "report s = a"),
        ("stream x in {0, 1}", "draw a ~ bernoulli(1 / 2) once", "report r = if a == 1 then x else 1 - x"),
        # state
        ("stream x in {0, 1}", "draw y ~ bernoulli(if sum(x over steps) >= 3 then 0.75 else 0.25)", SHOW),
        # the coin decides nothing where it says so
        (
            "stream x in {0, 1}",
            "draw a ~ bernoulli(1)",
            "draw b ~ bernoulli(1 / 2)",
            "report r = if a == 1 then x else b",
        ),
    ],
)
def test_no_bound(lines: tuple[str, ...]) -> None:
    assert bounds(*lines)[0] == inf


@pytest.mark.parametrize("seed", range(several(8, 20)))
def test_exact_on_random_laws(seed: int) -> None:
    """A table of weights, entry by answer; and coins that decide what is shown of it."""
    random_ = random.Random(seed)
    entries, answers = random_.randint(2, 4), random_.randint(2, 4)
    weights = [[random_.randint(1, 9) for _ in range(answers)] for _ in range(entries)]
    laws = [[Fraction(w, sum(row)) for w in row] for row in weights]
    pairs = ", ".join(f"{v}: {_by_entry([row[v] for row in weights])}" for v in range(answers))
    domain = "{" + ", ".join(map(str, range(entries))) + "}"
    truth = max(float(p / q) for a, b in permutations(laws, 2) for p, q in zip(a, b, strict=True))
    assert bounds(f"stream x in {domain}", f"draw y ~ {{{pairs}}}", SHOW)[0] == pytest.approx(log(truth))
    # the same law by hand-made coins: with chance p the answer x, else a constant law
    p = Fraction(random_.randint(1, 9), 10)
    cs = [random_.randint(0, entries - 1) for _ in range(2)]
    flat = [(1 - p) * Fraction(sum(c == v for c in cs), 2) for v in range(entries)]
    rows = [[flat[v] + (p if v == x else 0) for v in range(entries)] for x in range(entries)]
    found = bounds(
        f"stream x in {domain}", f"draw a ~ bernoulli({float(p)})", "draw b ~ bernoulli(1 / 2)",
        f"report r = if a == 1 then x else if b == 1 then {cs[0]} else {cs[1]}",
    )  # fmt: skip
    ratios = [(u, v) for a, b in permutations(rows, 2) for u, v in zip(a, b, strict=True) if u]
    wanted = inf if any(not v for _, v in ratios) else max(log(u / v) for u, v in ratios)
    assert found[0] == (inf if wanted == inf else pytest.approx(wanted))


def _by_entry(values: list[int]) -> str:
    text = str(values[-1])
    for x in reversed(range(len(values) - 1)):
        text = f"if x == {x} then {values[x]} else {text}"
    return text


def test_lists_of_flips() -> None:
    """One-time RAPPOR (Erlingsson, Pihur & Korolova 2014): two bits change, 2 log((1 - f/2) / (f/2))."""
    one = "attach randomized_response(0.75) to bits"
    assert bounds(FOUR, "statistic bits = [x == k for k in 1..4]", one, "report r = bits")[0] == pytest.approx(
        2 * log(3)
    )
    numbers = "statistic bits = [if x == k then 1 else 0 for k in 1..4]"
    assert bounds(FOUR, numbers, one, "report r = bits")[0] == pytest.approx(2 * log(3))
    # cumulative: three of four may change
    assert bounds(FOUR, "statistic bits = [x <= k for k in 1..4]", one, "report r = bits")[0] == pytest.approx(
        3 * log(3)
    )
    # letters 0 and 2: a move of 2 in l1 is one change
    wide = "statistic bits = [if x <= k then 2 else 0 for k in 1..4]"
    assert bounds(FOUR, wide, one, "report r = bits")[0] == pytest.approx(3 * log(3))


def test_hashing_by_public_randomness() -> None:
    """Local hashing (Bassily & Smith 2015): the answer is a response on g = 2 hash values, whatever the domain."""
    lines = ("stream x in 0..15", "public seed in 0..15", "statistic h = (3 * x + seed) % 2",
             "attach randomized_response(0.75) to h", "report r = h")  # fmt: skip
    assert bounds(*lines)[0] == pytest.approx(log(3))
