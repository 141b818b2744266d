"""Two statistics that look back at the same thing share one cell."""

from __future__ import annotations

from math import log

import pytest
from scipy.stats import norm

from seqlang.analyses.witnesses.recompute import enclosure
from seqlang.backends.transcript.follow import Follower
from seqlang.driver import load
from seqlang.proof.witness import Event
from seqlang.source import Source

TEXT = """algorithm a
stream x in [0, 1]
draw w ~ gaussian(1)
statistic rise = x - previous(x, 0)
statistic fall = x - previous(x, 0)
attach w to rise
attach w to fall
stop when rise > 2.5 return high
stop when fall <= -1.5 return low
"""


def test_both_see_the_value_of_the_step_before() -> None:
    program = load(Source("a.seq", TEXT)).program
    assert program is not None
    low, high = enclosure(Follower(program), (0.5, 0.5), Event(stopped_at=2, result="low"))
    first = norm.cdf(2.0) - norm.cdf(-2.0)  # rise = fall = 0.5 + w
    assert (low, high) == pytest.approx((log(first * norm.cdf(-1.5)),) * 2, rel=1e-9)
