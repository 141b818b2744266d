"""Follow: a ledger of the folder, what its releases have shown, and where a test stands. It only reads."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from nicegui import ui

from seqlang.diagnostics import SpecError
from seqlang.studio.parts.fields import choice
from seqlang.studio.parts.figure import save
from seqlang.studio.parts.reproduce import Lines, Reproduce
from seqlang.studio.parts.rows import RowsTable
from seqlang.studio.parts.task import Answer, Task
from seqlang.studio.session import Session, inside

NAME, TITLE = "follow", "Follow"
LEDGER, REFERENCE = "follow.ledger", "follow.reference"
ENDINGS = (".sqlite",)
MOST_FILES = 200
ABOUT = ("A ledger holds prices and what was released, and no private value: looking at it costs no privacy, however "
         "often. It is read here, and never written.")  # fmt: skip


def build(session: Session) -> None:
    """The ledger on one side, one of its releases on the other."""
    ui.label(ABOUT).classes("seq-soft")
    with ui.element("div").classes("seq-two q-mt-md"):
        with ui.element("section").classes("seq-sheet").props('aria-label="the ledger"'):
            ledger = _Ledger(session)
        with ui.element("section").classes("seq-sheet").props('aria-label="the release"'):
            release = _Release(session)

    def show(answer: Answer) -> None:
        ledger.show(answer)
        release.show(answer)

    ledger.task(show)


def lines_of_ledger(ledger: str, reference: str) -> Lines:
    """What shows the same elsewhere."""
    name = shlex.quote(ledger)
    command = f"seqlang ledger show {name}"
    python = (
        "from seqlang.release.ledger.places import book_at\n\n"
        f"book = book_at({ledger!r})\n"
        "print(*book.accounts.values(), *book.charges.values(), sep='\\n')"
    )
    if reference:
        command += f"\nseqlang monitor --ledger {name} --reference {shlex.quote(reference)}"
        python = (
            "from seqlang.monitoring import watch\n"
            "from seqlang.release.ledger.places import book_at\n"
            "from seqlang.release.watching import from_ledger\n\n"
            f"seen = from_ledger(book_at({ledger!r}), {reference!r})\n"
            "print(watch(seen.loaded, seen.counts, plan=seen.plan, rows_checked=seen.rows_checked))"
        )
    return Lines(command, python)


class _Ledger:
    """Which one, its accounts, and its charges."""

    def __init__(self, session: Session) -> None:
        self._session = session
        ui.html("The ledger", sanitize=False, tag="h2")
        with ui.element("div").classes("seq-fields"):
            self._where = choice(session, LEDGER, "ledger", self._listed(), "")
            self._release = choice(session, REFERENCE, "release", {"": "the latest"}, "")
        self._place = ui.element("div").classes("w-full")
        ui.html("Accounts", sanitize=False, tag="h2")
        self._accounts = RowsTable("accounts", "accounts of the ledger")
        ui.html("Charges", sanitize=False, tag="h2")
        self._charges = RowsTable("charges", "charges of the ledger")
        self._head = ui.html("", sanitize=False).classes("w-full").style("overflow-wrap: anywhere")
        self._lines = Reproduce()

    def task(self, show: Any) -> None:
        """The button, and what reads without it: an address that names a ledger, and another choice."""
        with self._place:
            task = Task(self._session, "follow", "Read it again", "follow", self._asked, show)

        async def another_ledger() -> None:
            self._session.option(REFERENCE, "")
            await task.run()

        async def another_release() -> None:
            if self._release.value != self._chosen:
                await task.run()

        self._chosen = ""
        self._where.on_value_change(another_ledger)
        self._release.on_value_change(another_release)
        if self._session.state.option(LEDGER):
            ui.timer(0, task.run, once=True)

    def show(self, answer: Answer) -> None:
        """What was read."""
        reference, releases = answer["reference"], answer["releases"]
        self._chosen = reference if reference in releases else ""
        self._release.set_options({"": "the latest", **{one: one for one in releases}}, value=self._chosen)
        self._session.option(REFERENCE, reference)
        self._accounts.show(answer["accounts"])
        self._charges.show(answer["charges"])
        about = "Kept elsewhere, the digest of its last row shows later whether rows were taken off the end:"
        self._head.set_content(f"<p class='q-mt-sm'>{about} <code>{escape(answer['head'])}</code></p>")
        self._lines.show(lines_of_ledger(self._session.state.option(LEDGER), reference))

    def _asked(self) -> dict[str, Any]:
        """The ledger that the address names, which may have been typed there."""
        self._where.set_options(self._listed())
        ledger = self._session.state.option(LEDGER)
        if not ledger:
            raise ValueError("no ledger is chosen")
        try:
            path = inside(self._session.settings.folder, ledger, ENDINGS)
        except SpecError as error:
            raise ValueError(str(error)) from None
        return {"path": str(path), "reference": self._session.state.option(REFERENCE)}

    def _listed(self) -> dict[str, str]:
        """Those of the folder, now."""
        folder = self._session.settings.folder
        found = [path.name for path in sorted(folder.glob("*.sqlite")) if _is_inside(folder, path.name)][:MOST_FILES]
        return {"": "none is chosen" if found else "no .sqlite file is in the folder", **{name: name for name in found}}


def _is_inside(folder: Path, name: str) -> bool:
    try:
        return bool(inside(folder, name, ENDINGS))
    except SpecError:
        return False


class _Release:
    """What it has shown, and what `monitor` says of that."""

    def __init__(self, session: Session) -> None:
        self._files: Mapping[str, str] = {}
        self._title = ui.html("The release", sanitize=False, tag="h2")
        self._state = ui.label("Nothing was read yet.").classes("seq-soft")
        ui.html("All that was shown", sanitize=False, tag="h2")
        self._looks = RowsTable("looks", "what the release has shown")
        ui.html("Where the test stands", sanitize=False, tag="h2")
        self._why_not = ui.label("").classes("seq-soft").style("white-space: pre-line; overflow-wrap: anywhere")
        self._report = ui.html("", sanitize=False).classes("seq-wide")
        self._report.props('tabindex=0 role=region aria-label="what monitor says"')
        with ui.row().classes("gap-2 seq-noprint") as self._links:
            for kind, label in (("html", "Report (HTML, one file)"), ("md", "Report (Markdown)")):
                ui.button(label, on_click=lambda kind=kind: self._save(kind)).props("outline no-caps")
        self._told("", {})

    def show(self, answer: Answer) -> None:
        """All that was read, or the part of it that is known before the report."""
        reference = answer["reference"]
        self._title.set_content(escape(f"The release {reference}") if reference else "The release")
        self._state.set_text(answer["state"] or "There is none.")
        self._looks.show(answer["looks"])
        self._why_not.set_text(answer.get("why_not", "" if "report" in answer else ".."))
        self._told(answer.get("report", ""), answer.get("files", {}))

    def _told(self, report: str, files: Mapping[str, str]) -> None:
        self._files = files
        self._report.set_content(f"<pre>{escape(report)}</pre>" if report else "")
        self._report.set_visibility(bool(report))
        self._links.set_visibility(bool(files))

    def _save(self, kind: str) -> None:
        save(self._files[kind].encode(), f"report.{kind}")
