"""Counts shown above a threshold: exact laws of what is shown, with geometric noise, for all small neighbours."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import mpmath
import pytest

from seqlang import driver
from seqlang.analyses.prove import prove
from seqlang.analyses.refute import refute
from seqlang.arithmetic.formula import Formula, enclose
from seqlang.model.program import Program
from seqlang.proof.derivation import ApproximateBound, Derivation
from seqlang.proof.replay import replay
from seqlang.rules.joint import stability_histogram
from seqlang.rules.joint.stability_histogram import RULE, SEARCH, epsilon_of
from seqlang.source import Source

NAMES = ("shown",)
TEXT = """algorithm stability
param T = {T}
dataset x in {domain} size {n}
adjacent {adjacency}
statistic counts = {counts}
statistic noisy = counts
report shown = {shown}
{stop}
attach {noise} to noisy {life}
"""
USUAL = {
    "T": "5", "domain": "1..3", "n": "6", "adjacency": "replace one", "stop": "stop", "noise": "geometric(1 / 2)",
    "counts": "[count(x[i] == c for i in records) for c in 1..3]", "life": "",
    "shown": "[if counts[c] > 0 and noisy[c] >= T then noisy[c] else 0 for c in 1..3]",
}  # fmt: skip


def program(**given: str) -> Program:
    return driver.load(Source("shown.seq", TEXT.format(**{**USUAL, **given}))).program


def epsilon(delta: Fraction | float, **given: str) -> float | str:
    found = epsilon_of(program(**given), NAMES, Fraction(delta))
    return found if isinstance(found, str) else enclose(found, {"T": Fraction(5)}).high


# ---- the oracle: laws as fractions


Law = dict[int | None, Fraction]


def tail(j: int, ratio: Fraction) -> Fraction:
    """P(noise >= j)."""
    return ratio**j / (1 + ratio) if j >= 0 else 1 - ratio ** (1 - j) / (1 + ratio)


def cell(count: int, T: int, ratio: Fraction, top: int) -> Law:
    """None: not shown. Values of `top` and more together: there ratios of two laws no longer change."""
    if count <= 0:
        return {None: Fraction(1)}
    values = range(T, max(T, top))
    law: Law = {k: (1 - ratio) / (1 + ratio) * ratio ** abs(k - count) for k in values}
    law[max(T, top)] = tail(max(T, top) - count, ratio)
    law[None] = 1 - sum(law.values())
    return law


def divergence(one: tuple[int, ...], other: tuple[int, ...], T: int, ratio: Fraction, factor: Fraction) -> Fraction:
    """sum of (P - factor Q)+ over what is shown of the coordinates that differ."""
    top = max(*one, *other)
    pairs = [(cell(a, T, ratio, top), cell(b, T, ratio, top)) for a, b in zip(one, other, strict=True) if a != b]
    total = Fraction(0)
    for outcome in product(*(set(p) | set(q) for p, q in pairs)):
        p = math.prod((law.get(o, Fraction(0)) for o, (law, _) in zip(outcome, pairs, strict=True)), start=Fraction(1))
        q = math.prod((law.get(o, Fraction(0)) for o, (_, law) in zip(outcome, pairs, strict=True)), start=Fraction(1))
        total += max(Fraction(0), p - factor * q)
    return total


def neighbours(adjacency: str, n: int, cells: int = 3) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Pairs of histograms of n records, both ways round."""
    k = 2 if adjacency.endswith("2") else 1
    of_n = [c for c in product(range(n + 1), repeat=cells) if sum(c) == n]
    if adjacency.startswith("replace"):
        yield from (
            (a, b) for a in of_n for b in of_n if a != b and sum(abs(u - v) for u, v in zip(a, b, strict=True)) <= 2 * k
        )
        return
    fewer = [c for c in product(range(n + 1), repeat=cells) if sum(c) == n - k]
    for a, b in product(of_n, fewer):
        if all(u >= v for u, v in zip(a, b, strict=True)):
            yield a, b
            yield b, a


def worst(adjacency: str, T: int, ratio: Fraction, factor: Fraction, n: int = 6, cells: int = 3) -> Fraction:
    return max(divergence(a, b, T, ratio, factor) for a, b in neighbours(adjacency, n, cells))


@pytest.mark.parametrize(("T", "ratio"), [(3, Fraction(1, 2)), (5, Fraction(2, 3))])
@pytest.mark.parametrize(
    ("adjacency", "moved", "most"),
    [("replace one", 2, lambda t: t(1)), ("add or remove one", 1, lambda t: t(1)),
     ("replace 2", 4, lambda t: max(2 * t(1), t(2)))],
)  # fmt: skip
def test_no_neighbours_lose_more(adjacency: str, moved: int, most: object, ratio: Fraction, T: int) -> None:
    """The exact delta at the proved epsilon is no larger, and for one entry it is the very delta of the rule."""
    assert callable(most)
    delta = most(lambda w: tail(T - w, ratio))
    given = {"adjacency": adjacency, "T": str(T), "noise": f"geometric({ratio})"}
    found = epsilon(delta, **given)
    assert found == pytest.approx(moved * math.log(1 / ratio), rel=1e-12)
    assert isinstance(epsilon(delta * Fraction(999, 1000), **given), str)
    true = worst(adjacency, T, ratio, (1 / ratio) ** moved, n=4)
    assert true <= delta
    assert true == delta or adjacency == "replace 2"


def test_less_epsilon_would_not_do() -> None:
    """Two values that many hold: both are shown, and both tell."""
    T, ratio = 9, Fraction(1, 2)
    assert isinstance(epsilon(tail(T - 1, ratio), T=str(T)), float)
    pair = (14, 14), (13, 15)
    assert divergence(*pair, T, ratio, Fraction(2) ** 2 * Fraction(9, 10)) > tail(T - 1, ratio)


def test_the_chance_of_laplace_noise() -> None:
    """The least delta that is accepted is P(1 + noise >= T), integrated by mpmath."""
    for T, b in ((6.0, 1.5), (10.5, 2.0)):
        chance = mpmath.quad(lambda z, b=b: mpmath.exp(-abs(z) / b) / (2 * b), [T - 1, T + 20, mpmath.inf])
        given = {"T": str(T), "noise": f"laplace({b})"}
        assert epsilon(float(chance) * (1 + 1e-9), **given) == pytest.approx(2 / b)
        assert isinstance(epsilon(float(chance) * (1 - 1e-9), **given), str)


HELD = "counts[c] > 0 and noisy[c] >= T"


@pytest.mark.parametrize(
    "given",
    [
        {"shown": "[if noisy[c] >= T and 0 < counts[c] then noisy[c] else 0 for c in 1..3]"},
        {"shown": "[if counts[c] >= 1 and T < noisy[c] then 2 * noisy[c] + c else 0 - c for c in 1..3]"},
        {"shown": "[if counts[c] > 0 then (if noisy[c] >= T then noisy[c] else 0) else 0 for c in 1..3]"},
        {"shown": f"count({HELD} for c in 1..3)"},
        {"shown": f"max(if {HELD} then noisy[c] else 0 for c in 1..3)"},
        {"shown": f"[if {HELD} and noisy[c] <= 2 * T then 1 else 0 for c in 1..3]"},
        {"counts": "[sum(if x[i] == c then 1 else 0 for i in records) for c in 1..3]"},
        {"life": "once"},
    ],
)
def test_functions_of_what_is_shown(given: dict[str, str]) -> None:
    assert epsilon(tail(4, Fraction(1, 2)), **given) == pytest.approx(2 * math.log(2))


def test_steps_add_up() -> None:
    given = {"stop": "stop when step >= 3"}
    assert epsilon(3 * tail(4, Fraction(1, 2)), **given) == pytest.approx(6 * math.log(2))
    assert isinstance(epsilon(2.99 * float(tail(4, Fraction(1, 2))), **given), str)


def test_what_may_fall_is_not_halved_where_terms_have_signs() -> None:
    """One record of 3 sums may lower two of them: of one that adds 1 here and takes 1 there, both are gone."""
    signed = "[sum(if x[i] == c then 1 else if x[i] == c + 1 then -1 else 0 for i in records) for c in 1..3]"
    assert isinstance(epsilon(tail(4, Fraction(1, 2)), counts=signed), str)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"shown": "[if noisy[c] >= T then noisy[c] else 0 for c in 1..3]"}, ""),
        ({"shown": "[if counts[c] > 0 then noisy[c] else 0 for c in 1..3]"}, ""),
        ({"shown": f"[if {HELD} then noisy[c] else noisy[c] for c in 1..3]"}, ""),
        ({"shown": f"[if {HELD} then counts[c] else 0 for c in 1..3]"}, ""),
        ({"shown": f"[if {HELD} then noisy[1] else 0 for c in 1..3]"}, ""),
        ({"shown": f"[if {HELD} then 1 else counts[c] for c in 1..3]"}, ""),
        ({"shown": "[if counts[4 - c] > 0 and noisy[c] >= T then 1 else 0 for c in 1..3]"}, ""),
        ({"shown": "[if counts[c] > 1 and noisy[c] >= T then 1 else 0 for c in 1..3]"}, ""),
        ({"shown": "[if counts[c] > 0 then (if noisy[c] >= T then noisy[c] else 1) else 0 for c in 1..3]"}, ""),
        ({"shown": "[if counts[c] > 0 and noisy[c] >= T + counts[1] then 1 else 0 for c in 1..3]"}, ""),
        ({"counts": "[count(x[i] == c for i in records) / 2 for c in 1..3]"}, "not known to be whole"),
        ({"counts": "[count(x[i] == c for i in records) + z for c in 1..3]\ndraw z ~ geometric(1 / 2)"}, "also part"),
        ({"T": "0"}, "not above"),
        ({"noise": "gaussian(1)"}, ""),
        ({"stop": "stop when noisy[1] >= 3\nstop"}, ""),
        ({"stop": "stop when step >= 2", "life": "once"}, "one draw"),
        ({"stop": "param u = 1"}, "number of steps"),
    ],
)
def test_what_it_refuses(given: dict[str, str], why: str) -> None:
    found = epsilon(0.9, **given)
    assert isinstance(found, str)
    assert why in found


def test_it_is_found_and_replayed() -> None:
    given, delta = program(T="24"), Fraction(1, 10**6)
    offered = SEARCH.suggest(given, NAMES, delta)
    assert not isinstance(offered, str)
    assert not replay(given, offered)
    bound = prove(given, delta=delta).dp
    assert bound is not None
    assert bound.rule == RULE.name
    wrong = Derivation(ApproximateBound(NAMES, offered.conclusion.epsilon / 2, delta, None), RULE.name)
    assert replay(given, wrong)


def test_half_of_the_threshold_is_refuted() -> None:
    """A value that only one dataset has is shown with probability tail(T - 1); the witness says that number."""
    given = program(T="12")
    found = refute(given, "dp", 1.4, delta=1e-6)
    assert found is not None
    assert found.p == pytest.approx(float(tail(11, Fraction(1, 2))), rel=1e-9)
    assert found.q == 0


def test_a_rule_that_counts_too_little_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted fault: the value comes back with no noise at 1 already. Enumeration and a witness see it."""
    right = stability_histogram._Noise.reaches

    def wrong(self: object, moved: int) -> Formula:
        return right(self, moved) / 1000

    monkeypatch.setattr(stability_histogram._Noise, "reaches", wrong)
    delta = tail(11, Fraction(1, 2)) / 1000
    assert isinstance(epsilon(delta, T="12"), float)
    assert worst("replace one", 12, Fraction(1, 2), Fraction(4), n=3) > delta
    assert refute(program(T="12"), "dp", 2 * math.log(2), delta=float(delta)) is not None
