"""One tab of the browser: its state, what was last found out about its text, and who wants to hear of changes."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nicegui import background_tasks, ui

from seqlang.diagnostics import SpecError
from seqlang.driver import library, read
from seqlang.record import field, record, replace
from seqlang.studio.state import LARGEST_TEXT, State, query_of
from seqlang.studio.uploads import Uploads
from seqlang.studio.workers import JobFailed, Told, Workers

PAUSE = 0.04
"""Seconds without a further change, after which a text is checked."""


@record
class Settings:
    """What the server was started with. `folder` holds the user's own specs and data; no file outside it is read.
    `released_only`: nothing is shown that is computed from private rows without noise."""

    folder: Path
    released_only: bool
    token: str
    uploads: Uploads = field(default_factory=Uploads)


class Session:
    """`heard(listener)` is called after each answer of a check, and where another panel or spec is shown; `answer` is
    the last one, `failed` why there is none."""

    def __init__(self, state: State, workers: Workers, settings: Settings) -> None:
        self.state, self.workers, self.settings = state, workers, settings
        self.owner = secrets.token_hex(8)
        self.answer: dict[str, Any] = {}
        self.failed = ""
        self.client = ui.context.client
        self._listeners: list[Callable[[], None]] = []
        self._pending: asyncio.Task[None] | None = None
        self._asked: set[str] = set()

    def heard(self, listener: Callable[[], None]) -> None:
        """Calls it whenever something was found out, and now."""
        self._listeners.append(listener)
        listener()

    def open(self, spec: str) -> None:
        """Another spec, with its own parameters. Raises SpecError."""
        self.write(text_of(spec, self.settings.folder), spec)

    def write(self, text: str, spec: str = "") -> None:
        """Another text, with its own parameters, where it can be seen."""
        self.answer, self.failed = {}, ""
        self.change(State(spec, text[:LARGEST_TEXT], (), "see"))

    def type(self, text: str) -> None:
        """The text was edited. One that is too long for a page is not taken over."""
        if len(text) > LARGEST_TEXT:
            self.answer, self.failed = (
                {},
                f"This text is longer than {LARGEST_TEXT:,} characters: it is not checked here.",
            )
            self._tell()
            return
        self.change(replace(self.state, text=text))

    def option(self, name: str, value: str) -> None:
        """A panel is asked something."""
        if self.state.option(name) != value:
            self.change(self.state.with_option(name, value))

    def change(self, state: State) -> None:
        """Shows another state: the address follows, and what changed in the text is checked."""
        before, self.state = self.state, state
        with self.client:
            ui.run_javascript(f"history.replaceState(null, '', '?{self.query()}')")
        if (state.panel, state.spec) != (before.panel, before.spec):
            self._tell()
        if (state.text, state.settings) != (before.text, before.settings):
            self.check()

    def query(self, *, token: bool = True) -> str:
        """The address's, with the secret by which it opens."""
        original = ""
        if self.state.spec.startswith("@"):
            original = text_of(self.state.spec, self.settings.folder)
        said = query_of(self.state, original)
        return f"token={self.settings.token}&{said}" if token else said

    def check(self) -> None:
        """Soon, and instead of any check under way."""
        if self._pending is not None:
            self._pending.cancel()
        self._pending = background_tasks.create(self._check(), name="check")

    @property
    def file(self) -> str:
        """How commands name the text."""
        spec = self.state.spec
        original = text_of(spec, self.settings.folder) if spec.startswith("@") else ""
        return "spec.seq" if not spec or (original and original != self.state.text) else spec

    def argument(self, **more: Any) -> dict[str, Any]:
        """What jobs are given."""
        return {"text": self.state.text, "settings": dict(self.state.settings), **more}

    async def ask(self, what: str, job: str, argument: Any, tell: Told | None = None, *, long: bool = True) -> Any:
        """A job's answer, instead of any other answer to `what` that this tab waits for. Raises JobFailed."""
        self._asked.add(what)
        return await self.workers.call(job, argument, owner=f"{self.owner} {what}", tell=tell, long=long)

    def cancel(self, what: str) -> None:
        """No answer is waited for any more."""
        self.workers.cancel(f"{self.owner} {what}")

    async def _check(self) -> None:
        await asyncio.sleep(PAUSE)
        try:
            found = await self.ask("check", "check", self.argument(), self._read, long=False)
        except JobFailed as why:
            self.answer, self.failed = {**self.answer, "check": None}, str(why)
        else:
            self.answer, self.failed = found, ""
        self._tell()

    def _read(self, part: Any) -> None:
        if "parameters" in part:
            self.answer = {**self.answer, "check": None, "under way": True, **part}
            self._tell()

    def _tell(self) -> None:
        with self.client:
            for listener in self._listeners:
                listener()

    def close(self) -> None:
        """The tab was closed."""
        if self._pending is not None:
            self._pending.cancel()
        for what in self._asked:
            self.cancel(what)
        self.settings.uploads.close(self.owner)


def text_of(spec: str, folder: Path) -> str:
    """Of a library's spec (`@tight/one_sided`) or of a file in the folder. Raises SpecError E0605 for others."""
    if spec.startswith("@"):
        if spec[1:] not in library():
            raise SpecError.of("E0605", f"the library has no spec `{spec[1:]}`", help="`seqlang specs` lists them")
        return read(spec).text
    path = inside(folder, spec, (".seq",))
    if path.stat().st_size > LARGEST_TEXT:
        raise SpecError.of("E0605", f"`{spec[:80]}` has more than {LARGEST_TEXT:,} bytes: it is not opened here")
    return path.read_text(encoding="utf-8")


def inside(folder: Path, name: str, endings: tuple[str, ...]) -> Path:
    """A file of the folder, by its name relative to it. Raises SpecError E0605 for one elsewhere, also by a link."""
    try:
        path = (folder / name).resolve(strict=True)
        known = path.is_relative_to(folder.resolve()) and path.is_file() and path.name.endswith(endings)
    except (OSError, ValueError):
        known = False
    if not known:
        raise SpecError.of("E0605", f"there is no file `{name[:80]}` in the folder", help=" or ".join(endings))
    return path
