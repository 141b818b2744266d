"""A formula over alpha or delta is a bound at every order, or at every delta; what holds at one of them says which."""

from __future__ import annotations

import re

import mpmath
from checked import checked

import seqlang

MANY = mpmath.mpf(10_000)
"""A Renyi order far above those that are shown."""


def test_formulas_over_the_order_hold_at_a_large_one() -> None:
    """One comparison with two Gaussian noises of variances 100 and 400: "stop" has the probabilities Phi(-22) and
    Phi(-22 - 1/sqrt(500)) on two neighbours. D_a is at least what one event tells: (a log p - (a - 1) log q)/(a - 1).
    """
    found = seqlang.check(seqlang.load("@zhang2022/gen_above_threshold", N=1), orders=(2, 16, "alpha")).to_dict()
    p, q = mpmath.ncdf(-22), mpmath.ncdf(-22 - 1 / mpmath.sqrt(500))
    least = (MANY * mpmath.log(p) - (MANY - 1) * mpmath.log(q)) / (MANY - 1)
    assert least > 0.9
    formulas = [row["symbolic"] for row in found["strong"]["rdp"] if row["order"] == "alpha"]
    assert formulas
    names = {"D": 1, "sigma1": 10, "sigma2": 20, "N": 1, "log": mpmath.log, "alpha": MANY}
    for formula in formulas:
        assert eval(formula.replace("^", "**"), {"__builtins__": {}}, names) >= least, formula


def test_a_bound_for_deltas_that_are_not_too_small_is_no_formula_over_delta() -> None:
    """Counts (25, 25, 0, 0, 0) show value 1 with the chance P(nu >= 2 + 2 log(10^6)) = exp(-1)/2 * 10^-6, for nu of
    scale 2; of the neighbour (24, 26, 0, 0, 0) it is never shown. So no epsilon holds at delta = 10^-9."""
    assert mpmath.exp(-(2 + 2 * mpmath.log(10**6)) / 2) / 2 > mpmath.mpf(10) ** -9
    result = checked("dwork2009/stable_mode")
    assert re.search(r"dp at delta 1e-06 +1 = eps\b", str(result))
    assert not re.search(r"dp\(delta\)", str(result))


def test_a_formula_that_asks_for_a_delta_has_it_put_in() -> None:
    """At delta = 10^-40 the interval that BetweenThresholds reckons with would be narrower than nothing."""
    result = checked("bun2017/between_thresholds")
    assert not re.search(r"dp\(delta\)", str(result))
    formula = result.to_dict()["strong"]["dp"]["symbolic"]
    names = {"eps": 1, "lower": 0, "upper": 120, "log": mpmath.log, "exp": mpmath.exp}
    assert "delta" not in formula
    room = 120 - 2 + 4 * mpmath.log(mpmath.mpf(2) / 10**6)  # T + 2 b1 log(2 delta) - 2 r, with b1 = 2 and r = 1
    wanted = mpmath.mpf(1) / 2 + mpmath.log(1 + (mpmath.exp(mpmath.mpf(1) / 3) - 1) / (1 - mpmath.exp(-room / 6)))
    assert abs(eval(formula, {"__builtins__": {}}, names) - wanted) < 1e-9
