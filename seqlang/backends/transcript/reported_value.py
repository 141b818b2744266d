"""What a transcript tells about a reported value: the value, or a range by which no later step can be followed."""

from __future__ import annotations

from math import isfinite
from typing import Any

from seqlang.backends.transcript.unsupported import Unsupported


class Unknown:
    """A reported value of which only a range is told, and what is computed from it. Whoever decides by it makes the
    event unsupported."""

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


def told_value(told: Any) -> Any:
    """What later statements read: the value, or nothing that may be read where only a range is told."""
    return UNKNOWN if isinstance(told, tuple) or told is True else told


def same(a: Any, b: Any) -> bool:
    """Whether a value is the one that was told, but for rounding. Infinite ones are as they are."""
    if isinstance(a, (int, float)) and isinstance(b, (int, float)) and isfinite(a) and isfinite(b):
        return abs(a - b) <= 1e-12 * max(1.0, abs(a))
    return bool(a == b)
