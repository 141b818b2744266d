"""What a report says where nothing is proved: advice that helps, and what it means that nothing was refuted."""

from __future__ import annotations

from io import StringIO

import pytest

import seqlang

HEAD = "algorithm t\n"
SHOWN = "report r = s when step == 10\nstop when step >= 10\nattach laplace(1) to s\nclaim strong pure(0.001)\n"
COIN = "stream x in {0, 1}\n"
LAWS = "model null: x ~ bernoulli(0.2)\nmodel other: x ~ bernoulli(0.7)\n"


def said(text: str) -> str:
    """The report in one line."""
    out = StringIO()
    print(seqlang.check(seqlang.load(HEAD + text)), file=out)
    return " ".join(out.getvalue().split())


KEPT = [
    # once 1 always 1; the step of the last 1
    "stream x in [0, 1]\nstatistic s = if x > 0 then 1 else previous(s, 0)\n" + SHOWN,
    COIN + "statistic s = max((if x == 1 then step else 0) over steps)\n" + SHOWN,
]


@pytest.mark.parametrize("text", KEPT)
def test_a_clip_is_also_a_way_to_say_a_bound(text: str) -> None:
    assert "changes nothing if the values lie between low and high anyway" in said(text)
    assert "clip it, clip(.., -A, A)" not in said(text)


def test_a_logarithm_may_say_how_near_its_argument_comes() -> None:
    statistic = "log(sum(p ^ sum(x over steps) for p in {0.1, 0.9}))"
    assert "log(max(.., least))" in said(COIN + f"statistic s = {statistic}\n" + SHOWN)


def test_ratios_of_a_few_chances_are_not_called_unbounded() -> None:
    wealth = "statistic w = previous(w, 1) * other.pmf(x) / null.pmf(x)\nstatistic s = log(w)\n"
    assert "log-likelihood ratio without bound" not in said(COIN + LAWS + wealth + SHOWN)
    laws = LAWS.replace("bernoulli(0.2)", "normal(0, 1)").replace("bernoulli(0.7)", "normal(1, 2)")
    ratio = "statistic s = log(other.pdf(x) / null.pdf(x))\n"
    assert "log-likelihood ratio without bound" in said("stream x in real\n" + laws + ratio + SHOWN)


@pytest.mark.parametrize("which, radius", [("argmax", "2"), ("argmin", "2")])
def test_a_position_in_a_list_is_bounded(which: str, radius: str) -> None:
    found = said("stream x in real\n" + f"statistic s = {which}([x, 1 - x, 0.5])\n" + SHOWN)
    assert f"s single step {radius} {radius}" in found and "clip" not in found


def test_a_second_name_has_the_noise_of_the_first() -> None:
    found = said(
        COIN + "statistic first = sum(x over steps)\nstatistic s = first\nattach laplace(2) to first\n" + SHOWN
    )
    assert "s: read with the noise of first; for noise of its own, write the definition of first" in found
    assert "read with the noise" not in said(COIN + "statistic first = x\nstatistic s = first\n" + SHOWN)


def test_how_far_refutations_see() -> None:
    vectors = "stream x in [0, 1] ^ 2\nreport r = x when step == 1\nstop when step >= 1\nattach l2_laplace(1) to r\n"
    found = said(vectors + "claim strong pure(1)\n")
    assert "? unknown" in found
    assert "says little, as only a few kinds of neighbouring streams of at most 4000 steps were tried" in found
