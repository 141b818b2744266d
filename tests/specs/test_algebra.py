"""sympy judges our algebra: every formula that a report of the library shows, at random rational points.

sympy reads a formula by `to_sympy` and evaluates it to 40 digits by code that shares nothing with ours. A named
function has no formula; it is replaced by a symbol, which is given a random positive value.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import mpmath
import pytest
import sympy
from library_slices import slice_of_library

from seqlang import driver
from seqlang.analyses.bounds import Bounds as Proved
from seqlang.analyses.prove import prove
from seqlang.analyses.shifts import statistics
from seqlang.arithmetic import formula as F
from seqlang.diagnostics import SpecError
from seqlang.model.program import Program
from seqlang.proof.derivation import amount
from seqlang.rules import find
from seqlang.rules.sensitivity.facts.formulas import parameter_values

SPECS = sorted((Path(__file__).resolve().parents[2] / "specs").rglob("*.seq"))
FEW, MANY = 1, 25
DIGITS = 40
SLACK = sympy.Rational(1, 10**30)
"""Of what sympy computes to 40 digits, relative: far below the last digit of a float."""

Values = Mapping[str, Fraction]
Simplified = list[tuple[F.Formula, F.Formula]]


@pytest.mark.parametrize("path", slice_of_library("algebra"))
def test_sympy_agrees(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judge(path, monkeypatch, FEW)


@pytest.mark.long
@pytest.mark.parametrize("path", SPECS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_sympy_agrees_at_many_points(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judge(path, monkeypatch, MANY, slopes=True)


def judge(path: Path, monkeypatch: pytest.MonkeyPatch, count: int, slopes: bool = False) -> None:
    """The values of every formula, and with `slopes` its rise or fall; what was simplified keeps its value."""
    program = driver.load(driver.read(str(path))).program
    with monkeypatch.context() as patch:
        pairs = _recorded(patch)
        bounds = prove(program)
        moves = (s.shift.radius for s in statistics(program))
    points = list(_points(path, program, count))
    proved = dict.fromkeys(_formulas(program, bounds))
    for formula in dict.fromkeys((*(f for f in moves if not f.is_infinite), *proved)):
        _judge_values(formula, points)
    for formula in proved if slopes else ():
        _judge_slopes(formula, points)
    for before, after in dict.fromkeys(pairs):
        _judge_simplification(before, after, points)


def _recorded(patch: pytest.MonkeyPatch) -> Simplified:
    """Grows by every formula that is simplified, before and after."""
    module: Any = importlib.import_module("seqlang.arithmetic.simplify")
    kept: Callable[..., F.Formula] = module._simplified
    pairs: Simplified = []

    def noted(written: str, formula: F.Formula, bounds: Any) -> F.Formula:
        found = kept(written, formula, bounds)
        if str(found) != str(formula):
            pairs.append((formula, found))
        return found

    patch.setattr(module, "_simplified", noted)
    return pairs


def _formulas(program: Program, bounds: Proved) -> Iterator[F.Formula]:
    """Of every bound that was found, what it claims, and what a report shows in its place."""
    for d in (bounds.pure, bounds.dp, bounds.zcdp, *bounds.rdp, *bounds.alternatives):
        if d is not None:
            yield amount(d.conclusion)
            rule = find(d.rule)
            shown = None if rule is None or rule.symbolic is None else rule.symbolic(program, d)
            yield from () if shown is None else (shown,)


def _points(path: Path, program: Program, count: int) -> Iterator[dict[str, Fraction]]:
    """The values of the file; then others that its domains allow, each at most twice or half as large. The order and
    the delta are random."""
    dice = random.Random(path.stem)
    values = parameter_values(program)
    for moved in (values, *(_moved(path, values, dice) for _ in range(count))):
        order, delta = 1 + Fraction(dice.randint(1, 900), 30), Fraction(1, dice.randint(3, 10**6))
        yield {**moved, F.ORDER.name: order, F.DELTA.name: delta}


def _moved(path: Path, values: Values, dice: random.Random) -> Values:
    for spread in (50, 20, 5):
        whole = {name: v.denominator == 1 and v > 3 for name, v in values.items()}
        drawn = {name: v * Fraction(100, 100 + dice.randint(-spread, 2 * spread)) for name, v in values.items()}
        near = {name: Fraction(round(v)) if whole[name] else v for name, v in drawn.items()}
        try:
            return parameter_values(driver.load(driver.read(str(path)), near).program)
        except SpecError:
            continue
    return values


def _without_names(formula: F.Formula) -> F.Formula:
    """Each named function replaced by 1 + 2 x^2 + 3 y^2 .. of its arguments, so that equal ones stay equal."""
    if not isinstance(formula, F.Named):
        return F.rebuilt(formula, _without_names)
    squares = (number * _without_names(x) ** 2 for number, x in enumerate(formula.arguments, start=2))
    return F.total((len(formula.name), *squares))


Function = Callable[[Values], Any]
_JUMP = sympy.Function("jump")


@lru_cache(maxsize=4096)
def _function(formula: F.Formula, slope_in: str | None = None) -> Function:
    """The formula as sympy computes it, to 40 digits, or its derivative; None where it finds no real value. Where
    something is rounded to a whole number sympy decides that exactly."""
    expression = F.to_sympy(_without_names(formula))
    if slope_in is not None:
        expression = sympy.diff(expression, sympy.Symbol(slope_in, real=True))
        expression = expression.replace(sympy.Heaviside, lambda x, *_: _JUMP(x))  # which it would take long to rewrite
    names = sorted(formula.symbols())
    symbols = [sympy.Symbol(name, real=True) for name in names]
    if expression.has(sympy.floor, sympy.ceiling):
        return lambda values: _real(expression.subs({s: _exact(values[s.name]) for s in symbols}).evalf(DIGITS))
    compiled = sympy.lambdify(symbols, expression, [{"jump": lambda x: int(x > 0)}, "mpmath"])

    def computed(values: Values) -> Any:
        with mpmath.workdps(DIGITS):
            try:
                found = compiled(*(mpmath.mpf(values[n].numerator) / values[n].denominator for n in names))
            except (ZeroDivisionError, ValueError):
                return None
            return _real(sympy.sympify(found))

    return computed


def _real(found: Any) -> Any:
    return found if found.is_real and found.is_finite else None


def _exact(value: Fraction) -> Any:
    return sympy.Rational(value.numerator, value.denominator)


def _judge_values(formula: F.Formula, points: list[dict[str, Fraction]]) -> None:
    """Between the ends of our enclosure, which are close to each other; never negative."""
    plain, function = _without_names(formula), _function(formula)
    for number, values in enumerate(points):
        truth = function(values)
        if truth is None:
            assert number, f"{formula} has no value where the file puts its parameters"
            continue
        ours = F.enclose(plain, values)
        slack = SLACK * abs(truth)
        low, high = (_exact(Fraction(end)) for end in (ours.low, ours.high))
        assert low - slack <= truth <= high + slack, (formula, values, truth, ours)
        assert ours.high - ours.low <= 1e-9 * max(1.0, abs(float(truth))), (formula, values, ours)
        assert truth >= -slack, (formula, values, truth)


def _judge_simplification(before: F.Formula, after: F.Formula, points: list[dict[str, Fraction]]) -> None:
    first, second = _function(before), _function(after)
    for values in points:
        truth, found = first(values), second(values)
        if truth is not None:
            assert found is not None, (before, after, values)
            assert abs(truth - found) <= SLACK * max(1, abs(truth)), (before, after, values)


def _judge_slopes(formula: F.Formula, points: list[dict[str, Fraction]]) -> None:
    """A Renyi divergence does not fall with the order, an (epsilon, delta) bound does not rise with delta; in the
    parameters our values rise where sympy's derivative says so, and fall where it says that."""
    if any(isinstance(node, F.Named) for node in F.walk(formula)):
        return
    for name in sorted(formula.symbols()):
        slope = _function(formula, slope_in=name)
        for values in points:
            found = slope(values)
            assert found is None or found * _SIGNS.get(name, 0) >= -SLACK, (formula, name, values, found)
            here, there = (F.enclose(formula, {**values, name: values[name] * far}) for far in (1, 1 + _NEAR))
            if found is not None and abs(found * values[name]) > 0.01 * max(1.0, here.high):
                assert there.low > here.high if found > 0 else there.high < here.low, (formula, name, values, found)


_SIGNS = {F.ORDER.name: 1, F.DELTA.name: -1}
_NEAR = Fraction(1, 10**6)
