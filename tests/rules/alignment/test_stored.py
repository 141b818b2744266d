"""Thresholds that are noisy entries kept unseen: bounds by hand, and programs just outside of the rule."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from seqlang import driver
from seqlang.analyses.prove import prove, size_of
from seqlang.model.program import Program
from seqlang.proof.derivation import PureBound
from seqlang.rules.alignment import stored
from seqlang.source import Source

PAIR = """
statistic highest = max(g where step <= 3 over steps)
statistic lowest = min(g where step <= 3 over steps)
stop when step > 3 and q > highest return top
stop when step > 3 and q < lowest return bottom
"""
FIRST = """
statistic x = if step == 1 then g else previous(x, 0)
stop when q >= x return top
"""
NOISE = """
attach laplace(8) to g
attach laplace(4) to q
"""


def program(body: str, noise: str = NOISE, adjacent: str = "every f within 1") -> Program:
    text = f"algorithm a\nstream f in real\nadjacent {adjacent}\nmodel flat: f ~ point(0)\n"
    text += "statistic g = f\nstatistic q = f\n" + body + noise
    return driver.load(Source("a.seq", text)).program


def bound(spec: Program) -> float:
    found = prove(spec).pure
    return float("inf") if found is None else size_of(spec, found)


@pytest.mark.parametrize(
    ("body", "truth"),
    [
        (FIRST, (1 + 1) / 8 + 2 / 4),  # the entry moves by -1, x by 1; at the stop the query by 2
        (FIRST.replace("q >= x", "q >= 2 * x"), (1 + Fraction(1, 2)) / 8 + 2 / 4),  # x by 1/2 moves 2 x by 1
        (FIRST.replace("step == 1", "step <= 3"), 3 * (1 + 1) / 8 + 2 / 4),  # three entries are kept in turn
        (PAIR, 3 / 8 + 2 / 8 + 2 / 4),  # three entries hide their moves, the extremes move by 1
        (PAIR.replace("q < lowest", "q < lowest - 5"), 3 / 8 + 2 / 8 + 2 / 4),
        (PAIR.split("stop when step > 3 and q <")[0], 3 / 8 + 1 / 8 + 2 / 4),
        # "q below the largest" stops: the largest of three moves down only with all of them
        (PAIR.split("stop when step > 3 and q <")[0].replace("q > highest", "q < highest"), 3 * 2 / 8 + 2 / 4),
        (FIRST.replace("if step == 1 then g else previous(x, 0)", "mean(g where step <= 2 over steps)"), 4 / 8 + 2 / 4),
        (FIRST.replace("if step == 1 then g else previous(x, 0)", "sum(g where step <= 2 over steps)"), 3 / 8 + 2 / 4),
    ],
)  # fmt: skip
def test_the_bound(body: str, truth: float) -> None:
    assert bound(program(body)) == pytest.approx(float(truth), rel=1e-9)


@pytest.mark.parametrize("k", [2, 3, 10, 200])
def test_k_min_max(k: int) -> None:
    """Each of the k entries hides a move of 1, two of them move by 1 besides, the query by 2: (k + 2)/4k + 2/4."""
    spec = driver.load(driver.read("@dipaut/k_min_max"), {"k": Fraction(k)}).program
    assert bound(spec) == pytest.approx((k + 2) / (4 * k) + 1 / 2, rel=1e-9)


OUTSIDE = {
    "read before it is stored": FIRST.replace("step == 1", "step == 2"),
    "stored by what is private": FIRST.replace("step == 1", "step == 1 or f > 3"),
    "stored by noise": FIRST.replace("step == 1", "step == 1 or q > 3"),
    "stored for ever": FIRST.replace("step == 1", "step % 5 == 1"),
    "a constant among the entries": PAIR.replace("max(g where step <= 3", "max(if step <= 3 then g else 0"),
    "the entry is shown": FIRST + "report shown = g when step == 1\n",
    "what is kept is shown": FIRST + "report shown = x when step == 5\n",
    "the entry is compared": FIRST + "stop when g >= 3 return high\n",
    "what is kept is tested without noise": FIRST + "stop when x >= 3 return high\n",
    "what is kept guards": FIRST.replace("q >= x", "x >= 0 and q >= x"),
    "what is kept is a factor": FIRST.replace("q >= x", "f * x >= q"),
    "squared": FIRST.replace("q >= x", "q >= x * x"),
    "two things are kept of one": PAIR.replace("min(g where step <= 3", "min(g where step <= 2"),
    "the extremes of one entry": PAIR.replace("step <= 3", "step <= 1"),
    "extremes that grow while they are read": PAIR.replace("step > 3", "step >= 1"),
    "the query has the noise of the entry": FIRST.replace("q >= x", "g >= x"),
    "kept and compared without noise": FIRST.replace("q >= x", "f >= x"),
}  # fmt: skip


@pytest.mark.parametrize("body", OUTSIDE.values(), ids=OUTSIDE.keys())
def test_outside_of_the_rule_nothing_is_proved(body: str) -> None:
    assert bound(program(body)) == float("inf")


@pytest.mark.parametrize(
    "noise",
    [
        NOISE.replace("laplace(8)", "gaussian(8)"),
        NOISE.replace("laplace(8)", "exponential(8)"),
        NOISE.replace("to g", "to g once"),
        "draw z ~ laplace(8)\nattach z to g\nattach z to q\n",
        NOISE + "attach laplace(3) to f\n",
    ],
)
def test_noise_that_is_not_fresh_or_not_alone(noise: str) -> None:
    assert bound(program(FIRST, noise)) == float("inf")


LEARNED = """
memory phase = 1
param t = 0
report up when phase == 1 and q > t
statistic x = if up then g else previous(x, 0)
statistic later = f
stop when phase == 2 and later > x return top
update phase = 2 when up
"""
MORE = NOISE + "attach laplace(3) to t once\nattach laplace(5) to later\n"


def test_a_threshold_stored_at_a_report() -> None:
    """Above t: 1/3 + 2/4; the entry moves by -1 and x by 1: 2/8; above x: 2/5."""
    assert bound(program(LEARNED, MORE)) == pytest.approx(1 / 3 + 2 / 4 + 2 / 8 + 2 / 5, rel=1e-9)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("stop when phase == 2 and", "stop when"),  # asked before anything is stored
        ("stop when phase == 2 and", "stop when phase != 2 and"),
        ("stop when phase == 2 and", "stop when phase == 1 and"),
        ("update phase = 2 when up", "update phase = 2"),
        ("update phase = 2 when up", "update phase = 2 when step == 1"),
        ("memory phase = 1", "memory phase = 2"),
        ("report up when phase == 1 and q > t", "report up when q > t"),  # stored without end
        ("if up then", "if up and f > 0 then"),
        ("if up then", "if phase == 1 then"),
        ("phase == 1 and q > t", "phase == 1 and g > t"),  # what is stored is compared
    ],
)
def test_outside_of_what_is_stored_at_a_report(old: str, new: str) -> None:
    body = LEARNED.replace(old, new)
    assert body != LEARNED
    assert bound(program(body, MORE)) == float("inf")


def test_entries_that_move_without_bound() -> None:
    assert bound(program(FIRST, adjacent="replace one")) == float("inf")


def test_a_smaller_bound_does_not_replay() -> None:
    spec = program(PAIR)
    names = tuple(gate.name for gate in spec.gates)
    offers = stored.suggest(spec, names)
    assert not isinstance(offers, str)
    (step,) = offers
    assert stored.RULE.holds(spec, step) is None
    assert isinstance(step.conclusion, PureBound)
    from seqlang.record import replace

    less = replace(step, conclusion=replace(step.conclusion, epsilon=step.conclusion.epsilon * Fraction(99, 100)))
    assert stored.RULE.holds(spec, less) is not None
    for evidence in (None, (), ((True, True), ()), ((False, False), step.evidence[1]), ((1, 1), step.evidence[1])):
        assert stored.RULE.holds(spec, replace(step, evidence=evidence)) is not None


def _cdf(x: np.ndarray, scale: float) -> np.ndarray:
    return np.where(x < 0, 0.5 * np.exp(np.minimum(x, 0) / scale), 1 - 0.5 * np.exp(-np.maximum(x, 0) / scale))


def _chance(quiet: tuple[float, ...], fires: float, middle: float, kept: float, fresh: float) -> float:
    """What stays below a threshold and then lies above it; the threshold has its own noise."""
    grid = np.linspace(-60 * kept, 60 * kept, 24001)
    alive = np.exp(-np.abs(grid) / kept) / (2 * kept) * (grid[1] - grid[0])
    for x in quiet:
        alive = alive * _cdf(middle + grid - x, fresh)
    return float(np.sum(alive * (1 - _cdf(middle + grid - fires, fresh))))


def test_the_loss_of_a_threshold_stored_at_a_report_by_quadrature() -> None:
    """Seven steps: three below t, one above; two below the entry seen there, one above."""

    def chance(f: tuple[float, ...]) -> float:
        return _chance(f[:3], f[3], 0, 3, 4) * _chance(f[4:6], f[6], f[3], 8, 5)

    worst = 0.0
    for high, low in product((0, 10, 30, 60), (0, -10, -30, -60)):
        one = (high, high, high, low, high + low, high + low, low + low)
        for signs in product((1, -1), repeat=4):
            moves = (signs[0],) * 3 + (signs[1],) + (signs[2],) * 2 + (signs[3],)
            other = tuple(x + m for x, m in zip(one, moves, strict=True))
            worst = max(worst, abs(math.log(chance(one) / chance(other))))
    least = bound(program(LEARNED, MORE))
    assert 0.85 * least < worst < least + 1e-3
