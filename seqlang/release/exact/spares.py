"""Draws that are made before they are needed, and before the entry is read that they will hide.

A draw is made of rejection loops, so that its time tells of its size (Jin, McMurtry, Rubinstein & Ohrimenko 2022). It
is made ahead, with others, between two entries: when a look is computed nothing is drawn. What remains is the time of
many draws together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Spares:
    """Of one noise. `draw` makes one draw; `most`: so many are made at once, in time, and 0 makes each when needed."""

    def __init__(self, draw: Callable[[], Any], most: int = 16) -> None:
        self._draw, self._most = draw, most
        self._ready: list[Any] = []
        self._taken, self._wanted = 0, True

    def prepare(self, least: int = 0) -> None:
        """Before an entry is read: one, or as many as `least`, and twice as many each time that all were taken."""
        if self._wanted and not self._ready:
            self._ready = [self._draw() for _ in range(max(least, min(max(1, self._taken), self._most)))]
            self._wanted = False

    def take(self) -> Any:
        """The next one."""
        self._taken, self._wanted = self._taken + 1, True
        return self._ready.pop() if self._ready else self._draw()
