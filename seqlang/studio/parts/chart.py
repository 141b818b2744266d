"""A chart that follows a run, with its numbers and pictures to take along."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from nicegui import ui

from seqlang.studio.learning.charts import chart
from seqlang.studio.learning.numbers import table_of
from seqlang.studio.parts.figure import csv_of, save
from seqlang.studio.session import Session
from seqlang.studio.workers import JobFailed

REMARK = "● not private: computed from the rows without noise"

NOTHING = '<p class="seq-soft q-pa-md">nothing yet</p>'


class Chart:
    """One of `numbers.NAMES`; `title` stands above it."""

    def __init__(self, session: Session, name: str, title: str) -> None:
        self._session, self._name, self._title = session, name, title
        self._numbers: Mapping[str, Any] = {}
        with ui.element("figure").classes("seq-figure"):
            ui.html(escape(title), sanitize=False, tag="figcaption").classes("seq-caption")
            self._picture = ui.html(NOTHING, sanitize=False).classes("seq-chart-box")
            self._picture.props(f'role=img aria-label="{title}: nothing yet"')
            ui.label(REMARK).classes("seq-private")
            with ui.row().classes("gap-1 seq-noprint"):
                self._links = [self._link(kind) for kind in ("csv", "svg", "png", "pdf")]

    def show(self, numbers: Mapping[str, Any]) -> None:
        """What is known so far."""
        self._numbers = numbers
        drawn = chart(numbers, self._name)
        self._picture.set_content(drawn or NOTHING)
        self._picture.props["aria-label"] = f"{self._title}: {_last(numbers, self._name) if drawn else 'nothing yet'}"
        self._picture.update()
        for link in self._links:
            link.set_enabled(bool(drawn))

    def _link(self, kind: str) -> ui.button:
        made = ui.button(kind.upper(), on_click=lambda: self._save(kind)).props("flat dense no-caps")
        made.props["aria-label"] = f"{kind.upper()} of {self._title}"
        made.set_enabled(False)
        return made

    async def _save(self, kind: str) -> None:
        name = f"{self._name.replace(' ', '_')}.{kind}"
        if kind == "csv":
            save(csv_of(table_of(self._numbers, self._name)).encode(), name)
            return
        asked = {"numbers": self._numbers, "name": self._name, "title": self._title, "kind": kind}
        try:
            save(await self._session.ask(f"chart {self._name}", "chart", asked), name)
        except JobFailed as why:
            ui.notify(str(why), type="negative")


def _last(numbers: Mapping[str, Any], name: str) -> str:
    """The latest number of each learner, in words."""
    latest = {row["learner"]: row for row in table_of(numbers, name) if "mean" in row}
    return ", ".join(f"{who} {row['mean']:.3g} after {row['rows read']} rows" for who, row in latest.items()) or "drawn"
