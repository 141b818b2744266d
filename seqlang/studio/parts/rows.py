"""Rows as a table that scrolls by itself, with all of them as a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from nicegui import ui

from seqlang.studio.parts.figure import csv_of, save

MOST = 200
"""Rows that are shown; the file has all."""


class RowsTable:
    """Empty until `show`. `name` is that of the file; `about` says what the rows are."""

    def __init__(self, name: str, about: str) -> None:
        self._rows: Sequence[Mapping[str, str]] = ()
        self._about = about
        self._table = ui.html("", sanitize=False).classes("seq-wide")
        self._table.props(f'tabindex=0 role=region aria-label="{about}"')
        self._export = ui.button("CSV", on_click=lambda: save(csv_of(self._rows).encode(), f"{name}.csv"))
        self._export.props(f'flat dense no-caps aria-label="CSV of {about}"').classes("seq-noprint")
        self.show(())

    def show(self, rows: Sequence[Mapping[str, str]]) -> None:
        """All of them have the same columns."""
        self._rows = rows
        self._table.set_content(self._html())
        self._export.set_visibility(bool(rows))

    def _html(self) -> str:
        if not self._rows:
            return '<p class="seq-soft">None.</p>'
        head = "".join(f'<th scope="col">{escape(name)}</th>' for name in self._rows[0])
        body = "".join(_row(list(row.values())) for row in self._rows[-MOST:])
        left = len(self._rows) - MOST
        more = f"<p>The last {MOST} of {len(self._rows):,}; the file has all.</p>" if left > 0 else ""
        return f'{more}<table class="seq-table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _row(cells: Sequence[str]) -> str:
    first, *rest = map(escape, cells)
    return f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in rest)}</tr>'
