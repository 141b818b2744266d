"""Results as plain values in which nothing is rounded: two of them are equal to the last digit, or differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any


def every_digit(value: Any) -> Any:
    """Records and mappings as tuples of names and values, arrays as nested lists, floats as text (NaN equals NaN)."""
    if is_dataclass(value):
        return tuple((f.name, every_digit(getattr(value, f.name))) for f in fields(value))
    if isinstance(value, Mapping):
        return tuple((name, every_digit(v)) for name, v in value.items())
    if isinstance(value, list | tuple):
        return tuple(every_digit(v) for v in value)
    if isinstance(value, float):
        return repr(value)
    return every_digit(value.tolist()) if hasattr(value, "tolist") else value
