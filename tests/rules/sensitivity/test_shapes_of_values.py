"""What is no number is not bounded as one: each of these values is a vector, which may be hard to see."""

from __future__ import annotations

from math import inf

import pytest

from seqlang.analyses.prove import prove, size_of
from seqlang.driver import load
from seqlang.model.program import Program
from seqlang.source import Source

COIN = "stream x in {0, 1}\ndraw c ~ bernoulli([0.5, 0.5, 0.5])\n"
SHOWN = "report R when step == 1\nstop when step == 2\nattach laplace(1) to A\n"
HISTORY = "stream x in [0, 1] ^ 3\nstatistic h = history(x, R)\n"
ONCE = "stop\nattach laplace(1) to A\n"
CHOSEN = "if u >= 1 then [[x for k in 1..9]] else [[0 for k in 1..9]]"
LENGTHS = "stream x in [0, 1]\nstop when step == 27\nattach laplace(1) to A\n"
RECORDS = "dataset x in [0, 1] ^ 9 size 5\npublic u in {0, 1}\n"

PURE = [  # a program, and the least bound that is true of it: the sum of what all coordinates move
    pytest.param(COIN + "report C = c\nreport A = x * c\n" + ONCE, 3, id="coins"),
    pytest.param(COIN + "report C = c\nreport A = [x * c[k] for k in 1..3]\n" + ONCE, 3, id="coins one by one"),
    pytest.param(HISTORY + "report A = h[1] when step == 2\n" + SHOWN, 3, id="history"),
    pytest.param(HISTORY + "report A = norm(h[1]) when step == 2\n" + SHOWN, 3**0.5, id="norm of history"),
    pytest.param(f"stream x in {{0, 1}}\npublic u in {{0, 1}}\nstatistic l = {CHOSEN}\nreport A = l[1]\n" + ONCE, 9,
                 id="element of a chosen list"),
    pytest.param(RECORDS + "report A = if u == 1 then sum(x) else 2 * sum(x)\n" + ONCE, 18, id="sum of records"),
    pytest.param("stream x in [0, 1] ^ 3\nreport A = sum([x, x])\n" + ONCE, 6, id="sum of a list"),
    pytest.param("stream x in [0, 1] ^ 3\nreport A = mean([x, x])\n" + ONCE, 3, id="mean of a list"),
    pytest.param("dataset x in [0, 1] ^ 2 size 3\nreport A = sum(x)[1] * sum(x)\n" + ONCE, 8, id="product of sums"),
    pytest.param(LENGTHS + "statistic s = mean(if step != 26 then [x, 0, 0] else [x])\nreport A = s when step == 26\n",
                 1, id="length of the first branch"),
    pytest.param(LENGTHS + "public u in {0, 1}\nstatistic s = mean(if u == 1 then [x, 0, 0] else [x])\n"
                 "report A = s when step == 26\n", 1, id="length of a public branch"),
    pytest.param(LENGTHS + "report A = if step != 26 then [x] else [x for k in 1..3]\n", 3, id="list of a branch"),
    pytest.param("stream x in [0, 1]\nreport A = if x > 0.5 then [x] else [x, x]\n" + ONCE, inf, id="private length"),
    pytest.param("stream x in [0.25, 0.75] ^ 3\nstatistic h = history(x, R)\ndraw A ~ bernoulli(h[1])\n"
                 "report R when step == 1\nreport B = A when step == 2\nstop when step == 2\n", 3.2958368660043291,
                 id="coins of a history"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "least"), PURE)
def test_no_bound_is_below_the_true_one(body: str, least: float) -> None:
    """The bounds are worked out by hand: Laplace noise of scale 1 on each coordinate, which moves by at most 1 (2)."""
    program = _program(body)
    assert _pure(program) >= least - 1e-9


def test_no_concentrated_bound_is_below_the_true_one() -> None:
    """Three coordinates that move by 1 under Gaussian noise of deviation 1: rho is 3 / 2."""
    program = _program("stream x in [0, 1] ^ 3\nreport A = mean([x, x])\nstop\nattach gaussian(1) to A\n")
    found = prove(program).zcdp
    assert found is None or size_of(program, found) >= 1.5


def test_vectors_that_are_plain_keep_their_bounds() -> None:
    for body, bound in (
        ("stream x in [0, 1] ^ 3\nreport A = 2 * x\n", 6),
        ("stream x in [0, 1] ^ 3\nreport A = [x[1], x[2]]\n", 2),
        ("stream x in [0, 1] ^ 3\nstatistic s = sum(x where step >= 1 over steps)\nreport A = s\n", 3),
    ):
        assert _pure(_program(body + ONCE)) == pytest.approx(bound)


def _program(body: str) -> Program:
    return load(Source("a.seq", "algorithm a\n" + body)).program


def _pure(program: Program) -> float:
    found = prove(program).pure
    return inf if found is None else size_of(program, found)
