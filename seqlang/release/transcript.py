"""What was released, as plain values that are written in one way: in a ledger, and on the screen."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from seqlang.release.exact.real import Real
from seqlang.release.exact.run import Look


def written(look: Look) -> dict[str, Any]:
    """A look as JSON: `step`, `reports` by name, and at the end `stopped`, `result`, and `by`, the number of the
    stop."""
    found: dict[str, Any] = {"step": look.step, "reports": {name: value_out(v) for name, v in look.reports}}
    return {**found, "stopped": True, "result": value_out(look.result), "by": look.by} if look.stopped else found


def value_out(value: Any) -> Any:
    """Whole numbers, labels and truth as they are, rationals as {"rational": "1/3"}, vectors as lists."""
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else {"rational": str(value)}
    if isinstance(value, tuple):
        return [value_out(v) for v in value]
    if isinstance(value, Real):
        raise TypeError("a released value is not rational")
    return value


def value_in(value: Any) -> Any:
    """The value that was written."""
    if isinstance(value, Mapping):
        return rational_in(value["rational"])
    return tuple(map(value_in, value)) if isinstance(value, list) else value


def rational_in(text: str) -> Fraction:
    """As `str` writes it. Raises ValueError, TypeError; 1e999999999 would take all memory."""
    if not re.fullmatch(r"-?\d+(/\d+)?", text, re.ASCII):
        raise ValueError("no rational number")
    return Fraction(text)
