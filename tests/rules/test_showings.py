"""A value made of several noisy names, shown at the end, costs what it shows once; bounds by hand."""

from __future__ import annotations

import pytest

from seqlang import driver
from seqlang.source import Source

HEAD = """algorithm t
param n in 1.. = 50
stream x in {0, 1}, y in {0, 1}
statistic a = sum(x over steps)
statistic b = sum(y over steps)
attach laplace(4) to a, b
"""


def pure(text: str) -> float:
    bounds = driver.check(driver.load(Source("t", HEAD + text))).to_dict()
    return float(bounds["strong"]["pure"]["upper"])


def test_a_ratio_returned_at_the_end_is_two_releases() -> None:
    """Each sum moves by at most 1 under noise of scale 4: 1/4 + 1/4."""
    assert pure("stop when step >= n return a / max(b, 1)") == pytest.approx(0.5)


def test_read_in_every_step_it_counts_in_every_step() -> None:
    """Whatever the return adds, the report alone shows both in each of 50 steps."""
    text = "report r = a / max(b, 1)\nstop when step >= n return a / max(b, 1)"
    assert pure(text) == pytest.approx(50 * 0.5)


def test_the_same_words_may_speak_of_another_moment() -> None:
    """Memory moves between the report and the stop, and back below: reports go on, and the stop never happens."""
    text = """memory m = 3
memory k = 0
report r = a / max(b, 1) when m + k >= 3
update m = -k
stop when m + k >= 3
update k = 3 - m
"""
    assert pure(text) == float("inf")


def test_noise_in_a_cell_is_drawn_in_every_step() -> None:
    """The local model: the sums read a noisy value of each step, whenever they are shown. An entry is in one step."""
    text = """statistic u = x
statistic v = y
attach laplace(2) to u, v
stop when step >= n return sum(u over steps) / max(sum(v over steps), 1)
"""
    assert pure(text) == pytest.approx(1.0)
