"""Bounds of single gates from text to number: expected values from the theorems, and for small alphabets from
enumeration."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import exp, inf, log

import pytest
from elaborated import elaborated

from seqlang.analyses.bounds import Bounds
from seqlang.analyses.prove import prove, size_of
from seqlang.model.program import Program


def program(text: str) -> Program:
    return elaborated(text)


def bounds(*lines: str) -> tuple[Program, Bounds]:
    made = program("\n".join(("algorithm t", *lines)))
    return made, prove(made)


def pure(*lines: str) -> float:
    made, found = bounds(*lines)
    return inf if found.pure is None else size_of(made, found.pure)


def zcdp(*lines: str) -> float:
    made, found = bounds(*lines)
    return inf if found.zcdp is None else size_of(made, found.zcdp)


UNIT = "stream x in [0, 1]"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        # one number, once
        (("dataset x in [0, 1] size 5", "statistic s = sum(x)", "stop return s", "attach laplace(2) to s"), 0.5),
        # every entry shown once, whatever the number of steps
        ((UNIT, "report y = x", "attach laplace(2) to y"), 0.5),
        # a running sum shown at every step: the entry is in all later ones
        ((UNIT, "report y = sum(x over steps)", "stop when step >= 7", "attach laplace(2) to y"), 3.5),
        ((UNIT, "report y = sum(x over steps)", "attach laplace(2) to y"), inf),
        # blocks: the entry is in one
        ((UNIT, "report b when step % 3 == 0", "report y = sum(x since b) when b", "attach laplace(2) to y"), 0.5),
        # a block shown at every step of the block is not parallel
        ((UNIT, "report b when step % 3 == 0", "report y = sum(x since b)", "attach laplace(2) to y"), inf),
        # windows
        ((UNIT, "report y = sum(x over last 4)", "attach laplace(2) to y"), 2.0),
        # a scaled and negated noise; two noises
        ((UNIT, "draw z ~ laplace(1)", "attach 4 * z to y", "report y = x"), 0.25),
        ((UNIT, "draw z ~ laplace(1)", "attach -z to y", "report y = x"), 1.0),
        ((UNIT, "report y = x", "attach laplace(1) to y", "attach laplace(4) to y"), 0.25),
        # one draw for many values hides nothing; for one value it does
        ((UNIT, "report y = x", "attach laplace(1) to y once"), inf),
        ((UNIT, "stop return x", "attach laplace(1) to x once"), 1.0),
        (("dataset x in [0, 1] size 3", "report y = sum(x)", "stop when step >= 9", "attach laplace(1) to y once"), 1),
        (("dataset x in [0, 1] size 3", "report y = sum(x)", "stop when step >= 9", "attach laplace(1) to y"), 9.0),
        # integers
        (("stream x in 0..3", "report y = x", "attach geometric(0.5) to y"), 3 * log(2)),
        ((UNIT, "report y = x", "attach geometric(0.5) to y"), inf),
        # trees: floor(log2 7) + 1 = 3 levels
        ((UNIT, "report y = sum(x over steps)", "stop when step >= 7", "attach tree(laplace(6)) to y"), 0.5),
        ((UNIT, "report y = sum(x over steps)", "attach tree(laplace(6)) to y"), inf),
        # no noise, noise of no use
        ((UNIT, "report y = x"), inf),
        ((UNIT, "report y = x", "attach exponential(1) to y"), inf),
        # neighbours in several entries
        ((UNIT, "adjacent replace 3", "report y = x", "attach laplace(2) to y"), 1.5),
        # queries that all move
        (("stream q in real", "adjacent every q within 2", "report y = q", "stop when step >= 5",
          "attach laplace(4) to y"), 2.5),
        (("stream q in real", "adjacent one q within 2", "report y = q", "attach laplace(4) to y"), 0.5),
    ],
)  # fmt: skip
def test_releases(lines: tuple[str, ...], expected: float) -> None:
    assert pure(*lines) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ((UNIT, "report y = x", "attach gaussian(2) to y"), 1 / 8),
        ((UNIT, "report y = sum(x over steps)", "stop when step >= 7", "attach gaussian(2) to y"), 7 / 8),
        ((UNIT, "report y = sum(x over steps)", "stop when step >= 7", "attach tree(gaussian(2)) to y"), 3 / 8),
        ((UNIT, "adjacent replace 3", "report y = x", "attach gaussian(2) to y"), 9 / 8),
        (("stream x in ball(1, 3)", "report y = x", "attach gaussian(2) to y"), 4 / 8),
    ],
)
def test_gaussian_releases(lines: tuple[str, ...], expected: float) -> None:
    assert zcdp(*lines) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("answers", "truth"), [(2, 0.75), (2, 0.25), (3, 0.5), (4, 0.1), (5, 0.2)])
def test_randomised_response_by_enumeration(answers: int, truth: float) -> None:
    law = {(a, b): truth if a == b else (1 - truth) / (answers - 1) for a, b in product(range(answers), repeat=2)}
    worst = max(log(law[a, c] / law[b, c]) for a, b, c in product(range(answers), repeat=3))
    lines = (f"stream x in 0..{answers - 1}", "report y = x", f"attach randomized_response({truth}) to x")
    assert pure(*lines) == pytest.approx(worst, rel=1e-9, abs=1e-12)


def test_a_noisy_maximum() -> None:
    lines = ("dataset q in real size 4", "stop return argmax(q)")
    every, one_way = "adjacent every q within 1", "adjacent every q within 1 same direction"
    assert pure(*lines, every, "attach laplace(4) to q") == pytest.approx(0.5)
    assert pure(*lines, one_way, "attach laplace(4) to q") == pytest.approx(0.25)
    assert pure(*lines, every, "attach exponential(4) to q") == pytest.approx(0.5)
    assert pure(*lines, every, "draw z ~ exponential(4)") == inf
    # noise that pushes away from winning: the three losers' noises grow instead
    lowest = ("dataset q in real size 4", "stop return argmin(q)", every)
    assert pure(*lowest, "attach laplace(4) to q") == pytest.approx(0.5)
    assert pure(*lowest, "attach exponential(4) to q") == pytest.approx(3 * 0.5)


def test_exponential_mechanism_against_enumeration() -> None:
    """Counts of three values among four records: replacing one moves two counts, in opposite directions."""
    eps = 0.7
    worst = 0.0
    for data in product(range(3), repeat=4):
        counts = [data.count(v) for v in range(3)]
        for k, new in product(range(4), range(3)):
            other = list(data)
            other[k] = new
            others = [other.count(v) for v in range(3)]
            p, q = ([exp(eps * c) for c in cs] for cs in (counts, others))
            worst = max(worst, *(log(a / sum(p) / (b / sum(q))) for a, b in zip(p, q, strict=True)))
    lines = (
        "dataset x in {0, 1, 2} size 4",
        f"draw r ~ {{v: exp({eps} * sum((if x[i] == v then 1 else 0) for i in records)) for v in {{0, 1, 2}}}}",
        "stop return r",
    )
    proved = pure(*lines)
    assert worst <= proved <= 2 * eps + 1e-12
    assert zcdp(*lines) == pytest.approx((2 * eps) ** 2 / 8)


def test_a_coin_counts_both_outcomes() -> None:
    lines = ("stream x in {0, 1}", "draw c ~ bernoulli(if x == 1 then 0.6 else 0.2)", "report y = c")
    assert pure(*lines) == pytest.approx(max(log(3), log(0.8 / 0.4)))
    assert pure("stream x in {0, 1}", "draw c ~ bernoulli(x / 2)", "report y = c") == inf


def test_a_choice_drawn_each_step_but_shown_at_the_stop_costs_once() -> None:
    common = ("stream x in {0, 1}", "draw r ~ {c: exp(0.1 * c * sum(x over steps)) for c in {0, 1}}")
    shown_once = pure(*common, "stop when step >= 9 return r")
    shown_always = pure(*common, "report y = r", "stop when step >= 9")
    assert 0 < shown_once < inf
    assert shown_always == pytest.approx(9 * shown_once)


def test_bounds_of_independent_gates_add_up() -> None:
    lines = (UNIT, "report y = x", "report u = x", "attach laplace(2) to y", "attach laplace(4) to u")
    assert pure(*lines) == pytest.approx(0.75)


def test_noise_that_two_gates_read_hides_neither() -> None:
    lines = (UNIT, "draw z ~ laplace(1)", "report y = x", "report u = 2 * x", "attach z to y", "attach z to u")
    assert pure(*lines) == inf


def test_the_reason_names_the_gate() -> None:
    _, found = bounds(UNIT, "report y = x", "report u = x", "attach laplace(2) to y")
    assert found.pure is None
    assert found.open_goals == ("u: released without noise",)
    assert found.delta == Fraction(1, 10**6)
