"""No bound is below the exact loss, whatever the law and the life of a threshold noise."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import replace

import pytest
from lives import ERROR, LIVES, Instance, exact_loss, random_instance
from thorough import several

from seqlang import driver
from seqlang.analyses.prove import prove
from seqlang.proof.derivation import PureBound
from seqlang.report.numbers import upper
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.source import Source

STAIRS = Instance(
    threshold="staircase(1, 1, 0.5)", look="laplace(1)", life="each Q", total="all", every=False, bar=0, period=2,
    limit="stop", most=1, horizon=6,
)  # fmt: skip


def _bound(instance: Instance) -> float:
    model = driver.load(Source("<instance>", instance.text)).program
    found = prove(model, orders=()).pure
    if found is None:
        return math.inf
    assert isinstance(found.conclusion, PureBound)
    return upper(found.conclusion.epsilon, parameter_values(model))


def _judge(instance: Instance) -> float:
    bound = _bound(instance)
    if bound < math.inf:
        loss = exact_loss(instance)
        assert loss <= bound + ERROR, f"exact {loss} > proved {bound}\n{instance.text}"
    return bound


def test_a_refreshed_noise_is_paid_for_in_every_segment() -> None:
    for every in (False, True):
        for total in ("all", "now"):
            _judge(replace(STAIRS, every=every, total=total))
    assert exact_loss(STAIRS) > 2
    assert _bound(replace(STAIRS, horizon=None)) == math.inf


@pytest.mark.parametrize(
    ("instance", "bound"),
    [
        # two reports read two draws, and nobody reads the third; the sum rises, each draw rises with it
        (Instance("laplace(1)", "laplace(1)", "each T", "all", False, 0, 2, "guard", 2, None), 2),
        # Q is made at steps 2, 4, 6 and 8: five draws
        (Instance("geometric(1/2)", "geometric(1/2)", "each Q", "all", False, 0, 2, "stop", 1, 9), 5 * math.log(2)),
    ],
)
def test_draws_that_nobody_reads_cost_nothing(instance: Instance, bound: float) -> None:
    assert _bound(instance) == pytest.approx(bound)


@pytest.mark.parametrize("seed", range(several(2, 5)))
def test_no_bound_is_below_the_exact_loss(seed: int) -> None:
    rng = random.Random(seed)
    finite = [instance for instance in (random_instance(rng) for _ in range(10)) if _judge(instance) < math.inf]
    assert len(finite) >= 3


@pytest.mark.long
def test_every_law_has_every_life() -> None:
    rng = random.Random(2026)
    finite = Counter((i.threshold, i.life) for i in (random_instance(rng) for _ in range(2000)) if _judge(i) < math.inf)
    assert {life for _, life in finite} == set(LIVES)
    assert len({law for law, _ in finite}) == 5


TRUTHS = """
algorithm a
stream x in {0, 1}
draw z ~ laplace(1) each R
draw w ~ laplace(1)
statistic s = sum(x over steps)
report R = (step == 9) when step >= 1
stop when s + w >= z
"""


@pytest.mark.parametrize("end", ["stop when step >= 1 and R", "stop when step >= 9"])
def test_a_report_that_says_false_refreshes_too(end: str) -> None:
    """R is made in every step, though it is true in one: a run has nine draws of z, and a loss of 6.3905."""
    model = driver.load(Source("<instance>", TRUTHS + end)).program
    found = prove(model, orders=()).pure
    assert found is None or upper(found.conclusion.epsilon, {}) >= 6.39


ONE_OR_ZERO = """
algorithm a
stream x in {0, 1}
memory m = 0
draw z ~ laplace(1) each R
draw w ~ laplace(1) each step
statistic s = sum(x over steps)
report R = (if s + w >= z then 1 else 0) when step >= 1
"""


@pytest.mark.parametrize(
    "end",
    [
        "update m = m + R when step >= 1\nstop when m >= 1",
        "stop when sum(if step >= 1 then R else 0 over steps) >= 1",
    ],
)
def test_a_report_that_says_zero_refreshes_too(end: str) -> None:
    """R is made in every step, though it is 1 in one: z is as new as w in each of T steps. No 1 in four of them has
    chance 0.5^4 where s is 0, and where it is 1 P(w - z < -1)^4 with P = (1/2 + 1/4) / e; the loss grows with T."""
    model = driver.load(Source("<instance>", ONE_OR_ZERO + end)).program
    found = prove(model, orders=()).pure
    loss = 4 * math.log(0.5 / (0.75 / math.e))
    assert found is None or upper(found.conclusion.epsilon, {}) >= loss
