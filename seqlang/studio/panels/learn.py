"""Learn from data: rows, attributes, a learner and its parameters; what it learns beside its twin without noise."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from nicegui import ui

from seqlang.record import replace
from seqlang.studio.learning import synthetic
from seqlang.studio.learning.lines import python_of
from seqlang.studio.learning.sources import KDD, SYNTHETIC
from seqlang.studio.parts.attributes import Attributes
from seqlang.studio.parts.claims import bounds_in_words, claim_card
from seqlang.studio.parts.data import Data, found_kdd
from seqlang.studio.parts.fields import text_field
from seqlang.studio.parts.figure import save
from seqlang.studio.parts.learned import Learned
from seqlang.studio.parts.library import entries
from seqlang.studio.parts.parameters import Parameters
from seqlang.studio.parts.reproduce import Lines, Reproduce
from seqlang.studio.parts.task import Answer, Task
from seqlang.studio.session import Session, text_of
from seqlang.studio.workers import JobFailed

NAME, TITLE = "learn", "Learn from data"
FIRST = "@bittner2020/flmb"
SPENDS = ("Each press of Learn is a new run on the rows, which spends what the spec claims once more, for each order; "
          "this page keeps no account of it (`seqlang ledger` does). Noise is drawn as floats.")  # fmt: skip
BANNER = ("Rows are read here. What is marked ● not private is computed from them without noise (the learner without "
          "noise, scores, labels): no claim covers it, nor what you choose by looking at it. `seqlang studio "
          f"--released-only` shows none of it. {SPENDS}")  # fmt: skip
RELEASED = f"Rows are read here. Only what the mechanism itself releases is shown. {SPENDS}"
DECIDED = "The rows decide how many attributes there are, and unless it is typed here how many rows are learnt from."
EXAMPLES = {
    SYNTHETIC: ("Synthetic rows", {"L": "50"}),
    KDD: ("KDD Cup 1999, as in the paper", {}),
}
"""Rows -> what the button says, parameters of the learner."""


def build(session: Session) -> None:
    """What is asked for on one side, what was learnt on the other."""
    only = session.settings.released_only
    ui.html(escape(RELEASED if only else BANNER), sanitize=False).classes("seq-banner").props("role=note")
    with ui.element("div").classes("seq-two q-mt-md"):
        with ui.element("section").classes("seq-sheet").props('aria-label="what is learnt from"'):
            form = _Form(session)
        with ui.element("section").classes("seq-sheet").props('aria-label="what was learnt"'):
            ui.html("What is claimed of each run", sanitize=False, tag="h2")
            claims = ui.html("", sanitize=False).classes("w-full")
            ui.html("Beside each other" if not only else "Learnt", sanitize=False, tag="h2")
            learned = Learned(session)
            lines = Reproduce()

    def show(answer: Answer) -> None:
        learned.show(answer)
        if "about" in answer:
            form.told(answer["about"])
            if not only:
                python = python_of(session.file, answer["about"], str(form.fields["seed"].value))
                lines.show(Lines("# rows are drawn: the lines of Python do the same", python))

    form.task(show)

    def heard() -> None:
        claims.set_content(_claims(session.answer.get("check")))

    session.heard(heard)


def _claims(check: Mapping[str, Any] | None) -> str:
    """The verdict of each, and the bounds that are proved."""
    if not check:
        return "<p>No learner is open.</p>"
    claims = "".join(claim_card(claim) for claim in check["claims"])
    return claims + bounds_in_words(check["strong"])


class _Form:
    """Rows, attributes, learner, and how the rows are gone through."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._listing = 0
        with ui.row().classes("gap-2"):
            for kind, (label, settings) in EXAMPLES.items():
                if kind != KDD or found_kdd(session) is not None:
                    ui.button(label, on_click=lambda kind=kind, settings=settings: self._example(kind, settings)).props(
                        "outline no-caps"
                    )
        ui.html("Rows", sanitize=False, tag="h2")
        self._data_box = ui.element("div").classes("w-full")
        ui.html("Attributes", sanitize=False, tag="h2")
        self._problem = ui.label("").classes("seq-bad").props("role=status aria-live=polite")
        self._attributes = Attributes(session)
        with self._data_box:
            self._data = Data(session, self._rows_changed)
        self._attributes.show(self._data.kind, ())
        ui.html("Learner", sanitize=False, tag="h2")
        self._learner = ui.select({"": "the text that is open"}, value="", label="learner")
        self._learner.props("dense outlined options-dense").on_value_change(lambda e: self._choose(str(e.value or "")))
        self._set = ui.label(DECIDED).classes("seq-soft")
        self._parameters = Parameters(session)
        ui.html("How the rows are gone through", sanitize=False, tag="h2")
        self._fields_box = ui.element("div").classes("seq-fields")
        self._fields()
        ui.timer(0, self._list_columns, once=True)
        ui.timer(0, self._list_learners, once=True)
        session.heard(self._heard)

    def _fields(self) -> None:
        only = self._session.settings.released_only
        self._fields_box.clear()
        with self._fields_box:
            self.fields = {
                "orders": text_field(self._session, "learn.orders", "random orders", "1" if only else "10"),
                "checkpoints": text_field(self._session, "learn.checkpoints", "checkpoints", "10"),
            }
            if not only:
                self.fields["seed"] = text_field(self._session, "learn.seed", "seed", "1")

    def task(self, show: Any) -> None:
        """The button, and what shows the answer."""
        with self._fields_box.parent_slot.parent:
            Task(self._session, "learn", "Learn", "learn", self._argument, show)
            ui.button("Save the shipped set as a file", on_click=lambda: save(synthetic.text().encode(), synthetic.NAME)
                      ).props("flat dense no-caps")  # fmt: skip

    def _argument(self) -> dict[str, Any]:
        if not self._session.state.text:
            raise ValueError("no learner is open: choose one")
        return self._session.argument(
            **self._data.asked(), **self._attributes.asked(), released_only=self._session.settings.released_only,
            **{name: str(field.value or "") for name, field in self.fields.items()},
        )  # fmt: skip

    def _example(self, kind: str, settings: Mapping[str, str]) -> None:
        """Everything that is asked for at once."""
        session = self._session
        options = tuple((n, v) for n, v in session.state.options if not n.startswith("learn."))
        options += (("learn.data", kind),) if kind != SYNTHETIC else ()
        session.change(replace(session.state, spec=FIRST, text=text_of(FIRST, session.settings.folder),
                               settings=tuple(settings.items()), options=options))  # fmt: skip
        self._data_box.clear()
        with self._data_box:
            self._data = Data(session, self._rows_changed)
        self._fields()
        self._attributes.show(kind, ())
        self._learner.set_value(FIRST if FIRST in self._learner.options else "")
        ui.timer(0, self._list_columns, once=True)

    async def _rows_changed(self) -> None:
        for name in ("training", "validation", "test", "way", "x", "y"):
            self._session.option(f"learn.{name}", "")
        self._data.fill()
        await self._list_columns()

    async def _list_columns(self) -> None:
        """The names of the columns of the rows that are chosen."""
        header: list[str] = []
        self._problem.set_text("")
        try:
            header = await self._session.ask("columns", "columns", self._data.origin(), long=False)
        except (JobFailed, ValueError) as why:
            self._problem.set_text(str(why))
        self._attributes.show(self._data.kind, header)

    async def _list_learners(self) -> None:
        try:
            known = await self._session.workers.once("library")
        except JobFailed:
            return
        learners = [e for e in entries() if known[e["name"]]["classifies"]]
        titles = {f"@{e['name']}": f"{e['name']}: {e['title']}" for e in learners}
        chosen = self._session.state.spec if self._session.state.spec in titles else ""
        self._learner.set_options({"": "the text that is open", **titles}, value=chosen)

    def _choose(self, spec: str) -> None:
        session = self._session
        if spec and spec != session.state.spec:
            text = text_of(spec, session.settings.folder)
            session.change(replace(session.state, spec=spec, text=text, settings=()))

    def _heard(self) -> None:
        self._parameters.show(self._session.answer.get("parameters", ()))
        spec = self._session.state.spec
        if self._learner.value != spec:
            self._learner.set_value(spec if spec in self._learner.options else "")

    def told(self, about: Mapping[str, Any]) -> None:
        """What the rows decided, and how long it took."""
        decided = ", ".join(f"{name} = {value}" for name, value in about["settings"].items())
        self._set.set_text(f"Learnt with {decided}: reading took {about['reading']:.1f} s, learning and scoring "
                           f"{about['learning']:.1f} s.")  # fmt: skip
