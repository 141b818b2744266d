"""Lists of sums over the same entries: norms by hand, and by brute force over small records."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import permutations, product
from math import inf, sqrt

import pytest
from elaborated import elaborated
from thorough import several

from seqlang.arithmetic.formula import enclose
from seqlang.model.expression import Local
from seqlang.model.program import Program
from seqlang.rules.gates.radius import apart
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.rules.sensitivity.motion.shifts import shift_of

Norms = tuple[float, float, float]


def program(*lines: str) -> Program:
    return elaborated("\n".join(("algorithm t", *lines, "stop return 0")))


def norms(made: Program) -> Norms:
    """l1, l2 and linf of `h`."""
    values = parameter_values(made)
    found = (shift_of(made, Local("h"), norm=norm).radius for norm in ("l1", "l2", "linf"))
    l1, l2, linf = (inf if f.is_infinite else enclose(f, values).high for f in found)
    return l1, l2, linf


def distance(made: Program) -> float:
    found = apart(made, Local("h"))
    assert not isinstance(found, str), found
    return enclose(found[0], parameter_values(made)).high


DATA = "dataset x in {1, 2, 3, 4} size 50"
REAL = "dataset x in [0, 10] size 50"
NUMBERS = "dataset q in real size 5"
EITHER = "adjacent add or remove one"
COUNTS = "statistic h = [count(x[i] == k for i in records) for k in 1..4]"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        # a record leaves one cell and enters another; or is there or not
        ((DATA, COUNTS), (2, sqrt(2), 1)),
        ((DATA, EITHER, COUNTS), (1, 1, 1)),
        ((DATA, "adjacent replace 3", COUNTS), (6, 3 * sqrt(2), 3)),
        ((DATA, "statistic h = [sum(1 for i in records where x[i] == k) for k in 1..4]"), (2, sqrt(2), 1)),
        ((DATA, "statistic h = [count(x[i] == 1 for i in records), sum(1 for i in records where x[i] == 2)]"),
         (2, sqrt(2), 1)),
        # weights
        ((DATA, "statistic h = [sum(x[i] for i in records where x[i] == k) for k in 1..4]"), (7, 5, 4)),
        # cumulative counts: a record that moves from 4 to 1 is in three more of them
        ((DATA, "statistic h = [count(x[i] <= k for i in records) for k in 1..3]"), (3, sqrt(3), 1)),
        ((DATA, EITHER, "statistic h = [count(x[i] <= k for i in records) for k in 1..3]"), (3, sqrt(3), 1)),
        # bins of real numbers, by comparisons and by rounding
        ((REAL, "statistic h = [count(x[i] >= k and x[i] < k + 1 for i in records) for k in 0..9]"), (2, sqrt(2), 1)),
        ((REAL, "statistic h = [count(floor(x[i]) == k for i in records) for k in 0..9]"), (2, sqrt(2), 1)),
        ((REAL, "statistic h = [count(floor(2 * x[i] + 1) == k for i in records) for k in 1..5]"), (2, sqrt(2), 1)),
        # bins that overlap: a record is in two of them, another in two others
        ((REAL, "statistic h = [count(x[i] >= k and x[i] <= k + 2 for i in records) for k in 0..8]"), (6, sqrt(6), 1)),
        # a scaled list, and one value put twice
        ((DATA, COUNTS.replace("h =", "g ="), "statistic h = [g[k] / 2 for k in 1..4]"), (1, sqrt(2) / 2, 0.5)),
        ((DATA, "statistic h = [sum(x) for k in 1..5]"), (15, 3 * sqrt(5), 3)),
        # unbounded numbers have no bins that could be listed, but at most one test is true
        (("dataset x in real size 50", "statistic h = [count(floor(x[i]) == k for i in records) for k in 0..9]"),
         (2, sqrt(2), 1)),
        # two fields
        (("dataset x in {1, 2, 3, 4}, y in {0, 1} size 50",
          "statistic h = [count(x[i] == k and y[i] == 1 for i in records) for k in 1..4]"), (2, sqrt(2), 1)),
    ],
)  # fmt: skip
def test_norms(lines: tuple[str, ...], expected: Norms) -> None:
    assert norms(program(*lines)) == pytest.approx(expected)


def test_streams() -> None:
    stream = "stream x in {1, 2, 3}"
    assert norms(program(stream, "statistic h = [count(x == k over steps) for k in 1..3]")) == pytest.approx(
        (2, sqrt(2), 1)
    )
    assert norms(program(stream, "statistic h = [if x == k then 1 else 0 for k in 1..3]")) == pytest.approx(
        (2, sqrt(2), 1)
    )
    # windows of different lengths are no sum of lists: an entry may have left the shorter one
    windows = program(stream, "statistic h = [sum(x over last k) for k in 1..3]")
    assert distance(windows) == pytest.approx(2)
    assert distance(program(stream, "statistic h = [sum(x over steps) for k in 1..3]")) == pytest.approx(0)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ((DATA, COUNTS), 2),
        ((DATA, EITHER, COUNTS), 1),
        # cumulative counts move together
        ((DATA, "statistic h = [count(x[i] <= k for i in records) for k in 1..3]"), 1),
        ((DATA, "statistic h = [sum(x) for k in 1..3]"), 0),
        ((DATA, "statistic h = [-abs(count(x[i] <= k for i in records) - 25) for k in 1..3]"), 2),
        (("dataset q in real size 5", "adjacent every q within 1", "statistic h = [q[i] / 2 for i in records]"), 1),
        (
            (NUMBERS, "adjacent every q within 1 same direction", "statistic h = [q[i] for i in records]"),
            1,
        ),
        (
            (NUMBERS, "adjacent every q within 1 same direction", "statistic h = [-2 * q[i] for i in records]"),
            2,
        ),
        # a direction that depends on the record
        (
            (NUMBERS, "adjacent every q within 1 same direction", "statistic h = [abs(q[i]) for i in records]"),
            2,
        ),
    ],
)  # fmt: skip
def test_how_far_two_coordinates_move_apart(lines: tuple[str, ...], expected: float) -> None:
    assert distance(program(*lines)) == pytest.approx(expected)


def test_what_depends_on_other_records_is_not_a_sum_of_lists() -> None:
    made = program(DATA, "statistic h = [count(x[i] == x[j] for i in records) for j in records]")
    assert norms(made)[0] == inf
    nested = program(DATA, "statistic h = [count(x[i] >= mean(x) + k for i in records) for k in 1..3]")
    assert norms(nested)[0] == inf


def exact(table: dict[int, tuple[Fraction, ...]], resized: bool) -> tuple[float, float, float, float]:
    """Norms of the list for one record, by trying all pairs."""
    if resized:
        moves = list(table.values())
    else:
        moves = [tuple(b - a for a, b in zip(table[u], table[v], strict=True)) for u, v in permutations(table, 2)]
    return (
        float(max(sum(abs(d) for d in move) for move in moves)),
        max(sqrt(sum(d * d for d in move)) for move in moves),
        float(max(max(abs(d) for d in move) for move in moves)),
        float(max(max(move) - min(move) for move in moves)),
    )


@pytest.mark.parametrize("seed", range(several(12, 30)))
def test_never_below_the_truth_and_exact_for_small_tables(seed: int) -> None:
    """Random lists of sums of random functions of a record in {0, 1, 2, 3}, by enumeration."""
    random_ = random.Random(seed)
    tests = ["x[i] <= {}", "x[i] == {}", "x[i] >= {} or x[i] == 0", "x[i] % 2 == {}"]
    evaluated = [
        lambda x, c: x <= c, lambda x, c: x == c, lambda x, c: x >= c or x == 0, lambda x, c: x % 2 == c
    ]  # fmt: skip
    items, rows = [], []
    for _ in range(random_.randint(2, 4)):
        kind, c, w = random_.randrange(4), random_.randint(0, 3), random_.choice([-2, -1, 1, 3])
        items.append(f"{w} * sum(x[i] + 1 for i in records where {tests[kind].format(c)})")
        rows.append(lambda x, k=kind, c=c, w=w: Fraction(w * (x + 1)) if evaluated[k](x, c) else Fraction(0))
    resized = bool(random_.randrange(2))
    adjacency = (EITHER,) if resized else ()
    made = program("dataset x in 0..3 size 9", *adjacency, f"statistic h = [{', '.join(items)}]")
    l1, l2, linf, away = exact({x: tuple(row(x) for row in rows) for x in range(4)}, resized)
    assert norms(made) == pytest.approx((l1, l2, linf))
    assert distance(made) == pytest.approx(away)


def test_pieces_cover_every_value() -> None:
    """Comparisons of a real field at random places, against a fine grid of its values."""
    random_ = random.Random(5)
    for _ in range(several(4, 10)):
        cuts = [Fraction(random_.randint(0, 40), 4) for _ in range(4)]
        signs = [random_.choice([">=", "<", ">", "<="]) for _ in cuts]
        items = [f"sum(1 for i in records where x[i] {s} {float(c)})" for s, c in zip(signs, cuts, strict=True)]
        made = program(REAL, f"statistic h = [{', '.join(items)}]")
        compare = {
            ">=": lambda a, b: a >= b,
            "<": lambda a, b: a < b,
            ">": lambda a, b: a > b,
            "<=": lambda a, b: a <= b,
        }
        grid = {
            j: tuple(Fraction(compare[s](Fraction(j, 8), c)) for s, c in zip(signs, cuts, strict=True))
            for j in range(81)
        }
        l1, l2, linf, away = exact(grid, False)
        assert norms(made) == pytest.approx((l1, l2, linf))
        assert distance(made) == pytest.approx(away)


def test_products_of_fields_by_enumeration() -> None:
    """Two finite fields, jointly: a record may change both."""
    made = program(
        "dataset x in {0, 1}, y in {0, 1} size 5",
        "statistic h = [sum(x), sum(x[i] * y[i] for i in records), count(x[i] == y[i] for i in records)]",
    )  # fmt: skip
    table = {j: (Fraction(x), Fraction(x * y), Fraction(x == y)) for j, (x, y) in enumerate(product((0, 1), repeat=2))}
    l1, l2, linf, _ = exact(table, False)
    assert norms(made) == pytest.approx((l1, l2, linf))
