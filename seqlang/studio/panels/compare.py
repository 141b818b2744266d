"""Compare and keep: settings side by side, and everything about them as files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from nicegui import ui

from seqlang.record import replace
from seqlang.report.text.kinds import KINDS
from seqlang.studio.jobs.compare import MOST
from seqlang.studio.parts.figure import csv_of, save
from seqlang.studio.parts.reproduce import Reproduce, lines_of
from seqlang.studio.parts.task import Answer, Task
from seqlang.studio.session import Session

NAME, TITLE = "compare", "Compare and keep"
KEPT = "kept"


def build(session: Session) -> None:
    """What is kept, side by side, and what can be taken along."""
    with ui.element("section").classes("seq-sheet").props('aria-label="settings side by side"'):
        compared = _Compared(session)
    with ui.element("section").classes("seq-sheet q-mt-md").props('aria-label="files"'):
        _files(session, compared)


def kept_of(text: str) -> list[dict[str, str]]:
    """The settings that an address says are kept; none where it was cut off."""
    try:
        found = json.loads(text or "[]")
    except (ValueError, RecursionError):
        return []
    plain = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    return [{str(name): str(value) for name, value in one.items()} for one in plain[:MOST]]


def words_of(settings: Mapping[str, str]) -> str:
    """A setting in words."""
    return ", ".join(f"{name} = {value}" for name, value in settings.items()) or "as the text has it"


class _Compared:
    """Kept settings, and the table."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.rows: Sequence[Mapping[str, Any]] = ()
        self._listed: object = None
        ui.html("Settings side by side", sanitize=False, tag="h2")
        ui.button("Keep the present setting", on_click=self._keep).props("outline no-caps")
        self._list = ui.element("ol").classes("seq-kept")
        Task(session, "compare", "Compare", "compare", self._argument, self._show)
        self._table = ui.html("", sanitize=False).classes("seq-wide")
        self._table.props('tabindex=0 role=region aria-label="settings side by side"')
        self._export = ui.button("CSV", on_click=lambda: save(csv_of(self.rows).encode(), "settings.csv"))
        self._export.props('flat dense no-caps aria-label="CSV of the table"').set_visibility(False)
        session.heard(self._list_kept)

    @property
    def kept(self) -> list[dict[str, str]]:
        """From the address."""
        return kept_of(self._session.state.option(KEPT))

    def _argument(self) -> dict[str, Any]:
        if not self._session.state.text:
            raise ValueError("nothing is open yet: pick a spec, or write one")
        return self._session.argument(kept=self.kept or [dict(self._session.state.settings)])

    def _store(self, kept: Sequence[Mapping[str, str]]) -> None:
        self._session.option(KEPT, json.dumps(kept, separators=(",", ":")) if kept else "")
        self._list_kept()

    def _keep(self) -> None:
        present = dict(self._session.state.settings)
        if present not in self.kept and len(self.kept) < MOST:
            self._store([*self.kept, present])

    def _list_kept(self) -> None:
        if self._listed == self.kept:
            return
        self._listed = self.kept
        self._list.clear()
        with self._list:
            if not self.kept:
                ui.html(f"None is kept yet: set parameters, and keep up to {MOST}.", sanitize=False, tag="li").classes(
                    "seq-soft"
                )
            for place, settings in enumerate(self.kept):
                with ui.element("li"):
                    ui.label(words_of(settings))
                    label = f"setting {place + 1}"
                    ui.button("Open", on_click=lambda s=settings: self._open(s)).props(
                        f'flat dense no-caps aria-label="open {label}"')  # fmt: skip
                    ui.button("Forget", on_click=lambda i=place: self._forget(i)).props(
                        f'flat dense no-caps aria-label="forget {label}"')  # fmt: skip

    def _open(self, settings: Mapping[str, str]) -> None:
        self._session.change(replace(self._session.state, settings=tuple(settings.items()), panel="see"))

    def _forget(self, place: int) -> None:
        self._store([one for i, one in enumerate(self.kept) if i != place])

    def _show(self, answer: Answer) -> None:
        self.rows = answer["rows"]
        head = "".join(f'<th scope="col">{i + 1}: {escape(words_of(s))}</th>' for i, s in enumerate(answer["settings"]))
        body = "".join(
            f'<tr><th scope="row">{escape(str(row[""]))}</th>'
            + "".join(f"<td>{escape(str(value))}</td>" for name, value in row.items() if name)
            + "</tr>"
            for row in self.rows
        )
        table = f'<table class="seq-table"><thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table>'
        self._table.set_content(f"{table}<p>{KINDS}</p>")
        self._export.set_visibility(True)


def _files(session: Session, compared: _Compared) -> None:
    ui.html("To take along", sanitize=False, tag="h2")
    lines = Reproduce()

    def written() -> None:
        lines.show(lines_of("check", session.file, session.state.settings, {}))
        link.set_value(f"/?{session.query(token=False)}")

    def asked() -> dict[str, Any]:
        typed = lines_of("check", session.file, session.state.settings, {})
        return session.argument(table=list(compared.rows), lines=f"{typed.command}\n\n{typed.python}")

    def done(answer: Answer) -> None:
        save(answer["html"].encode(), "report.html")

    def text() -> None:
        save(session.state.text.encode(), "spec.seq")

    ui.button("The text (.seq)", on_click=text).props("outline no-caps")
    Task(session, "report", "Report (HTML, one file)", "report", asked, done)
    link = ui.input("the address of this state, behind that of the server").props("readonly outlined dense")
    link.classes("w-full")
    session.heard(written)
