"""Logarithms of chances of an answer whose values are known: all values are tried, so that a sum of them is finite."""

from __future__ import annotations

import pytest

from seqlang.driver import load
from seqlang.rules.sensitivity.totality.values import obstacle
from seqlang.source import Source

ANSWERS = {
    "drawn": "draw y ~ bernoulli(if x == 1 then 3/4 else 1/4)",
    "weighted": "draw y ~ {0: if x == 1 then 1/4 else 3/4, 1: if x == 1 then 3/4 else 1/4}",
    "attached": "statistic y = x\nattach randomized_response(3/4) to y",
}
SPEC = """algorithm answers
stream x in {{0, 1}}
let N0 = {null}
let N1 = {other}
{answer}
statistic s = sum({of} over steps)
stop when s >= 3 return up
stop when step >= 20 return no
"""
PAIRS = [("bernoulli(0.4)", "bernoulli(0.6)"), ("binomial(1, 0.3)", "bernoulli(0.6)"), ("poisson(2)", "poisson(3)"),
         ("{0: 0.4, 1: 0.6}", "{0: 0.6, 1: 0.4}")]  # fmt: skip
OF = ["log(N1.pmf(y) / N0.pmf(y))", "(log(N1.pmf(y)) - log(N0.pmf(y)))", "log(N0.pmf(y))", "1 / N0.pmf(y)"]


def _obstacle(answer: str, null: str, other: str, of: str) -> str | None:
    text = SPEC.format(null=null, other=other, answer=answer, of=of)
    return obstacle(load(Source("answers", text)).program)


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("of", OF)
def test_finite(answer: str, of: str) -> None:
    for null, other in PAIRS:
        assert _obstacle(ANSWERS[answer], null, other, of) is None


@pytest.mark.parametrize("answer", ANSWERS)
def test_not_finite(answer: str) -> None:
    """The answer 1 has no chance under the null."""
    for of in OF[1:3]:
        assert "infinite" in (_obstacle(ANSWERS[answer], "bernoulli(0)", "bernoulli(0.6)", of) or "")


def test_what_the_answer_is_about_may_fail() -> None:
    """The values of the answer are known, and yet there is none where 0 is divided by 0."""
    answer = "statistic y = if x / x >= 1 then 1 else 0\nattach randomized_response(3/4) to y"
    assert "0 by 0" in (_obstacle(answer, *PAIRS[0], OF[2]) or "")
