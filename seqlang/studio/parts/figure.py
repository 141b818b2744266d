"""A picture with what it shows as a table, and everything about it to take along."""

from __future__ import annotations

import csv
from base64 import b64encode
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any

from nicegui import ui

SIMULATED = "Computed from simulated data: no private row was read."
COMPUTED = "Estimates, computed from the models without simulation and without data; the report says what is certain."
REMARKS = {"simulated": SIMULATED, "computed": COMPUTED}
"""What an answer says that it is -> what stands below its picture."""
TYPES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf", "csv": "text/csv",
         "seq": "text/plain", "html": "text/html", "md": "text/markdown"}  # fmt: skip


class Figure:
    """Empty until `show`. `name` is that of the files; `remark` says what the figures are computed from."""

    def __init__(self, name: str, alt: str, remark: str = SIMULATED) -> None:
        self._name, self._alt = name, alt
        self.pictures: Mapping[str, bytes] = {}
        self._rows: Sequence[Mapping[str, Any]] = ()
        with ui.element("figure").classes("seq-figure") as self._box:
            self._picture = ui.html("", sanitize=False).classes("seq-picture seq-plot seq-wide")
            self._picture.props(f'tabindex=0 role=region aria-label="picture: {alt}"')
            self._remark = ui.label(remark).classes("seq-soft")
            with ui.row().classes("gap-1 seq-noprint"):
                self._links = {kind: self._link(kind) for kind in ("svg", "png", "pdf", "csv")}
        self._box.set_visibility(False)

    def remark(self, text: str) -> None:
        """What stands below the picture."""
        self._remark.set_text(text)

    def show(self, pictures: Mapping[str, bytes], rows: Sequence[Mapping[str, Any]]) -> None:
        """In the formats that there are; the rows become the CSV file."""
        self.pictures, self._rows = pictures, rows
        if "svg" in pictures:
            data = b64encode(pictures["svg"]).decode()
            self._picture.set_content(f'<img src="data:image/svg+xml;base64,{data}" alt="{self._alt}">')
        for kind, link in self._links.items():
            link.set_enabled(bool(rows) if kind == "csv" else kind in pictures)
        self._box.set_visibility(True)

    def _link(self, kind: str) -> ui.button:
        label = f"{kind.upper()}"
        made = ui.button(label, on_click=lambda: self._save(kind)).props("flat dense no-caps")
        return made.props(f'aria-label="{label} of {self._alt}"')

    def _save(self, kind: str) -> None:
        data = csv_of(self._rows).encode() if kind == "csv" else self.pictures[kind]
        save(data, f"{self._name}.{kind}")


def save(data: bytes, name: str) -> None:
    """Hands a file to the browser."""
    ui.download.content(data, name, TYPES[name.rpartition(".")[2]])


def csv_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """A line a row; columns are those of all rows."""
    out = StringIO()
    names = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
