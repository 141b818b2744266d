"""The numbers that laws are made of, far out, where squares overflow."""

from __future__ import annotations

import math

from seqlang.laws.numbers import stirling_error


def test_stirling_far_out() -> None:
    """It is 1 / (12 k) less what is smaller: also for whole numbers of which the square is no float."""
    for k in (10**6, 1e200, 10**300):
        assert math.isclose(stirling_error(k), 1 / 12 / k, rel_tol=1e-9)
