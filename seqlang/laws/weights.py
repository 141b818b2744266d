"""What laws divide by: the sum of the weights of listed values, and the chance between the ends of `conditioned`."""

from __future__ import annotations

from typing import Any

from seqlang.laws.numbers import LEAST_INSIDE, LEAST_TOTAL

TOO_SMALL = "all weights are too small for a number of the machine: subtract the largest exponent, or scale the weights"

TOO_RARE = (
    "a law is conditioned on what has a chance below 1/1024, of which floats know too few digits: move the ends, "
    "or list the values with their weights"
)


def is_too_small(total: Any) -> Any:
    """Whether a sum of weights that are not all 0 is; of arrays, for each."""
    return (total > 0) & (total < LEAST_TOTAL)


def is_too_rare(inside: Any) -> Any:
    """Whether the chance between two ends is; of arrays, for each."""
    return inside < LEAST_INSIDE
