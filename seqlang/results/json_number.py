"""Numbers in JSON: NaN never occurs; infinity is the string "inf"."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any


def json_number(value: float | int | Fraction | None) -> Any:
    """A JSON value: null is not computed, "inf" infinite."""
    if value is None:
        return None
    number = float(value)
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    if isinstance(value, Fraction | float) and number.is_integer() and abs(number) < 1e15:
        return float(number)
    return number


def json_value(value: Any) -> Any:
    """A value of numbers, texts, tuples, lists and mappings in them, as JSON holds it."""
    if isinstance(value, Mapping):
        return {key: json_value(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(inner) for inner in value]
    return json_number(value) if isinstance(value, float) else value
