"""Which columns are learnt from, with what is made of each by constants that are known without the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nicegui import ui

from seqlang.backends.interpret.data.terms import per_column
from seqlang.diagnostics import SpecError
from seqlang.studio.learning.sources import KNOWN
from seqlang.studio.parts.fields import text_field
from seqlang.studio.session import Session

MOST = 120
"""Columns that have a line each; of a file with more the text alone is shown."""
HINT = ("V5/255 divides, log1p(V5)/21 takes a logarithm first, V2{tcp|udp} makes a 0 or 1 of each word. A scale or a "
        "list of words that is taken from the rows is refused: no noise would cover it.")  # fmt: skip


class Attributes:
    """Their text is what `--column` takes; each line writes its part of it."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lines: dict[str, tuple[Any, Any]] = {}
        ui.label(HINT).classes("seq-soft")
        self._list = ui.element("div").classes("seq-columns").props('tabindex=0 role=group aria-label="columns"')
        self._texts = ui.element("div").classes("seq-fields")

    def show(self, kind: str, header: Sequence[str]) -> None:
        """Of a file with these columns. Without names that are known, all but the last are attributes."""
        known = KNOWN.get(kind)
        x = known.columns["x"] if known else f"project({','.join(header[:-1])})" if header else ""
        y = known.columns["y"] if known else f"{header[-1]}{{1=1|*=-1}}" if header else ""
        self._texts.clear()
        with self._texts:
            self._x = text_field(self._session, "learn.x", "attributes, as text", x)
            self._y = text_field(self._session, "learn.y", "label: 1 or -1", y)
        self._x.on_value_change(lambda: self._fill(header))
        self._fill(header)

    def _fill(self, header: Sequence[str]) -> None:
        text = str(self._x.value or "")
        if self._lines and text == self._written():
            return
        try:
            made = per_column(text, tuple(header))
        except SpecError:
            made = {}
        self._list.clear()
        self._lines = {}
        self._list.set_visibility(len(header) <= MOST)
        with self._list:
            for column in header if len(header) <= MOST else ():
                self._line(column, made.get(column))

    def _line(self, column: str, made: str | None) -> None:
        with ui.element("div").classes("seq-column"):
            box = ui.checkbox(column, value=made is not None, on_change=self._write).props("dense")
            field = ui.input(value=made or column, on_change=self._write).props("dense outlined debounce=200")
            field.props["aria-label"] = f"what is made of {column}"
        self._lines[column] = box, field

    def _written(self) -> str:
        chosen = [str(field.value or column) for column, (box, field) in self._lines.items() if box.value]
        return f"project({','.join(chosen)})" if chosen else ""

    def _write(self) -> None:
        self._x.set_value(self._written())

    def asked(self) -> dict[str, str]:
        """As jobs are told."""
        return {"x": str(self._x.value or ""), "y": str(self._y.value or "")}
