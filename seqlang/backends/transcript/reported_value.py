"""What a transcript says about a reported value: the value itself, or only a range, which no later step can read."""

from __future__ import annotations

from math import isfinite
from typing import Any

from seqlang.backends.transcript.unsupported import Unsupported


class Unknown:
    """Stands for a reported value of which only a range is known, and for all that is computed from it. A comparison of
    it raises `Unsupported`."""

    def _refuse(self, *_: object) -> Any:
        raise Unsupported("a later step depends on a released value of which only a range is known")

    def _spread(self, *_: object) -> Any:
        return self

    def __hash__(self) -> int:
        return 7

    def __eq__(self, other: object) -> bool:
        return other is self or bool(self._refuse())

    __bool__ = __lt__ = __le__ = __gt__ = __ge__ = __float__ = __int__ = __index__ = __iter__ = __len__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __neg__ = _spread
    __abs__ = __getitem__ = _spread


UNKNOWN = Unknown()


def observed_value(observed: Any) -> Any:
    """What later statements read of an observed value: the number, or `UNKNOWN` where only a range is known."""
    return UNKNOWN if isinstance(observed, tuple) or observed is True else observed


def number(value: Any) -> Any:
    """The value. Raises `Unsupported` where it is no number (the root of -1, 0/0): a run ends there with an error."""
    if isinstance(value, float) and value != value:
        raise Unsupported("a step that fails")
    if isinstance(value, tuple):
        for one in value:
            number(one)
    return value


NEAR, ROUNDING, SMALL = 1e-11, 2.0**-47, 1e-12
"""Two values are equal if rounding explains how they differ: by less than `ROUNDING`, relative to the larger one. They
are not told from each other where they differ by less than `NEAR`, relative to it, or by less than `SMALL`."""


def same(a: Any, b: Any) -> bool:
    """Whether two values are equal, up to rounding. Raises `Unsupported` where this is not known."""
    if isinstance(a, int | float) and isinstance(b, int | float) and isfinite(a) and isfinite(b) and a != b:
        apart, size = abs(a - b), max(abs(a), abs(b))
        if max(NEAR * size, SMALL) >= apart > ROUNDING * size:
            raise Unsupported("two values that are next to each other")
        return bool(apart <= ROUNDING * size)
    return bool(a == b)
