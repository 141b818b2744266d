"""Expressions print as one would write them: with few brackets, and parse back to the same."""

from __future__ import annotations

from fractions import Fraction

import pytest
from elaborated import elaborated

from seqlang.model import expression as m
from seqlang.model.print import show_expression, show_number

HEAD = "algorithm t\nparam a = 1\nparam b = 2\npublic x in [0, 1], y in [0, 1]\npublic v in ball(1, 3)\n"

WRITTEN = [
    "x - (y - a)",
    "x - y - a",
    "-x ^ 2",
    "(-x) ^ 2",
    "x ^ -1.6",
    "x ^ y ^ a",
    "(x ^ y) ^ a",
    "2 * (x + y) / (a * b)",
    "x / (y / a)",
    "-(x + y)",
    "if x >= y then a else b",
    "(if x >= y then a else b) + 1",
    "clip(log(x / y), -a, a)",
    "max(x, y, 0.05)",
    "sum(x * k for k in 1..3 where k >= y)",
    "argmax(x * c for c in {0.1, 0.5})",
    "v[2] + norm(v)",
    "step % 5",
    "[x, y][1]",
]
CONDITIONS = [
    "x >= a or y >= b and not (x < y)",
    "(x >= a or y >= b) and x < y",
    "not (x >= a and y >= b)",
    "(x >= a) == (y >= b)",
    "x != a",
]


def expression_of(text: str, statement: str) -> m.Expression:
    program = elaborated(f"{HEAD}{statement} {text}\n")
    return program.define("s").expression


@pytest.mark.parametrize("text", [*WRITTEN, *CONDITIONS])
def test_there_and_back(text: str) -> None:
    expression = expression_of(text, "statistic s =")
    assert expression_of(show_expression(expression), "statistic s =") == expression


@pytest.mark.parametrize("text", ["x - (y - a)", "x - y - a", "2 * (x + y) / (a * b)", "clip(log(x / y), -a, a)"])
def test_no_brackets_too_many(text: str) -> None:
    assert show_expression(expression_of(text, "statistic s =")) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(Fraction(1, 20), "0.05"), (Fraction(-3), "-3"), (Fraction(1, 3), "1 / 3"), (Fraction(25, 2), "12.5")],
)
def test_numbers(value: Fraction, text: str) -> None:
    assert show_number(value) == text
