"""Weights of listed values, which are normalised: how small they may be."""

from __future__ import annotations

from typing import Any

from seqlang.laws.numbers import LEAST_TOTAL

TOO_SMALL = "all weights are too small for a number of the machine: subtract the largest exponent, or scale the weights"


def is_too_small(total: Any) -> Any:
    """Whether a sum of weights that are not all 0 is; of arrays, for each."""
    return (total > 0) & (total < LEAST_TOTAL)
