"""Witnesses that need long runs, changed entries before a comparison begins, ends of a domain, or many reports."""

from __future__ import annotations

from fractions import Fraction
from math import exp, inf, log

import pytest
from checked import checked

from seqlang.analyses.prove import prove, size_of
from seqlang.analyses.refute import lower_bound, refute
from seqlang.analyses.witnesses.confirm import excess
from seqlang.driver import check, load, read
from seqlang.model.program import Program
from seqlang.source import Source


def program(text: str) -> Program:
    return load(Source("t.seq", f"algorithm t\n{text}\n")).program


def reached(made: Program) -> float:
    """The witnessed loss as a part of the proved bound, which it must not pass."""
    pure = prove(made, delta=Fraction(1, 10**6), horizon=None).pure
    assert pure is not None
    bound = size_of(made, pure)
    witness = lower_bound(made, enough=bound)
    assert witness is not None
    assert witness.loss <= bound * (1 + 1e-9)
    assert witness.loss <= log(witness.p / witness.q)
    return witness.loss / bound


CHANGE_POINT = """param n in 1.. = 60
let P0 = bernoulli(0.3)
let P1 = bernoulli(0.7)
let A = abs(log(49 / 9))
stream x in {0, 1}
statistic ell = [sum(log(P1.pmf(x) / P0.pmf(x)) over last n + 1 - k) for k in 1..n]
"""

DEEP = {
    "argmax at the end of a run": (
        CHANGE_POINT + "stop when step >= n return argmax(ell)\nattach laplace(A) to ell",
        0.99,
    ),
    "a change before the first comparison": (
        CHANGE_POINT + "statistic peak = max(ell)\nstatistic back = ell\nparam T = 20\n"
        "stop when step >= n and peak >= T return argmax(back)\n"
        "attach laplace(4 * A) to T once\nattach laplace(8 * A) to peak\nattach laplace(2 * A) to back",
        0.8,
    ),
    "queries at the end of their domain": (
        "param T = 0.04\nstream q in [0, 1]\nadjacent every q within 0.0001\nstatistic gap = abs(q)\n"
        "report hot when gap >= T\nreport answer = q when hot\nstop when count(hot over steps) >= 3\n"
        "attach laplace(0.04) to T each hot\nattach laplace(0.08) to gap\nattach laplace(0.02) to answer",
        0.95,
    ),
    "many reports, each with a threshold of its own": (
        "param T = 0\nstream q in real\nadjacent every q within 1\nreport hot when q >= T\n"
        "stop when count(hot over steps) >= 8\nattach laplace(16) to T each hot\nattach laplace(32) to q",
        0.9,
    ),
    "queries that all move one way": (
        "param T = 0\nstream q in real\nadjacent every q within 1 same direction\nreport hot when q >= T\n"
        "stop when count(hot over steps) >= 2\nattach laplace(4) to T once\nattach laplace(1.5) to q",
        0.99,
    ),
    "up and down in turn, for ten steps": (
        "param T = 0\nstream q in real\nadjacent every q within 1\nreport hot when q >= T\nstop when step >= 10\n"
        "attach laplace(20) to T once\nattach laplace(20) to q",
        0.95,
    ),
    "clipped before it is shown": (
        "stream x in 0..5\nadjacent one x within 1\nstop return clip(x, 0, 5)\nattach geometric(0.9) to x",
        0.99,
    ),
    "flips of several records": (
        "dataset b in {0, 1} size 12\nadjacent replace 4\nstop return b\nattach randomized_response(0.6) to b",
        0.99,
    ),
}


@pytest.mark.parametrize("name", DEEP)
def test_the_loss_that_is_reached(name: str) -> None:
    text, part = DEEP[name]
    assert reached(program(text)) >= part


def test_a_refuted_dp_claim_says_which_delta_it_needs() -> None:
    """A plain candidacy leaks into later levels: the longer the streams differ in it, the likelier they are told apart
    (the gap of PAPRIKA, which needs a delta near 1)."""
    result = checked("zhang2021/paprika")
    found = next(v for v in result.verdicts if v.claim.kind == "strong")
    assert found.verdict == "refuted" and found.witness is not None
    needed = excess(found.witness, 5.0)
    assert needed >= 0.96
    assert found.witness.p - exp(5) * found.witness.q == pytest.approx(needed, abs=1e-6)
    assert found.because == f"this epsilon needs a delta of at least {int(needed * 1e4) / 1e4:g}"
    assert len(found.witness.streams[0]) > 100


def test_no_epsilon_is_said_as_such() -> None:
    text = "stream x in {0, 1}\nstop when x >= 1 return yes\nstop return no\nclaim strong pure(5)"
    (verdict,) = check(load(Source("t.seq", f"algorithm t\n{text}\n"))).verdicts
    assert verdict.witness is not None and verdict.witness.loss == inf
    assert verdict.because.startswith("no finite epsilon")


def test_a_horizon_limits_a_dp_witness() -> None:
    made = load(read("@zhang2021/paprika")).program
    found = refute(made, "dp", 5.0, delta=2.5e-4, horizon=30)
    assert found is not None
    assert len(found.streams[0]) <= 30
