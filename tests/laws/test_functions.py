"""The functions of laws against their definitions in mpmath: densities, tails down to 1e-300 and beyond, quantiles."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from families import IN_NUMBERS, arguments_of, places

from seqlang.laws.facts import facts
from seqlang.laws.law import law

Exact = Callable[..., Any]

TAILS: dict[str, tuple[Exact, Exact]] = {  # name: (P(X <= x), P(X >= x)) of a law with a density
    "laplace": (lambda x, b: _laplace(-x / b), lambda x, b: _laplace(x / b)),
    "logistic": (lambda x, s: 1 / (1 + mpmath.exp(-x / s)), lambda x, s: 1 / (1 + mpmath.exp(x / s))),
    "gumbel": (lambda x, b: mpmath.exp(-mpmath.exp(-x / b)), lambda x, b: -mpmath.expm1(-mpmath.exp(-x / b))),
    "exponential": (
        lambda x, m: -mpmath.expm1(-x / m) if x > 0 else mpmath.mpf(0),
        lambda x, m: mpmath.exp(-x / m) if x > 0 else mpmath.mpf(1),
    ),
    "gaussian": (lambda x, sd: _normal(-x / sd), lambda x, sd: _normal(x / sd)),
    "normal": (lambda x, m, sd: _normal((m - x) / sd), lambda x, m, sd: _normal((x - m) / sd)),
}


def _laplace(t: Any) -> Any:
    return mpmath.exp(-t) / 2 if t >= 0 else 1 - mpmath.exp(t) / 2


def _normal(t: Any) -> Any:
    return mpmath.erfc(t / mpmath.sqrt(2)) / 2


def given(name: str) -> list[Any]:
    return [mpmath.mpf(a) for a in arguments_of(name)]


@pytest.mark.parametrize("name", TAILS)
@pytest.mark.parametrize("x", [-3000.0, -60.0, -3.3, -1e-9, 0.0, 1e-9, 0.15, 2.4, 60.0, 3000.0,
                               *(pytest.param(x, marks=pytest.mark.long) for x in (-1200.0, 1200.0))])  # fmt: skip
def test_logarithms_of_tails(name: str, x: float) -> None:
    scalar = law(name).scalar
    assert scalar.log_below is not None and scalar.log_above is not None
    with mpmath.workdps(40 if abs(x) < 100 else 4000):  # a tail near 1 differs from it far behind the point
        for ours, theirs in zip((scalar.log_below, scalar.log_above), TAILS[name], strict=True):
            exact = theirs(mpmath.mpf(x), *given(name))
            found = ours(x, *arguments_of(name))
            if exact == 0:
                assert found == -math.inf
            elif name == "gumbel" and mpmath.log(exact) < -1e300:
                assert found < -1e300
            else:
                assert found == pytest.approx(float(mpmath.log(exact)), rel=1e-11, abs=1e-15)


@pytest.mark.parametrize("name", TAILS)
def test_array_tails_keep_their_digits(name: str) -> None:
    """Relative accuracy down to the smallest numbers that are not denormal."""
    arrays = law(name).arrays
    x = np.array([-600.0, -20.0, -3.3, 0.0, 0.15, 2.4, 20.0, 600.0, 1100.0])
    for function, theirs in zip((arrays.cdfs, arrays.tails), TAILS[name], strict=True):
        assert function is not None
        with np.errstate(under="ignore", over="ignore"):
            found = function(x, *arguments_of(name))
        for one, at in zip(found, x, strict=True):
            with mpmath.workdps(600):
                exact = theirs(mpmath.mpf(at), *given(name))
            if exact > 1e-300:
                assert one == pytest.approx(float(exact), rel=1e-11)
            else:
                assert 0 <= one <= 1e-299


@pytest.mark.parametrize("name", TAILS)
def test_densities_are_the_derivatives_of_the_tails(name: str) -> None:
    scalar, arrays = law(name).scalar, law(name).arrays
    assert scalar.density is not None and scalar.log_density is not None and arrays.densities is not None
    for x in (-3.3, -0.2, 0.15, 1.0, 2.4, 30.0):
        with mpmath.workdps(300):
            exact = float(mpmath.diff(lambda t: TAILS[name][0](t, *given(name)), mpmath.mpf(x)))
        for found in (scalar.density(x, *arguments_of(name)), arrays.densities(x, *arguments_of(name))):
            assert float(found) == pytest.approx(exact, rel=1e-11, abs=1e-300)
        logarithm = scalar.log_density(x, *arguments_of(name))
        assert math.exp(logarithm) == pytest.approx(exact, rel=1e-11, abs=1e-300)


@pytest.mark.parametrize("name", [n for n in TAILS if law(n).scalar.log_above_all is not None])
def test_many_tails_at_once(name: str) -> None:
    scalar, starts = law(name).scalar, (-400.0, -3.0, 0.25, 4.0, 300.0)
    assert scalar.log_above_all is not None and scalar.log_above is not None
    total = scalar.log_above_all(starts, -0.7, *arguments_of(name))
    for x in (-300.0, -2.5, 0.0, 7.0, 250.0):
        wanted = math.fsum(scalar.log_above(a - 0.7 * x, *arguments_of(name)) for a in starts)
        assert total(x) == pytest.approx(wanted, rel=1e-11)


@pytest.mark.parametrize("name", [n for n in IN_NUMBERS if facts(n).kind == "points"])
def test_masses_add_up(name: str) -> None:
    scalar = law(name).scalar
    assert scalar.density is not None and scalar.cdf is not None
    total = 0.0
    for k in range(-120, 121):
        total += scalar.density(float(k), *arguments_of(name))
        assert scalar.cdf(float(k), *arguments_of(name)) == pytest.approx(total, rel=1e-9, abs=1e-13)
    assert total == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("name", IN_NUMBERS)
def test_what_is_declared_is_so(name: str) -> None:
    """Symmetry, ends of the support, and the scale as a factor."""
    declared, scalar, known = facts(name), law(name).scalar, arguments_of(name)
    assert scalar.density is not None
    for x in places(name):
        here = scalar.density(x, *known)
        if declared.symmetric:
            assert scalar.density(-x, *known) == pytest.approx(here, rel=1e-12)
        if declared.support in ("half line", "counts") and x < 0:
            assert here == 0
        if declared.support in ("whole numbers", "counts"):
            assert scalar.density(x + 0.5, *known) == 0
        if declared.unit_scale:
            assert len(known) == 1
            assert scalar.density(x / known[0], 1.0) / known[0] == pytest.approx(here, rel=1e-12)
    if declared.light_tails:
        assert declared.unit_scale
        for x in np.linspace(-1100, 1100, 4401).tolist():
            assert scalar.density(x, 1.0) <= math.exp(-abs(x)) * (1 + 1e-12)
    low, high = scalar.ends(*known)
    assert low < scalar.centre(*known) < high or scalar.centre(*known) in (low, high)
