"""Many showings of pure mechanisms: concentrated, and at a delta."""

from __future__ import annotations

from fractions import Fraction
from math import inf, log, sqrt

import pytest
from amounts import scaled
from elaborated import elaborated

from seqlang.accounting import homogeneous
from seqlang.analyses.bounds import Bounds
from seqlang.analyses.prove import prove, size_of
from seqlang.model.program import Program
from seqlang.proof.replay import replay
from seqlang.record import replace as changed


def proved(*lines: str, delta: Fraction = Fraction(1, 10**6)) -> tuple[Program, Bounds]:
    made = elaborated("\n".join(("algorithm t", *lines)))
    return made, prove(made, delta=delta)


def triple(*lines: str) -> tuple[float, float, float]:
    made, found = proved(*lines)
    return tuple(inf if b is None else size_of(made, b) for b in (found.pure, found.zcdp, found.dp))


DATA = "dataset x in [0, 1] size 50"
ASKED = ("report a = sum(x)", "stop when step >= 100", "attach laplace(10) to a")


def test_a_hundred_laplace_answers() -> None:
    """eps = 0.1 each: 10 pure, 100 * 0.1^2 / 2 zCDP, 4.774567 at delta = 1e-6 (optimal, Kairouz et al.)."""
    pure, rho, approximate = triple(DATA, *ASKED)
    assert pure == pytest.approx(10)
    assert rho == pytest.approx(0.5)
    assert approximate == pytest.approx(4.774567, abs=1e-5)


def test_two_kinds_of_answers() -> None:
    """Fifty answers of 0.1 and fifty of 0.2: never worse than the closed form, never better than fifty of 0.1."""
    lines = (DATA, "report a = sum(x)", "report b = sum(x)", "stop when step >= 50",
             "attach laplace(10) to a", "attach laplace(5) to b")  # fmt: skip
    pure, rho, approximate = triple(*lines)
    assert pure == pytest.approx(15)
    assert rho == pytest.approx(50 * (0.1**2 + 0.2**2) / 2)
    squares = 50 * (0.1**2 + 0.2**2)
    assert homogeneous.optimal(0.1, 50, 1e-6) < approximate <= sqrt(2 * log(1e6) * squares) + squares / 2


def test_group_privacy_squares() -> None:
    made, found = proved("dataset x in [0, 1] size 50", "adjacent replace 3", *ASKED)
    assert found.zcdp is not None
    assert size_of(made, found.zcdp) == pytest.approx(9 * 0.5)


def test_showings_of_other_mechanisms() -> None:
    flips = ("dataset x in {0, 1} size 9", "statistic y = x[1]", "report r = y", "stop when step >= 20",
             "attach randomized_response(0.6) to y")  # fmt: skip
    assert triple(*flips)[:2] == pytest.approx((20 * log(1.5), 20 * log(1.5) ** 2 / 2))
    largest = ("dataset q in real size 4", "adjacent every q within 1", "report r = argmax(q)", "stop when step >= 20",
               "attach laplace(20) to q")  # fmt: skip
    assert triple(*largest)[:2] == pytest.approx((2, 20 * 0.1**2 / 2))


def test_a_tree_has_one_node_a_level() -> None:
    lines = (
        "stream x in [0, 1]",
        "report y = sum(x over steps)",
        "stop when step >= 64",
        "attach tree(laplace(7)) to y",
    )
    assert triple(*lines)[:2] == pytest.approx((1, 7 / 49 / 2))


def test_a_list_of_sums_in_a_tree() -> None:
    """Three running counts: an entry is in one of them, so it touches one node a level, by 2 in l1."""
    lines = ("stream x in {1, 2, 3}", "report y = [count(x == k over steps) for k in 1..3]", "stop when step >= 64",
             "attach tree(laplace(14)) to y")  # fmt: skip
    assert triple(*lines)[0] == pytest.approx(1)


def test_guards_that_name_the_step() -> None:
    lines = ("stream x in [0, 1]", "stop when step >= 50", "attach laplace(1) to y")
    running = "report y = sum(x over steps) when "
    for guard, times in (("step == 7", 1), ("step % 10 == 0", 5), ("step % 7 == 0", 7), ("step % 7 == 3", 7)):
        assert triple(lines[0], running + guard, *lines[1:])[0] == pytest.approx(times)
    assert triple(lines[0], running + "step >= 7", *lines[1:])[0] == pytest.approx(44)


def test_claims_below_the_bound_do_not_replay() -> None:
    made, found = proved(DATA, *ASKED)
    assert found.zcdp is not None and found.dp is not None
    for derivation, smaller in (
        (found.zcdp, changed(found.zcdp.conclusion, rho=found.zcdp.conclusion.rho * Fraction(99, 100))),
        (found.dp, scaled(found.dp.conclusion, 0.99)),
    ):
        assert replay(made, derivation) == ()
        assert replay(made, changed(derivation, conclusion=smaller)) != ()
