"""Constants as formulas, and what domains say of parameters."""

from __future__ import annotations

from fractions import Fraction

import pytest
from small_statistics import program

from seqlang.arithmetic.formula import Bounds, Formula, enclose
from seqlang.model.expression import Apply, Expression, Number
from seqlang.model.program import Program, Stop
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_bounds, parameter_values


def constant(text: str, parameters: str = "") -> tuple[Program, Formula | None]:
    """The formula of a constant that stands in a stop rule."""
    made = program(f'algorithm t "t"\n{parameters}\nstream x in {{0, 1}}\nstop when step >= {text}')
    stop = next(s for s in made.body if isinstance(s, Stop))
    assert isinstance(stop.when, Apply)
    return made, formula_of(made, stop.when.arguments[1])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 + 3 * 4", 14),
        ("7 % 3", 1),
        ("max(2, 5) - min(2, 5)", 3),
        ("clip(9, 0, 4)", 4),
        ("sum(j * j for j in 1..3)", 14),
        ("length([4, 5, 6])", 3),
        ("(if 2 > 1 then 8 else 9)", 8),
        ("max({3, 5, 4})", 5),
        ("norm([3, 4])", 5),
        ("dot([1, 2], [3, 4])", 11),
        ("2 ^ 3", 8),
        ("floor(7 / 2)", 3),
        ("argmin(abs(j - 2) for j in {1, 2, 3})", 2),
    ],
)
def test_arithmetic_is_exact(text: str, value: int) -> None:
    made, formula = constant(text)
    assert formula is not None
    ends = enclose(formula, parameter_values(made))
    assert ends.low == value == ends.high


def test_parameters_stay_symbols() -> None:
    _, formula = constant("2 * A / eps", "param A > 0 = 3\nparam eps > 0 = 0.5")
    assert formula is not None
    assert formula.symbols() == {"A", "eps"}


def test_undefined_and_varying_have_no_formula() -> None:
    made, _ = constant("1")
    divided: Expression = Apply("/", (Number(Fraction(1)), Number(Fraction(0))))
    assert formula_of(made, divided) is None
    assert formula_of(made, Apply("log", (Number(Fraction(-1)),))) is None


def test_bounds_come_from_domains_even_if_they_read_other_parameters() -> None:
    made, _ = constant(
        "1",
        "param p0 in (0, 1) = 0.3\nparam p1 in (p0, 1) = 0.7\nparam n in 1.. = 5\nparam c in 1..n = 2\n"
        "param b in {0, 3} = 3\nparam t = 1",
    )
    bounds = parameter_bounds(made)
    assert bounds["p0"] == Bounds(Fraction(0), Fraction(1), True, True)
    assert bounds["p1"] == Bounds(Fraction(0), Fraction(1), True, True)  # p1 > p0 > 0
    assert bounds["n"] == Bounds(Fraction(1), None)
    assert bounds["c"] == Bounds(Fraction(1), None)  # n may be anything from 1 on
    assert bounds["b"] == Bounds(Fraction(0), Fraction(3))
    assert bounds["t"] == Bounds()
