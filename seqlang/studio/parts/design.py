"""A form for hypotheses, errors and privacy, whose result opens as a spec."""

from __future__ import annotations

from html import escape
from typing import Any

from nicegui import ui

from seqlang.studio.parts.fields import choice, text_field
from seqlang.studio.parts.figure import COMPUTED, Figure
from seqlang.studio.parts.reproduce import Reproduce, command_of_design
from seqlang.studio.parts.task import Answer, Task
from seqlang.studio.session import Session

FIELDS = {
    "null": ("null hypothesis", "x ~ bernoulli(0.3)"),
    "alternative": ("alternative", "x ~ bernoulli(0.7)"),
    "alpha": ("error alpha", "0.05"),
    "beta": ("error beta", "0.05"),
    "privacy": ("privacy", "pure(1)"),
    "max": ("most entries", ""),
}
"""Name -> label, default."""
CRITERIA = ("average", "null", "alternative", "minimax")
COURSES = {
    "both ends": "to accept or reject",
    "one-sided": "to reject only",
    "futility": "to reject; ends for futility not binding",
}


class Design:
    """The form, and what it found."""

    def __init__(self, session: Session) -> None:
        self._session = session
        with ui.element("div").classes("seq-fields"):
            self._fields: dict[str, Any] = {
                name: text_field(session, f"design.{name}", label, default) for name, (label, default) in FIELDS.items()
            }
            self._fields["minimise"] = choice(session, "design.minimise", "fewest entries", CRITERIA, "average")
            self._fields["course"] = choice(session, "design.course", "it stops", COURSES, "both ends")
        self._task = Task(session, "design", "Design", "design", self._argument, self._show)
        with ui.element("div") as self._found:
            self._open = ui.button("Open it as a spec", on_click=self._opened).props("unelevated no-caps")
            self._figure = Figure("design", "schedule, durations and errors of the design",
                                  COMPUTED)  # fmt: skip
            self._report = (
                ui.html("", sanitize=False).classes("seq-wide").props('tabindex=0 role=region aria-label="the design"')
            )
            self._lines = Reproduce()
        self._found.set_visibility(False)
        self._spec = ""

    def _argument(self) -> dict[str, str]:
        return {name: str(field.value or "") for name, field in self._fields.items()}

    def _show(self, answer: Answer) -> None:
        self._spec = answer["spec"]
        self._report.set_content(f"<pre>{escape(answer['report'])}</pre>")
        self._figure.show(answer.get("pictures", {}), answer["rows"])
        self._lines.show(command_of_design(self._argument()))
        self._found.set_visibility(True)

    def _opened(self) -> None:
        self._session.write(self._spec)
