"""What laws declare to proofs: translation costs hold, are as small as they can be, and facts are nothing but data."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import pytest
from families import IN_NUMBERS, arguments_of

from seqlang.accounting import renyi
from seqlang.laws.facts import facts, names
from seqlang.laws.law import law
from seqlang.record import field_names

COSTLY = [n for n in IN_NUMBERS if facts(n).translation is not None]


def cost(name: str, u: float) -> float:
    """phi(u) as `TranslationCost` reads it, in nats."""
    declared, given = facts(name).translation, arguments_of(name)
    assert declared is not None
    match declared.kind:
        case "linear" | "upwards":
            return abs(u) / given[0]
        case "whole":
            return abs(u) * math.log(1 / given[0])
        case "stairs":
            return given[0] * math.ceil(abs(u) / given[1])


def moves(name: str) -> list[float]:
    declared = facts(name).translation
    assert declared is not None
    if declared.kind == "whole":
        return [-7.0, -1.0, 1.0, 2.0, 5.0]
    up = [0.05, 0.3, 0.6, 1.0, 2.7, 11.0]
    return up if declared.kind == "upwards" else [-u for u in up] + up


@pytest.mark.parametrize("name", COSTLY)
def test_a_translation_costs_no_more_than_declared(name: str) -> None:
    """And no less at the worst place: up to a tenth for the largest moves."""
    density, known = law(name).scalar.density, arguments_of(name)
    assert density is not None
    whole = facts(name).kind == "points"
    places = [float(k) for k in range(-25, 26)] if whole else [k / 40 - 15 for k in range(1201)]
    for u in moves(name):
        worst = -math.inf
        for z in places:
            here, there = density(z, *known), density(z + u, *known)
            if here > 0:
                worst = max(worst, math.log(here / there) if there > 0 else math.inf)
        assert worst <= cost(name, u) * (1 + 1e-9) + 1e-12, u
        assert worst >= 0.9 * cost(name, u) - 1e-9, u


@pytest.mark.parametrize("scale", [0.3, 1.0, 20.0])
def test_the_log_density_of_logistic_noise_is_lipschitz(scale: float) -> None:
    """In mpmath, far out as well: the derivative is at most 1 / s in absolute value, and tends to it."""
    for z in (-900, -40, -3, -0.1, 0, 0.2, 5, 60, 900):
        with mpmath.workdps(60 if abs(z) < 100 else 1500):
            s = mpmath.mpf(scale)

            def log_density(x: Any, s: Any = s) -> Any:
                return -x / s - mpmath.log(s) - 2 * mpmath.log1p(mpmath.exp(-x / s))

            slope = mpmath.diff(log_density, mpmath.mpf(z) * s)
            assert abs(slope) <= 1 / s
            if abs(z) >= 40:
                assert abs(slope) >= (1 - 1e-15) / s


def test_no_law_declares_a_function() -> None:
    """Facts are names, words and numbers, so a proof that reads them computes nothing with a law."""

    def plain(value: object) -> bool:
        if isinstance(value, tuple):
            return all(map(plain, value))
        if value is None or isinstance(value, (str, int, bool)):
            return True
        return hasattr(value, "_record_fields") and all(plain(getattr(value, n)) for n in field_names(value))

    for name in names():
        assert plain(facts(name)), name
        assert facts(name).name == name


@pytest.mark.parametrize("name", [n for n in IN_NUMBERS if facts(n).curve in ("laplace", "gaussian")])
@pytest.mark.parametrize("order", [1.5, pytest.param(4.0, marks=pytest.mark.long)])
def test_declared_curves(name: str, order: float) -> None:
    """(1 / (a - 1)) log E_f(z + u) [(f(z) / f(z + u))^a], integrated, for a translation by 0.9."""
    density, known = law(name).scalar.density, arguments_of(name)
    assert density is not None

    def inside(z: Any) -> Any:
        here, there = density(float(z), *known), density(float(z) + 0.9, *known)
        return mpmath.mpf(there) * (mpmath.mpf(here) / mpmath.mpf(there)) ** order

    cuts = [-30, -5, -2, -0.9, 0, 1, 3, 6, 30]
    found = math.log(float(mpmath.quad(inside, cuts))) / (order - 1)
    scale = known[-1]
    wanted = (renyi.laplace if facts(name).curve == "laplace" else renyi.gaussian)(scale, order, 0.9)
    assert found == pytest.approx(wanted, rel=1e-6)


def test_a_name_that_is_no_law() -> None:
    with pytest.raises(KeyError):
        facts("lapalce")
    with pytest.raises(KeyError):
        facts("../facts")
