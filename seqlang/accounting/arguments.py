"""What the accounting functions accept; everything else raises `ValueError` naming the argument."""

from __future__ import annotations

import math


def positive(name: str, value: float) -> float:
    """A finite number above 0."""
    if not 0 < value < math.inf:
        raise ValueError(f"{name} must be a finite number above 0, got {value}")
    return float(value)


def not_negative(name: str, value: float) -> float:
    """A number from 0 on; infinity is allowed (no bound)."""
    if not value >= 0:
        raise ValueError(f"{name} must not be negative, got {value}")
    return float(value)


def finite(name: str, value: float) -> float:
    if not math.isfinite(value):
        raise ValueError(f"{name} must be a finite number, got {value}")
    return float(value)


def inside_unit(name: str, value: float) -> float:
    """A probability strictly between 0 and 1 (a delta of 1 or more would say nothing)."""
    if not 0 < value < 1:
        raise ValueError(f"{name} must lie strictly between 0 and 1, got {value}")
    return float(value)


def delta_or_zero(name: str, value: float) -> float:
    if not 0 <= value < 1:
        raise ValueError(f"{name} must be at least 0 and below 1, got {value}")
    return float(value)


def renyi_order(name: str, value: float) -> float:
    """A Renyi order: above 1 and finite."""
    if not 1 < value < math.inf:
        raise ValueError(f"{name} must be a finite Renyi order above 1, got {value}")
    return float(value)


def count(name: str, value: int) -> int:
    """A whole number from 1 on. A float is refused even if it is whole: counts come from counting."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"{name} must be a whole number, at least 1, got {value}")
    return value
