"""Exact rationals as text: "-3", "1/10"."""

from __future__ import annotations

import re
from fractions import Fraction

from seqlang.certificate.unreadable import Unreadable

MOST_DIGITS = 4000
"""Of a numerator or a denominator; Python converts up to 4300."""

_WRITTEN = re.compile(r"(-?[0-9]+)(?:/([0-9]+))?")


def text_of(value: Fraction) -> str:
    """Raises Unreadable where the number is too long to be read again."""
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > 3.3 * MOST_DIGITS:
        raise Unreadable(f"a number has more than {MOST_DIGITS} digits")
    return str(value)


def fraction_of(text: str) -> Fraction:
    """Raises Unreadable."""
    found = _WRITTEN.fullmatch(text)
    if found is None or max(len(part or "") for part in found.groups()) > MOST_DIGITS:
        raise Unreadable(f"{text!r:.40} is not an exact number such as 1/10")
    top, bottom = found.groups()
    if bottom is not None and int(bottom) == 0:
        raise Unreadable(f"{text!r:.40} divides by 0")
    return Fraction(int(top), int(bottom or 1))
