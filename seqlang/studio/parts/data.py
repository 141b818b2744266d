"""Which rows are learnt from: where they are, and which of them are for what."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from nicegui import ui

from seqlang.backends.interpret.data import kdd_cup_99
from seqlang.diagnostics import SpecError
from seqlang.studio.learning.sources import ENDINGS, KDD, KNOWN, SYNTHETIC
from seqlang.studio.parts.fields import choice, text_field
from seqlang.studio.parts.upload import Upload
from seqlang.studio.session import Session, inside
from seqlang.studio.uploads import LIMIT

FILE, HANDED = "file:", "handed"
MOST_FILES = 200
WAYS = {"random": "at random", "first": "those that come first", "balanced": "at random, as many of both labels"}
SIZES = {"training": "rows to train on", "validation": "for validation", "test": "test rows, A:B"}


class Data:
    """`changed()` is called where other rows are chosen."""

    def __init__(self, session: Session, changed: Callable[[], Awaitable[None]]) -> None:
        self._session, self._changed = session, changed
        known = [name for name in KNOWN if name == SYNTHETIC or found_kdd(session) is not None]
        titles = {SYNTHETIC: "the synthetic set: 6,000 rows of nobody", KDD: "KDD Cup 1999"}
        options = {name: titles[name] for name in known} | {FILE + name: name for name in _files(session)}
        given = session.state.option("learn.data", SYNTHETIC)
        self._options = options | ({HANDED: "the file that was handed over"} if given == HANDED else {})
        self._where = choice(session, "learn.data", "rows", self._options, SYNTHETIC)
        self._where.on_value_change(changed)
        Upload(session.settings.uploads.open(session.owner), LIMIT, self._handed)
        self._fields = ui.element("div").classes("seq-fields")
        self.fill()

    async def _handed(self, name: str) -> None:
        was = self.kind
        self._options[HANDED] = f"handed over: {name}"
        self._where.set_options(self._options, value=HANDED)
        if was == HANDED:
            await self._changed()

    def fill(self) -> None:
        """The fields as they are known of the chosen rows."""
        known = KNOWN.get(self.kind)
        ways = {name: WAYS[name] for name in WAYS if name != "balanced" or not self._session.settings.released_only}
        default = known.way if known and known.way in ways else "random"
        self._fields.clear()
        with self._fields:
            self._sizes: dict[str, Any] = {
                name: text_field(self._session, f"learn.{name}", label, str(getattr(known, name, "")))
                for name, label in SIZES.items()
            }
            self._way = choice(self._session, "learn.way", "drawn", ways, default)

    @property
    def kind(self) -> str:
        """Of the chosen rows."""
        return str(self._where.value or SYNTHETIC)

    def origin(self) -> dict[str, Any]:
        """As jobs are told: `kind`, and the `path` of a file that may be read. Raises ValueError."""
        kind, session = self.kind, self._session
        if kind == SYNTHETIC:
            return {"kind": kind}
        path = None
        if kind.startswith(FILE):
            try:
                path = inside(session.settings.folder, kind.removeprefix(FILE), ENDINGS)
            except SpecError as error:
                raise ValueError(str(error)) from None
        else:
            path = found_kdd(session) if kind == KDD else session.settings.uploads.file(session.owner)
        if path is None:
            raise ValueError("the rows are not here any more: choose others")
        return {"kind": KDD if kind == KDD else "file", "path": str(path)}

    def asked(self) -> dict[str, Any]:
        """With the number of rows for each purpose."""
        sizes = {name: str(field.value or "").strip() for name, field in self._sizes.items()}
        missing = [SIZES[name] for name, text in sizes.items() if not text]
        if missing:
            raise ValueError(f"missing: {', '.join(missing)}")
        return {**self.origin(), **sizes, "way": str(self._way.value)}


def found_kdd(session: Session) -> Path | None:
    """The file of KDD Cup 1999, where it is in the folder or in one known for it."""
    return kdd_cup_99.find(session.settings.folder)


def _files(session: Session) -> list[str]:
    folder = session.settings.folder
    names = sorted(path.name for path in folder.iterdir() if path.name.endswith(ENDINGS)) if folder.is_dir() else []
    return names[:MOST_FILES]
