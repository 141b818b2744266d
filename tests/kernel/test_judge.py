"""The judge: sums of inequalities in trees of cases. Trees come from the producer; points are the oracle."""

from __future__ import annotations

import copy
import random
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
import pytest

from seqlang.analyses.automata.solver import contradiction, largest
from seqlang.kernel.core import Choose, Number, Op
from seqlang.kernel.enclosures import closed_value
from seqlang.kernel.judge import check_contradiction
from seqlang.kernel.refused import Refused
from seqlang.kernel.terms import (
    Both,
    Either,
    Formula,
    Linear,
    Sign,
    at_least,
    denied,
    holds_all,
    holds_one,
    number,
    tightened,
    variable,
)

VARIABLES = 3
POINTS = [Fraction(k, 2) for k in range(-6, 7)]


def term(rng: random.Random) -> Linear:
    found = number(rng.randint(-3, 3))
    for _ in range(rng.randint(1, 3)):
        found = found + variable(rng.randrange(VARIABLES)).times(Fraction(rng.randint(-3, 3), rng.choice([1, 1, 2])))
    return found


def formula(rng: random.Random, depth: int = 2) -> Formula:
    if depth == 0 or rng.random() < 0.4:
        return Sign(term(rng), rng.random() < 0.5)
    parts = [formula(rng, depth - 1) for _ in range(rng.randint(1, 3))]
    return holds_all(parts) if rng.random() < 0.5 else holds_one(parts)


def value(linear: Linear, at: tuple[Fraction, ...]) -> Fraction:
    return linear.constant + sum((c * at[v] for v, c in linear.parts), Fraction(0))


def holds(what: Formula, at: tuple[Fraction, ...]) -> bool:
    match what:
        case Sign(linear, strict):
            return value(linear, at) > 0 if strict else value(linear, at) >= 0
        case Both(parts):
            return all(holds(part, at) for part in parts)
        case Either(parts):
            return any(holds(part, at) for part in parts)


def multipliers(tree: Any) -> list[list[Any]]:
    """Every term of every sum in the tree."""
    if "sum" in tree:
        return list(tree["sum"])
    return [found for part in tree.get("each", []) for found in multipliers(part)]


@pytest.mark.parametrize("seed", range(20))
def test_random_formulas(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(20):
        formulas = [formula(rng) for _ in range(rng.randint(2, 6))]
        solution = next((at for at in product(POINTS, repeat=VARIABLES) if all(holds(f, at) for f in formulas)), None)
        tree = contradiction(formulas)
        if tree is None:
            continue
        assert solution is None
        check_contradiction(formulas, tree)
        with pytest.raises(Refused):
            check_contradiction([*formulas[:-1], denied(formulas[-1])] if len(formulas) > 1 else [], {"sum": []})
        for place in range(len(multipliers(tree))):
            planted = copy.deepcopy(tree)
            one = multipliers(planted)[place]
            one[1] = str(-Fraction(one[1]))
            with pytest.raises(Refused):
                check_contradiction(formulas, planted)


@pytest.mark.parametrize("seed", range(10))
def test_a_formula_that_holds_somewhere_has_no_tree(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(20):
        formulas = [formula(rng) for _ in range(3)]
        if any(all(holds(f, at) for f in formulas) for at in product(POINTS, repeat=VARIABLES)):
            assert contradiction(formulas) is None


@pytest.mark.parametrize("seed", range(10))
def test_the_largest_value(seed: int) -> None:
    """It is at least the value at every point, and reached up to a thousandth."""
    rng = random.Random(seed)
    box = [f for v in range(VARIABLES) for f in (at_least(variable(v), number(-3)), at_least(number(3), variable(v)))]
    for _ in range(10):
        formulas, wanted = [*box, formula(rng), formula(rng)], term(rng)
        seen = [value(wanted, at) for at in product(POINTS, repeat=VARIABLES) if all(holds(f, at) for f in formulas)]
        top = largest(formulas, wanted)
        if top is None:
            assert not seen
            continue
        assert all(found <= top for found in seen)
        nearly = at_least(wanted, number(top - Fraction(1, 1000)))
        assert wanted.is_constant or contradiction([*formulas, nearly]) is None


@pytest.mark.parametrize("seed", range(10))
def test_whole_numbers_are_tightened_without_loss(seed: int) -> None:
    rng = random.Random(seed)
    whole = [tuple(map(Fraction, at)) for at in product(range(-3, 4), repeat=VARIABLES)]
    for _ in range(20):
        what = formula(rng)
        tight = tightened(what, {0, 1, 2})
        assert all(holds(what, at) == holds(tight, at) for at in whole)


@pytest.mark.parametrize(
    "tree", [{}, {"plain": True}, {"sum": [[0, "1/0"]]}, {"sum": [[9, "1"]]}, {"cases": 0, "each": []}, 3]
)
def test_a_tree_that_does_not_fit(tree: Any) -> None:
    with pytest.raises((Refused, ValueError, ZeroDivisionError)):
        check_contradiction([at_least(variable(0), number(0))], tree)


# ---- constants


@pytest.mark.parametrize("seed", range(10))
def test_enclosures(seed: int) -> None:
    rng = random.Random(seed)
    with mpmath.workprec(600):
        for _ in range(30):
            x = Fraction(rng.randint(1, 10**6), rng.randint(1, 10**5))
            real = mpmath.mpf(x.numerator) / x.denominator
            for name, true in (("log", mpmath.log(real)), ("sqrt", mpmath.sqrt(real)), ("exp", mpmath.exp(-real))):
                e = Op(name, (Op("negate", (Number(x),)) if name == "exp" else Number(x),))
                found = closed_value(e)
                low, high = (mpmath.mpf(v.numerator) / v.denominator for v in (found.low, found.high))
                assert low <= true * (1 + mpmath.mpf(2) ** -500) and true * (1 - mpmath.mpf(2) ** -500) <= high
                assert high - low <= mpmath.mpf(2) ** -140


def test_exact_constants() -> None:
    three = closed_value(Op("sqrt", (Number(Fraction(9)),)))
    assert three.low == three.high == 3
    test = Op("<", (Number(Fraction(1)), Number(Fraction(2))))
    assert closed_value(Choose(test, Number(Fraction(5)), Number(Fraction(6)))).low == 5


def test_constants_that_are_equal_or_not() -> None:
    three, root = Number(Fraction(3)), Op("sqrt", (Number(Fraction(2)),))
    one, two = Number(Fraction(1)), Number(Fraction(2))
    for name, other, found in (("==", three, 1), ("!=", three, 2), ("==", two, 2), ("!=", two, 1), ("==", root, 2)):
        assert closed_value(Choose(Op(name, (three, other)), one, two)).low == found
    with pytest.raises(Refused, match="too close"):
        closed_value(Choose(Op("==", (Op("*", (root, root)), two)), one, two))
    assert closed_value(Op("log", (Op("exp", (three,)),))).high == 3
