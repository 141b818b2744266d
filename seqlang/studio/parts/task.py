"""Long work: what starts it, what ends it before it is done, how far it is, and what went wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from nicegui import ui

from seqlang.studio.session import Session
from seqlang.studio.workers import JobFailed

Answer = Mapping[str, Any]


class Task:
    """A button for a job of the name `job`, whose owner is `what`. `argument()` is what the job is given, and may raise
    ValueError for what cannot be asked; `show(answer)` gets its answer, and each part of it that is told before.

    A job may tell `{"doing": words}`, `{"share": number in [0, 1]}`, and `{"part": answer}`."""

    def __init__(
        self, session: Session, what: str, label: str, job: str, argument: Callable[[], Answer],
        show: Callable[[Answer], None],
    ) -> None:  # fmt: skip
        self._session, self._what, self._job = session, what, job
        self._argument, self._show = argument, show
        self._stopped = False
        with ui.element("div").classes("seq-task") as self._box:
            self._start = ui.button(label, on_click=self.run).props("unelevated no-caps")
            self._end = ui.button("Cancel", on_click=self.cancel).props("outline no-caps")
            self._end.set_enabled(False)
            self._far = ui.linear_progress(0, show_value=False).props(f'aria-label="how far: {label}"')
            self._far.style("visibility: hidden")
            self._words = ui.label("").classes("seq-soft").props("role=status aria-live=polite")

    async def run(self) -> None:
        """Asks, and shows what comes."""
        self._stopped = False
        try:
            argument = self._argument()
        except ValueError as why:
            self._said(str(why), bad=True)
            return
        self._busy(True)
        try:
            answer = await self._session.ask(self._what, self._job, argument, self._told)
            self._said("done")
            with self._box:
                self._show(answer)
        except JobFailed as why:
            self._said(str(why), bad=True)
        except asyncio.CancelledError:
            if not self._stopped:
                raise  # the tab was closed, or it asked for something else
            self._said("cancelled")
        self._busy(False)

    def cancel(self) -> None:
        """Ends it, if it runs."""
        self._stopped = True
        self._session.cancel(self._what)

    def _told(self, value: Answer) -> None:
        if "doing" in value:
            self._said(f"{value['doing']} ..")
        if "share" in value:
            self._far.props(remove="indeterminate")
            self._far.set_value(round(min(1.0, max(0.0, value["share"])), 3))
        if "part" in value:
            with self._box:
                self._show(value["part"])

    def _busy(self, is_busy: bool) -> None:
        self._start.set_enabled(not is_busy)
        self._end.set_enabled(is_busy)
        self._far.set_value(0)
        self._far.style(f"visibility: {'visible' if is_busy else 'hidden'}")
        self._far.props(*(("indeterminate",) if is_busy else ()), remove="" if is_busy else "indeterminate")
        if is_busy:
            self._said("at work ..")

    def _said(self, words: str, *, bad: bool = False) -> None:
        self._words.set_text(words)
        self._words.classes(add="seq-bad" if bad else "seq-soft", remove="seq-soft" if bad else "seq-bad")
