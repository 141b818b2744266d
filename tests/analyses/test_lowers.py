"""Every witness bounds every line of the report, and weak privacy stays below strong privacy."""

from __future__ import annotations

from math import inf, log

import pytest

from seqlang import driver
from seqlang.report.document.plain_text import render_plain
from seqlang.results.check import CheckResult
from seqlang.source import Source

FLIPPED = """algorithm a
stream x in {0, 1}
model m: x ~ bernoulli(1/2)
report r = x
stop when step >= 1
attach randomized_response(3/4) to r
claim weak pure(2) under m
"""
"""Each answer is true with chance 3/4: the loss is log 3, and (3/4, 1/4) against (1/4, 3/4) has all that there is."""


def _checked(text: str) -> CheckResult:
    return driver.check(driver.load(Source("<test>", text)))


def test_a_witness_is_in_every_line() -> None:
    strong = _checked(FLIPPED).to_dict()["strong"]
    assert strong["pure"]["lower"] == pytest.approx(log(3))
    assert strong["dp"]["lower"] == pytest.approx(log((3 / 4 - 1e-6) / (1 / 4)))
    for row in strong["rdp"]:
        order = row["order"]
        divergence = log((3 / 4) ** order * (1 / 4) ** (1 - order) + (1 / 4) ** order * (3 / 4) ** (1 - order))
        assert row["lower"] == pytest.approx(divergence / (order - 1))
        assert row["lower"] <= row["upper"]
    order = 2
    divergence = log(9 / 16 * 4 + 1 / 16 * 4 / 3)
    assert divergence / order <= strong["zcdp"]["lower"] * (1 + 1e-9)
    assert strong["zcdp"]["lower"] <= strong["zcdp"]["upper"]


def test_the_witness_of_a_claim_counts_in_every_line() -> None:
    """The quick search finds a loss of 3; against the claim a transcript is found that a neighbour cannot make."""
    result = driver.check(driver.load(driver.read("@wang2020/weak_sprt")))
    strong = result.to_dict()["strong"]
    assert strong["pure"]["lower"] == "inf"
    assert strong["dp"]["lower"] == "inf"
    assert strong["pure"]["witness"]["q"] == 0
    (least,) = result.weak
    assert least.pure.lower <= result.lowers.pure
    assert least.epsilon.lower <= result.epsilon_at_delta


HARD_TO_FIND = """algorithm a
stream x in {0, 1}
model m: x ~ bernoulli(1/2)
draw z ~ {0: 1, 1: 99} once
statistic total = sum(x over steps)
stop when step >= 6 and total == 3 and z == 0 return rare
stop when step >= 6 return usual
claim weak pure(9) under m
"""


@pytest.mark.parametrize("text", [FLIPPED, HARD_TO_FIND])
def test_strong_privacy_is_no_better_than_weak_privacy(text: str) -> None:
    result = _checked(text)
    (least,) = result.weak
    assert least.pure.lower <= result.lowers.pure
    assert least.epsilon.lower <= result.epsilon_at_delta
    proved = result.to_dict()["strong"]
    for found, upper in ((least.pure, proved["pure"]["upper"]), (least.epsilon, proved["dp"]["upper"])):
        assert found.bound <= (inf if upper == "inf" else upper)


def test_public_fields_that_tell_are_no_part_of_strong_privacy() -> None:
    """Here weak privacy is worse than strong privacy, and the report says why."""
    text = FLIPPED.replace("stream x in {0, 1}\n", "stream x in {0, 1}\npublic y in {0, 1}\n")
    text = text.replace("x ~ bernoulli(1/2)", "x ~ bernoulli(1/2), y ~ bernoulli(x)").replace("r = x", "r = y")
    text = text.replace("attach randomized_response(3/4) to r\n", "")
    result = _checked(text)
    (least,) = result.weak
    assert (result.lowers.pure, least.pure.lower) == (0.0, inf)
    assert result.to_dict()["strong"]["pure"]["upper"] == 0
    assert "says nothing of it" in render_plain(result.document(), 120)


def test_the_exact_law_is_named_where_it_says_more_than_the_witness() -> None:
    result = _checked(FLIPPED)
    alone = result.lowers.__class__(result.program, (), result.weak)
    assert alone.pure == pytest.approx(log(3))
    assert alone.by_average == "m"
    assert result.lowers.by_average == ""
