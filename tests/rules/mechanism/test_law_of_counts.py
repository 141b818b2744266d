"""Choices by explicit weights that counts decide: the bound is the largest log ratio of the listed laws."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import exp, inf, log

import pytest
from elaborated import elaborated

from seqlang.analyses.prove import prove, size_of

RULE = "mechanism/law_of_counts"


def pure(*lines: str) -> tuple[float, str]:
    """The bound, and its rule."""
    made = elaborated("\n".join(("algorithm t", *lines)))
    proof = prove(made).pure
    return (inf, "") if proof is None else (size_of(made, proof), proof.rule)


def flips(u: tuple[int, ...]) -> list[float]:
    """Permute and flip (McKenna & Sheldon 2020, Algorithm 1) at epsilon 1, over all orders of the candidates."""
    accepted = [exp((x - max(u)) / 2) for x in u]
    if len(u) == 2:
        return [accepted[i] * (1 - accepted[1 - i] / 2) for i in (0, 1)]
    p, q, r = accepted
    return [a * (1 - (b + c) / 2 + b * c / 3) for a, b, c in ((p, q, r), (q, p, r), (r, p, q))]


def largest(weights: Callable[[tuple[int, ...]], list[float]], k: int, n: int) -> float:
    """Over all counts up to n, one of which falls by 1 while another rises, as one replaced record moves them."""

    def law(counts: tuple[int, ...]) -> list[float]:
        w = weights(counts)
        return [x / sum(w) for x in w]

    worst = 0.0
    for counts in product(range(n + 1), repeat=k):
        for i, j in product(range(k), repeat=2):
            moved = list(counts)
            moved[i] -= 1
            moved[j] += 1
            if min(moved) >= 0 and max(moved) <= n:
                pairs = zip(law(counts), law(tuple(moved)), strict=True)
                worst = max(worst, *(abs(log(a / b)) for a, b in pairs))
    return worst


def counted(k: int, n: int, near: str, weights: str) -> tuple[str, ...]:
    counts = tuple(f"statistic {c} = count(x[i] == {v} for i in records)" for v, c in enumerate("abc"[:k], 1))
    return (f"dataset x in 1..{k} size {n}", f"adjacent {near} one", *counts, f"draw r ~ {weights}", "stop return r")


TWO = "statistic p = exp((a - max(a, b)) / 2)", "statistic q = exp((b - max(a, b)) / 2)"
FLIPS_OF_TWO = "{1: p * (1 - q / 2), 2: q * (1 - p / 2)}"


def test_permute_and_flip_of_two() -> None:
    """Exactly epsilon."""
    head = counted(2, 6, "replace", FLIPS_OF_TWO)
    assert pure(*head[:-2], *TWO, *head[-2:]) == (1, RULE)
    assert largest(flips, 2, 6) == pytest.approx(1)


def test_permute_and_flip_of_three() -> None:
    names = [f"statistic {p} = exp(({c} - max(a, b, c)) / 2)" for p, c in zip("pqs", "abc", strict=True)]
    weights = ", ".join(
        f"{i}: {x} * (1 - ({y} + {z}) / 2 + {y} * {z} / 3)" for i, (x, y, z) in enumerate(("pqs", "qps", "spq"), 1)
    )
    head = counted(3, 3, "replace", f"{{{weights}}}")
    found, rule = pure(*head[:-2], *names, *head[-2:])
    assert rule == RULE
    assert found == pytest.approx(largest(flips, 3, 3), rel=1e-9)


@pytest.mark.parametrize(
    ("weights", "meant"),
    [
        ("{1: 1 + a, 2: 1 + b}", lambda u: [1 + u[0], 1 + u[1]]),
        ("{1: exp(a / 2) + 1, 2: exp(b / 2) + 1}", lambda u: [exp(u[0] / 2) + 1, exp(u[1] / 2) + 1]),
        ("{1: if a > b then 2 else 1, 2: 1}", lambda u: [2 if u[0] > u[1] else 1, 1]),
        ("{v: 1 + abs(v - a) for v in 1..3}", lambda u: [1 + abs(v - u[0]) for v in (1, 2, 3)]),
    ],
)
def test_other_weights(weights: str, meant: Callable[[tuple[int, ...]], list[float]]) -> None:
    found, rule = pure(*counted(2, 5, "replace", weights))
    assert rule == RULE
    assert found == pytest.approx(largest(meant, 2, 5), rel=1e-9)


def test_more_showings_and_more_entries() -> None:
    head = counted(2, 5, "replace", "{1: 1 + a, 2: 1 + b}")
    shown = (*head[:-1], "report s = r", "stop when step >= 3")
    assert pure(*shown)[0] == pytest.approx(3 * log(2))
    several = tuple("adjacent replace 2" if line.startswith("adjacent") else line for line in head)
    assert pure(*several)[0] == pytest.approx(2 * log(2))


@pytest.mark.parametrize(
    "lines",
    [
        # no whole numbers, or no ends
        ("dataset x in [0, 1] size 5", "statistic a = sum(x)", "draw r ~ {1: 1 + a, 2: 1}", "stop return r"),
        ("stream x in {0, 1}", "statistic a = sum(x over steps)", "draw r ~ {1: 1 + a, 2: 1}", "report s = r",
         "stop when step >= 3 and a > 9"),
        # any number of records
        (*counted(2, 5, "add or remove", "{1: 1 + a, 2: 1 + b}"),),
        # noise, or what was shown, decides as well
        ("dataset x in {0, 1} size 5", "statistic a = sum(x)", "attach geometric(1/2) to a",
         "draw r ~ {1: 1 + abs(a), 2: 1}", "stop return r"),
        ("dataset x in {0, 1} size 5", "memory w = 0", "statistic a = sum(x)", "draw r ~ {1: 1 + a * abs(w), 2: 1}",
         "report s = r", "update w = s", "stop when step >= 3"),
        # a value that some counts do not allow
        (*counted(2, 5, "replace", "{1: 1 + a, 2: b}"),),
        # which values there are depends on the data
        (*counted(2, 5, "replace", "{a: 1 + a, -1: 2}"),),
    ],
)  # fmt: skip
def test_no_such_law(lines: tuple[str, ...]) -> None:
    assert pure(*lines)[1] != RULE


@pytest.mark.parametrize(
    "weight", ["exp(u[v] - max(u))", "exp(2 * (u[v] - a) / 2)", "exp(u[v]) / sum(exp(u[k]) for k in 1..2)",
               "sqrt(1 + a) * exp(u[v])", "exp(-(a - u[v]))"]
)  # fmt: skip
def test_what_all_weights_share_cancels(weight: str) -> None:
    """The exponential mechanism with other normalisers: 2 for scores that move by 1 each."""
    head = counted(2, 90, "replace", f"{{v: {weight} for v in 1..2}}")
    found, rule = pure(*head[:-2], "statistic u = [a, b]", *head[-2:])
    assert (rule, found) == ("mechanism/exponential_mechanism", pytest.approx(2))


def test_what_weights_do_not_share_does_not_cancel() -> None:
    head = counted(2, 90, "replace", "{v: exp(u[v] - v * a) for v in 1..2}")
    assert pure(*head[:-2], "statistic u = [a, b]", *head[-2:])[0] >= 3
