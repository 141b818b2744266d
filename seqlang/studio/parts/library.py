"""The list of the library's specs, with what each is for and a small picture of what it shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from nicegui import ui

from seqlang.driver import library
from seqlang.driver.loading import title_of
from seqlang.studio.session import Session
from seqlang.studio.workers import JobFailed

COMPONENT = str(Path(__file__).parent.parent / "static" / "library.js")


@cache
def entries() -> tuple[dict[str, Any], ...]:
    """All of the library: name, title, source; tasks and gates are found out later."""
    return tuple(_entry(name, path.read_text(encoding="utf-8")) for name, path in library().items())


def _entry(name: str, text: str) -> dict[str, Any]:
    return {"name": name, "title": title_of(text) or name, "source": name.split("/")[0], "task": "", "gates": []}


class Library(ui.element, component=COMPONENT):  # type: ignore[call-arg]
    """`picked(name)` is called with what was chosen."""

    def __init__(self, session: Session, picked: Callable[[str], None]) -> None:
        super().__init__()
        self._session = session
        self._props["entries"] = list(entries())
        self.on("picked", lambda event: picked(str(event.args)))
        ui.timer(0, self._fill, once=True)

    async def _fill(self) -> None:
        """Tasks and pictures, when they are known."""
        try:
            known: Mapping[str, Mapping[str, Any]] = await self._session.workers.once("library")
        except JobFailed:
            return  # the list serves without them
        self._props["entries"] = [{**entry, **known.get(entry["name"], {})} for entry in entries()]
        self.update()
