"""point(value): one value, surely."""

from __future__ import annotations


def pmf_point(x: float, value: float) -> float:
    return 1.0 if x == value else 0.0


def cdf_point(x: float, value: float) -> float:
    return 1.0 if x >= value else 0.0
