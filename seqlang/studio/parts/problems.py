"""What is wrong with a text, where, and buttons that mend it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from nicegui import ui

MOST = 20
"""That are shown."""


class Problems:
    """`mend(text)` is called with the changed text of a remedy."""

    def __init__(self, mend: Callable[[str], None]) -> None:
        self._mend = mend
        self._shown: Sequence[Mapping[str, Any]] = ()
        self._box = ui.element("div").classes("w-full").props("role=status aria-live=polite")

    def show(self, diagnostics: Sequence[Mapping[str, Any]]) -> None:
        """As their JSON, with `fixes`."""
        if list(diagnostics) == list(self._shown):
            return
        self._shown = diagnostics
        self._box.clear()
        with self._box:
            for diagnostic in diagnostics[:MOST]:
                self._one(diagnostic)
            if len(diagnostics) > MOST:
                ui.label(f"and {len(diagnostics) - MOST} more").classes("seq-soft")

    def _one(self, diagnostic: Mapping[str, Any]) -> None:
        tone = "bad" if diagnostic["severity"] == "error" else "doubt"
        place = f"line {diagnostic['line']}: " if diagnostic["line"] else ""
        remedy = f"<br>{escape(diagnostic['help'])}" if diagnostic["help"] else ""
        with ui.element("div").classes(f"seq-card seq-{tone}"):
            ui.html(f"{place}<strong>{escape(diagnostic['message'])}</strong> ({escape(diagnostic['code'])}){remedy}",
                    sanitize=False)  # fmt: skip
            for title, text in diagnostic.get("fixes", ()):
                ui.button(title, on_click=lambda text=text: self._mend(text)).props("outline dense no-caps")
