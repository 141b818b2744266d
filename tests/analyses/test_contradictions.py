"""What a report says twice must agree: each kind of contradiction is made by hand, and what is right has none."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from amounts import approximate_bound, renyi_bound

from seqlang import driver
from seqlang.analyses.bounds import Bounds
from seqlang.analyses.claims import Verdict
from seqlang.analyses.contradictions import Contradiction, contradictions
from seqlang.analyses.contradictions.law import law_contradictions
from seqlang.analyses.weak.summary import Least
from seqlang.analyses.weak.worst import Worst
from seqlang.arithmetic.formula import number
from seqlang.backends.solve.solution import Solution
from seqlang.model.program import Program
from seqlang.proof.derivation import ApproximateBound, ConcentratedBound, Derivation, PureBound, RenyiBound
from seqlang.proof.witness import Event, Witness
from seqlang.source import Source

TEXT = """algorithm one "one release"
param eps = 1
stream x in {0, 1}
model m: x ~ bernoulli(1 / 2)
statistic s = sum(x over steps)
report r = s when step == 3
attach laplace(1 / eps) to r
stop when step >= 3
claim strong pure(eps)
claim strong dp(eps / 2, 1e-6) expect refuted
claim strong zcdp(1 / 2)
claim strong rdp(2, 3 / 4)
claim weak pure(1) under m
"""
STREAMS = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0))


@pytest.fixture(scope="module")
def program() -> Program:
    return driver.load(Source("one.seq", TEXT)).program


def witness(p: float, q: float, steps: int = 3) -> Witness:
    return Witness(STREAMS, Event(stopped_at=steps), p, q, float(np.log(p / q)))


def verdict(program: Program, claim: int, word: Any, seen: Witness | None = None) -> Verdict:
    return Verdict(program.claims[claim], word, "by hand", witness=seen)


def bounds(*derivations: Derivation) -> Bounds:
    of = {type(d.conclusion): d for d in derivations}
    return Bounds(
        pure=of.get(PureBound), rdp=tuple(d for d in derivations if isinstance(d.conclusion, RenyiBound)),
        zcdp=of.get(ConcentratedBound), dp=of.get(ApproximateBound), delta=Fraction(1, 10**6), horizon=None,
        open_goals=(), alternatives=(), groups=(),
    )  # fmt: skip


def proved(conclusion: Any) -> Derivation:
    return Derivation(conclusion, "a rule")


GATES = ("r",)
PURE = proved(PureBound(GATES, number(1)))
SEEN = witness(0.5, 0.5 * float(np.exp(-1.2)))  # a loss of 1.2


def found(program: Program, bound: Bounds, *seen: Witness, **more: Any) -> tuple[Contradiction, ...]:
    verdicts = more.pop("verdicts", ())
    return contradictions(program, bound, seen, verdicts, **more)


@pytest.mark.parametrize(
    "wrong",
    [
        PureBound(GATES, number(1)),
        approximate_bound(GATES, 1.19, 1e-6, None),
        approximate_bound(GATES, 1.19, 1e-6, 3),
        # log(p^2 / q + (1 - p)^2 / (1 - q)) is 0.6701 for p = 0.5 and q = 0.5 e^-1.2: the divergence of order 2
        renyi_bound(GATES, 2.0, 0.67, None),
        ConcentratedBound(GATES, number(Fraction(33, 100)), None),
    ],
)
def test_a_witness_above_a_bound(program: Program, wrong: Any) -> None:
    (one,) = found(program, bounds(proved(wrong)), SEEN)
    assert one.first_by == "the proof by a rule"
    assert one.second_by.startswith("a witness")


@pytest.mark.parametrize(
    "right",
    [
        PureBound(GATES, number(Fraction(12, 10))),
        approximate_bound(GATES, 1.2, 1e-6, None),
        approximate_bound(GATES, 0.5, 1e-6, 2),  # for two steps only: the event takes three
        renyi_bound(GATES, 2.0, 0.671, None),
        ConcentratedBound(GATES, number(Fraction(72, 100)), None),  # 1.2^2 / 2
    ],
)
def test_a_witness_below_a_bound(program: Program, right: Any) -> None:
    assert found(program, bounds(proved(right)), SEEN) == ()


def test_a_witness_of_its_own_at_delta(program: Program) -> None:
    bound = bounds(proved(approximate_bound(GATES, 1.0, 1e-6, None)))
    for epsilon, apart in ((1.0, 0), (1.001, 1)):  # at delta 1e-6 the witness forces log((0.5 - 1e-6) / q)
        seen = witness(0.5, (0.5 - 1e-6) * float(np.exp(-epsilon)))
        assert len(found(program, bound, seen)) == apart


def test_claims_against_witnesses_and_bounds(program: Program) -> None:
    nothing = bounds()
    assert found(program, nothing, SEEN, verdicts=[verdict(program, 0, "unknown")]) == ()
    (one,) = found(program, nothing, SEEN, verdicts=[verdict(program, 0, "proved")])
    assert "claim strong pure(eps)" in one.first_by
    against = verdict(program, 0, "refuted", witness(0.5, 0.4))
    (two,) = found(program, bounds(proved(PureBound(GATES, number(Fraction(99, 100))))), verdicts=[against])
    assert two.second == "refuted"
    assert found(program, bounds(proved(PureBound(GATES, number(1)))), verdicts=[against]) == ()


def test_a_claim_proved_and_a_weaker_one_refuted(program: Program) -> None:
    verdicts = [verdict(program, 0, "proved"), verdict(program, 2, "refuted", witness(0.5, 0.4))]
    assert found(program, bounds(), verdicts=verdicts) == ()  # rho 1/2 is just what pure(1) gives
    dp = [verdict(program, 0, "refuted", witness(0.5, 0.4))]
    assert len(found(program, bounds(proved(PureBound(GATES, number(Fraction(1, 2))))), verdicts=dp)) == 1


@pytest.mark.parametrize(
    ("loose", "tight"),
    [
        (approximate_bound(GATES, 1.1, 1e-6, None), approximate_bound(GATES, 1.0, 1e-6, None)),
        (ConcentratedBound(GATES, number(1), None), ConcentratedBound(GATES, number(Fraction(1, 2)), None)),
        (renyi_bound(GATES, 4.0, 1.01, None), renyi_bound(GATES, 4.0, 1.0, None)),
    ],
)
def test_bounds_against_conversions(program: Program, loose: Any, tight: Any) -> None:
    (one,) = found(program, bounds(PURE, proved(loose)))
    assert one.second == ("at most 0.5" if isinstance(loose, ConcentratedBound) else "at most 1")
    assert found(program, bounds(PURE, proved(tight))) == ()


def least(lower: float, upper: float) -> Least:
    worst = Worst(lower, upper, 0.0, 1, None, 3)
    return Least("m", Fraction(1, 10**6), worst, worst, True)


def test_the_average_case(program: Program) -> None:
    bound = bounds(PURE)
    assert found(program, bound, weak=[least(0.9, 0.95)]) == ()
    assert len(found(program, bound, weak=[least(1.1, 1.2)])) == 1
    weak = verdict(program, 4, "proved")
    assert found(program, bounds(), verdicts=[weak], weak=[least(0.9, 1.2)]) == ()
    assert len(found(program, bounds(), verdicts=[weak], weak=[least(1.1, 1.2)])) == 1


def test_the_whole_report_agrees() -> None:
    result = driver.check(driver.load(Source("one.seq", TEXT)))
    assert [v.verdict for v in result.verdicts] == ["proved", "refuted", "proved", "proved", "proved"]


def law(*chances: float, never: float = 0.0) -> Any:
    table = np.array([[c] for c in chances])
    unresolved = never
    return Solution(("out",), table, unresolved, never=never, error=1e-12)


def test_laws_against_what_is_known_without_them(program: Program) -> None:
    assert law_contradictions(program, "m", law(0.0, 0.0, 1.0)) == ()
    (late,) = law_contradictions(program, "m", law(0.0, 0.0, 0.9, 0.1))
    assert late.first == "at most 3 steps"
    (short,) = law_contradictions(program, "m", law(0.0, 0.0, 0.9))
    assert short.about == "the chances of all outcomes"


def test_a_law_that_never_ends_although_it_must() -> None:
    text = (
        'algorithm walk "walk"\nstream x in {0, 1}\nmodel m: x ~ bernoulli(1 / 2)\n'
        "stop when sum(x + 1 over steps) >= 4\nclaim probability(stops) >= 1"
    )
    walk = driver.load(Source("walk.seq", text)).program
    assert law_contradictions(walk, "m", law(0.5, 0.5)) == ()
    (one,) = law_contradictions(walk, "m", law(0.5, 0.4, never=0.1))
    assert "never stops" in one.second


def audited(hits: tuple[int, int], runs: int) -> Any:
    return SimpleNamespace(hits=hits, runs=runs, streams=STREAMS)


def test_simulated_runs(program: Program) -> None:
    """Counts that show a loss of log 4, and such that show it with too little certainty."""
    bound = bounds(PURE, proved(approximate_bound(GATES, 1.0, 1e-6, 2)))
    assert found(program, bound, audit=audited((4000, 1000), 100_000)) != ()
    assert found(program, bound, audit=audited((40, 10), 1_000)) == ()
    (one,) = found(program, bounds(PURE), audit=audited((4000, 1000), 100_000))
    assert one.second_by == "an audit of 100000 runs of each input"
    late = bounds(proved(approximate_bound(GATES, 1.0, 1e-6, 2)))  # three steps were run
    assert found(program, late, audit=audited((4000, 1000), 100_000)) == ()


def test_what_is_said_of_a_family(program: Program) -> None:
    """A witness of a family whose loss grows without bound stands against every pure bound for runs of any length."""
    family: Any = SimpleNamespace()
    growing = Witness(STREAMS, Event(not_by=3), 0.5, 0.4, 0.2, family=family)
    assert growing.lower == inf
    assert len(found(program, bounds(PURE), growing)) == 1
