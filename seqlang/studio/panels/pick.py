"""Pick: a spec of the library, a file of one's own, a text to begin with, or a test that is designed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from nicegui import ui

from seqlang.diagnostics import SpecError
from seqlang.driver.beginnings import KINDS, beginning
from seqlang.studio.parts.design import Design
from seqlang.studio.parts.library import Library
from seqlang.studio.session import Session

NAME, TITLE = "pick", "Pick"
MOST_FILES = 200


def build(session: Session) -> None:
    """The library on one side, one's own on the other."""
    with ui.element("div").classes("seq-two"):
        with ui.element("section").classes("seq-sheet").props('aria-label="the library"'):
            ui.html("The library", sanitize=False, tag="h2")
            Library(session, lambda name: _open(session, f"@{name}"))
        with ui.element("section").classes("seq-sheet").props('aria-label="your own"'):
            ui.html("Your own files", sanitize=False, tag="h2")
            _files(session)
            ui.html("Write one", sanitize=False, tag="h2")
            ui.label("A commented text to begin with, whose claims are proved:").classes("seq-soft")
            for kind, about in KINDS.items():
                _button(f"{kind}: {about}", partial(_begin, session, kind))
            ui.html("Design a test", sanitize=False, tag="h2")
            Design(session)


def _button(label: str, on_click: Callable[[], None]) -> None:
    ui.button(label, on_click=on_click).props("flat no-caps dense align=left").classes("seq-choice")


def _begin(session: Session, kind: str) -> None:
    session.write(beginning(kind, f"my_{kind}"))


def _open(session: Session, spec: str) -> None:
    try:
        session.open(spec)
    except (SpecError, UnicodeDecodeError, OSError) as why:
        ui.notify(f"it cannot be opened: {why}", type="negative")


def _files(session: Session) -> None:
    names = list(_own(session))
    if not names:
        ui.label(f"No .seq file is in {session.settings.folder}.").classes("seq-soft")
    for name in names:
        _button(name, partial(_open, session, name))


def _own(session: Session) -> Iterator[str]:
    folder = session.settings.folder
    for path in sorted(folder.glob("*.seq"))[:MOST_FILES]:
        yield path.name
