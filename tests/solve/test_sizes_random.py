"""Sums, means, windows and what is computed of them, of numbers of any sizes, against all streams in exact numbers.

The bar often is one of the sums itself: ties are ties. Where no law is given the reason is the sizes.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from thorough import several

from seqlang import driver
from seqlang.diagnostics import SpecError
from seqlang.source import Source

CHANCES = (Fraction(3, 10), Fraction(1, 2), Fraction(1, 5))
TOO_NEAR = (
    "very different sizes",
    "this is not decided",
    "exact arithmetic has to tell them apart",
    "do not know well",
)
STEPS = 5
Terms = Sequence[Fraction]


def number(rng: random.Random) -> Fraction:
    size = Fraction(rng.choice(["1", "2", "3", "7", "0.1", "0.3", "0.7", "0.25", "1.5"]))
    return size * Fraction(10) ** rng.choice([0, 0, 0, 0, -6, 6, 3, -3, 9, -9, 12]) * rng.choice([1, 1, -1])


def written(x: Fraction) -> str:
    digits = next(k for k in range(60) if (x * 10**k).denominator == 1)
    whole = str(abs(int(x * 10**digits))).rjust(digits + 1, "0")
    point = f"{whole[:-digits]}.{whole[-digits:]}" if digits else whole
    return f"-{point}" if x < 0 else point


def exactly(x: Fraction) -> Any:
    return mpmath.mpf(x.numerator) / x.denominator


KINDS: dict[str, tuple[str, Callable[[Terms, Terms], Any]]] = {
    "sum": ("sum(TERM over steps)", lambda past, _: sum(past)),
    "window": ("sum(TERM over last 2)", lambda past, _: sum(past[-2:])),
    "mean": ("mean(TERM over steps)", lambda past, _: Fraction(sum(past)) / len(past)),
    "best": (
        "max(sum(TERM over last k) for k in 1..3)",
        lambda past, _: max(sum(past[-k:]) for k in (1, 2, 3)),
    ),
    "difference": (
        "sum(TERM over steps) - sum(SECOND over steps)",
        lambda past, terms: sum(past) - terms[1] * len(past),
    ),
    "exponential": ("exp(sum(TERM over steps))", lambda past, _: mpmath.exp(exactly(sum(past, Fraction(0))))),
    "logarithm": (
        "log(sum(TERM over steps) / (FIRST + SECOND))",
        lambda past, terms: mpmath.log(exactly(sum(past, Fraction(0)) / (terms[0] + terms[1]))),
    ),
}


def drawn(kind: str, rng: random.Random) -> tuple[list[Fraction], Fraction]:
    """What the entries add, and the bar."""
    terms = [number(rng) for _ in range(3)]
    if rng.random() < 0.5:
        base = number(rng)
        terms = [base * rng.choice([0, 1, 2, 3, -1, -2]) for _ in range(3)]
    if kind == "logarithm":
        return [abs(t) + Fraction(1, 1000) for t in terms], Fraction(rng.choice([0, 1, -1]))
    if kind == "exponential":
        terms = [Fraction(rng.choice([-40, -7, -3, 0, 1, 5, 30]), 10) for _ in range(3)]
        return terms, rng.choice([Fraction(1), Fraction(20), Fraction(1, 20), Fraction(1, 10**6), Fraction(10**6)])
    sums = [sum(c, Fraction(0)) for r in range(4) for c in itertools.combinations_with_replacement(terms, r)]
    return terms, rng.choice(sums) if rng.random() < 0.7 else number(rng)


def holds(operator: str, value: Any, bar: Fraction) -> bool:
    apart = value - bar if isinstance(value, (Fraction, int)) else value - exactly(bar)
    if isinstance(apart, mpmath.mpf) and abs(apart) < mpmath.mpf(10) ** -45 * (1 + abs(exactly(bar))):
        apart = mpmath.mpf(0)
    return bool({">=": apart >= 0, ">": apart > 0, "<=": apart <= 0, "<": apart < 0}[operator])


@pytest.mark.parametrize("kind", KINDS)
def test_laws_of_numbers_of_any_sizes(kind: str) -> None:
    rng, known, count = random.Random(kind), 0, several(5, 25)
    text, value = KINDS[kind]
    with mpmath.workdps(60):
        for _ in range(count):
            terms, bar = drawn(kind, rng)
            operator = rng.choice([">=", ">", "<=", "<"])
            first, second, third = map(written, terms)
            term = f"(if x == 2 then {third} else if x == 1 then {second} else {first})"
            statistic = text.replace("TERM", term).replace("SECOND", second).replace("FIRST", first)
            spec = (
                "algorithm a\nstream x in {0, 1, 2}\nmodel m: x ~ {0: 3, 1: 5, 2: 2}\n"
                f"statistic s = {statistic}\nstop when s {operator} {written(bar)} return yes\n"
                f"stop when step >= {STEPS} return no\n"
            )
            truth = Fraction(0)
            for stream in itertools.product((0, 1, 2), repeat=STEPS):
                added = [terms[x] for x in stream]
                if any(holds(operator, value(added[:n], terms), bar) for n in range(1, STEPS + 1)):
                    truth += math.prod((CHANCES[x] for x in stream), start=Fraction(1))
            try:
                (law,) = driver.solve(driver.load(Source("a.seq", spec)))
            except SpecError as error:
                why = error.diagnostics[
                    0
                ].message  # the last engine that was tried speaks of data, the first of the numbers
                assert any(said in why for said in (*TOO_NEAR, "continuous data")), spec
                continue
            known += 1
            assert float(law.returns.get("yes", 0)) == pytest.approx(float(truth), abs=1e-9), spec
    assert known >= 0.6 * count
