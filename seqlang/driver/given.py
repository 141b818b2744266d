"""Numbers as callers from Python give them: of Python, of `fractions` and `decimal`, as text, of NumPy, as an array
without dimensions. What comes out is Python's own, so that arithmetic on it stays exact."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any, SupportsFloat, SupportsInt, overload

from seqlang.diagnostics import SpecError

Number = int | float | Fraction | Decimal | str | SupportsInt | SupportsFloat
"""The last two are NumPy's scalars and arrays without dimensions."""
_LEAST, _LARGEST = 1e-300, 1e300


def number(value: Number, what: str) -> Fraction:
    """The value, exact; a float stands for its shortest decimal. Raises SpecError E0602 for what is no number, is not
    finite, or is no zero and below 1e-300 or above 1e300 in size."""
    try:
        plain = _plain(value)
        exact = Fraction(repr(plain)) if isinstance(plain, float) else Fraction(plain)
        if exact and not _LEAST < abs(exact) < _LARGEST:
            raise OverflowError
    except (ValueError, TypeError, OverflowError, ZeroDivisionError):
        raise SpecError.of("E0602", f"{what}: {_short(value)} is not a number that can be used here") from None
    return exact


@overload
def whole(value: Number, what: str, least: int = 1) -> int: ...
@overload
def whole(value: Number | None, what: str, least: int = 1) -> int | None: ...
def whole(value: Number | None, what: str, least: int = 1) -> int | None:
    """A whole number of at least `least`; None stays None. Raises SpecError E0602, E0603."""
    if value is None:
        return None
    exact = number(value, what)
    if exact.denominator != 1 or exact < least:
        raise SpecError.of("E0603", f"{what} is {_short(value)}: it must be a whole number of at least {least}")
    return int(exact)


def between(value: Number, what: str, low: float, high: float) -> Fraction:
    """A number strictly between `low` and `high`. Raises SpecError E0602, E0603."""
    exact = number(value, what)
    if not low < exact < high:
        above = f"above {low:g}" if math.isinf(high) else f"strictly between {low:g} and {high:g}"
        raise SpecError.of("E0603", f"{what} is {_short(value)}: it must lie {above}")
    return exact


def numbers(values: Iterable[Number], what: str) -> list[Fraction]:
    """All of them: of a list, of an array. Raises SpecError E0602 for what is none."""
    try:
        found = [values] if isinstance(values, str) else list(values)
    except TypeError:
        raise SpecError.of("E0602", f"{what}: {_short(values)} is not a list of numbers") from None
    return [number(value, what) for value in found]


def parts(values: Iterable[Number | Iterable[Number]], what: str) -> list[tuple[Fraction, ...]]:
    """Numbers, or several at a time: each number by itself is one part. Raises SpecError E0602."""
    try:
        listed = [values] if isinstance(values, str) else list(values)
    except TypeError:
        raise SpecError.of("E0602", f"{what}: {_short(values)} is not a list of numbers") from None
    return [tuple(numbers(_several(part), what)) for part in listed]


def _several(part: Any) -> Iterable[Number]:
    several = isinstance(part, Iterable) and not isinstance(part, str) and getattr(part, "shape", None) != ()
    return part if several else [part]


def _plain(value: Any) -> Any:
    """NumPy's numbers as text, which has the digits that they were written with, or as Python's."""
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        kind = getattr(getattr(value, "dtype", None), "kind", "")
        return str(value[()]) if kind == "f" else value.item()
    return value


def _short(value: object) -> str:
    text = str(value) if getattr(value, "shape", None) == () else repr(value)
    return text if len(text) <= 60 else f"{text[:60]}.."
