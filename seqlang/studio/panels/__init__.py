"""The parts of the page, a file each: `NAME` in the address, `TITLE` on the tab, and `build(session)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from seqlang.studio.panels import compare, follow, learn, pick, see, try_it
from seqlang.studio.session import Session


class Panel(Protocol):
    """What a module of this room is."""

    @property
    def NAME(self) -> str: ...
    @property
    def TITLE(self) -> str: ...
    @property
    def build(self) -> Callable[[Session], None]: ...


PANELS: tuple[Panel, ...] = (pick, see, try_it, learn, follow, compare)
