"""Which numbers a text may hold: those that a double can hold too, written in a sane number of digits."""

from __future__ import annotations

from math import isinf

DIGITS = 100


def number_problem(text: str) -> str | None:
    """Why a number is refused, or None. Quick on any text, since an exact 1e999999 would take minutes to compute."""
    if len(text) <= 15 and "e" not in text and "E" not in text:
        return None
    mantissa, _, exponent = text.lower().partition("e")
    if len(mantissa) > DIGITS:
        return f"has {len(mantissa.replace('.', ''))} digits; at most {DIGITS} are read"
    if len(exponent.lstrip("+-0")) > 3:
        return "is outside the range of floating point numbers"
    value = float(text)
    if isinf(value):
        return "is larger than every floating point number"
    if value == 0.0 and mantissa.strip("0."):
        return "is so small that a floating point number cannot tell it from 0"
    return None
