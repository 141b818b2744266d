"""The text of a spec, in colours, with diagnostics underlined and values beside its lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from seqlang.syntax.load_table import load_table

COMPONENT = str(Path(__file__).parent.parent / "static" / "editor.js")
TONES = {"error": "bad", "warning": "doubt"}


@cache
def reserved_words() -> tuple[str, ...]:
    """What the grammar reserves."""
    return tuple(sorted(load_table().reserved))


class Editor(ui.element, component=COMPONENT):  # type: ignore[call-arg]
    """`typed(text)` is called at each change."""

    def __init__(self, text: str, typed: Callable[[str], None]) -> None:
        super().__init__()
        self._props.update(value=text, version=0, words=list(reserved_words()), notes=[], marks=[])
        self._props["label"] = "the text of the spec"

        def told(event: GenericEventArguments) -> None:
            self._props["value"] = str(event.args)  # without an update: the browser has it already
            typed(str(event.args))

        self.on("typed", told, throttle=0.15)

    @property
    def text(self) -> str:
        """What stands in it."""
        return str(self._props["value"])

    def set_text(self, text: str) -> None:
        """Another text, in place of what is typed there."""
        self._props.update(value=text, version=self._props["version"] + 1)
        self.update()

    def annotate(self, diagnostics: Sequence[Mapping[str, Any]], notes: Sequence[Sequence[Any]]) -> None:
        """Diagnostics as their JSON; notes as (line, text, tooltip, tone)."""
        self._props["marks"] = [
            {**{key: d[key] for key in ("line", "column", "end_line", "end_column")}, "tone": TONES[d["severity"]]}
            for d in diagnostics
            if d.get("line")
        ]
        self._props["notes"] = [
            {"line": line, "text": text, "tip": tip, "tone": tone} for line, text, tip, tone in notes
        ]
        self.update()
