"""A file that is handed over."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from nicegui import ui

from seqlang.studio.learning.sources import ENDINGS

COMPONENT = str(Path(__file__).parent.parent / "static" / "upload.js")


class Upload(ui.element, component=COMPONENT):  # type: ignore[call-arg]
    """To the place `to`, if it has at most `limit` bytes; `handed(name)` is called with the name that it had."""

    def __init__(self, to: str, limit: int, handed: Callable[[str], Awaitable[None]]) -> None:
        super().__init__()
        label = f"hand over a file ({', '.join(ENDINGS)}; at most {limit // 2**20} MiB)"
        self._props.update(to=to, limit=limit, label=label, accept=".csv,.gz,.parquet")
        self.on("handed", lambda event: handed(str(event.args)[:200]))
