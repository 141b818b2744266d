"""Pick: a spec of the library, by task and source, a file of one's own, or a template."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from nicegui import ui

from seqlang.diagnostics import SpecError
from seqlang.driver import library
from seqlang.record import record
from seqlang.studio.session import Session

NAME, TITLE = "pick", "Pick"
_HEAD = re.compile(r'^algorithm\s+\w+(?:\s+"([^"]*)")?', re.MULTILINE)
MOST_FILES = 200


@record
class Entry:
    """A spec of the library. `task` says what it is for, from what its text has."""

    name: str
    title: str
    source: str
    task: str


@cache
def entries() -> tuple[Entry, ...]:
    """All of the library."""
    return tuple(_entry(name, path.read_text(encoding="utf-8")) for name, path in library().items())


def _entry(name: str, text: str) -> Entry:
    found = _HEAD.search(text)
    title = found[1] if found and found[1] else name
    return Entry(name, title, name.split("/")[0], _task(text))


def _task(text: str) -> str:
    """From the statements: a program with memories that learns has gradients or labels, a test returns labels."""
    if (re.search(r"\b(project|clip_norm|minimiser|argmin)\b", text) and "dataset" in text) or "dot(" in text:
        return "learning"
    if re.search(r"stop when .* return [a-z_]+\s*$", text, re.MULTILINE) and "claim probability" in text:
        return "test"
    if re.search(r"stop when [^\n]* return (accept|reject|h0|h1|null|alternative)", text):
        return "test"
    return "monitoring" if "stream" in text and "report" in text else "query" if "dataset" in text else "stopping"


def build(session: Session) -> None:
    """A search, the list, and the folder's own files."""
    with ui.element("div").classes("seq-two"):
        with ui.element("section").classes("seq-sheet"):
            ui.html("<h2>The library</h2>", sanitize=False)
            _library(session)
        with ui.element("section").classes("seq-sheet"):
            ui.html("<h2>Your own</h2>", sanitize=False)
            _files(session)


def _library(session: Session) -> None:
    tasks, sources = ("", *sorted({e.task for e in entries()})), ("", *sorted({e.source for e in entries()}))
    with ui.row().classes("w-full items-end"):
        words = ui.input("search", value="").props("dense clearable").classes("grow")
        task = ui.select({t: t or "all" for t in tasks}, value="", label="task").props("dense").classes("w-32")
        source = ui.select({s: s or "all" for s in sources}, value="", label="source").props("dense").classes("w-40")
    with (
        ui.element("div")
        .classes("w-full")
        .style("height: 60vh; overflow-y: auto")
        .props('tabindex=0 role=list aria-label="specs"')
    ):
        rows = [(entry, _row(session, entry)) for entry in entries()]
    count = ui.label().classes("seq-soft").props("role=status")

    def filtered() -> None:
        asked = (words.value or "").lower().split()
        shown = 0
        for entry, row in rows:
            text = f"{entry.name} {entry.title}".lower()
            fits = (
                task.value in ("", entry.task) and source.value in ("", entry.source) and all(w in text for w in asked)
            )
            row.set_visibility(fits)
            shown += fits
        count.set_text(f"{shown} of {len(rows)} specs")

    for element in (words, task, source):
        element.on_value_change(filtered)
    filtered()


def _row(session: Session, entry: Entry) -> ui.element:
    with ui.element("div").props("role=listitem") as row:
        button = (
            ui.button(on_click=lambda: _open(session, f"@{entry.name}"))
            .props("flat no-caps align=left")
            .classes("w-full")
        )
        with button, ui.column().classes("gap-0 items-start"):
            ui.label(entry.title).classes("text-left")
            ui.label(f"{entry.name} · {entry.task}").classes("seq-soft text-left")
    return row


def _open(session: Session, spec: str) -> None:
    try:
        session.open(spec)
    except (SpecError, UnicodeDecodeError, OSError) as why:
        ui.notify(f"it cannot be opened: {why}", type="negative")
        return
    session.check()


def _files(session: Session) -> None:
    names = list(_own(session))
    if not names:
        ui.label(f"No .seq file is in {session.settings.folder}.").classes("seq-soft")
    for name in names:
        ui.button(name, on_click=lambda name=name: _open(session, name)).props("flat no-caps dense align=left")


def _own(session: Session) -> Iterator[str]:
    folder = session.settings.folder
    for path in sorted(folder.glob("*.seq"))[:MOST_FILES]:
        yield path.name
