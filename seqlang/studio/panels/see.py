"""See: the text with what stands beside its lines, its parameters, and what is proved and witnessed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from nicegui import ui

from seqlang.studio.parts.claims import claims_html
from seqlang.studio.parts.derivation import derivation_html
from seqlang.studio.parts.editor import Editor
from seqlang.studio.parts.gates import gates_html
from seqlang.studio.parts.parameters import Parameters
from seqlang.studio.parts.problems import Problems
from seqlang.studio.parts.witness import witness_html
from seqlang.studio.session import Session

NAME, TITLE = "see", "See"
Answer = Mapping[str, Any]

SECTIONS: Sequence[tuple[str, Callable[[Answer], str]]] = (
    ("Claims", claims_html),
    ("In plain words", lambda answer: "".join(f"<p>{escape(text)}</p>" for text in answer["words"])),
    ("What an observer sees", gates_html),
    ("Why: the derivation", derivation_html),
    ("The two data sets that differ most", witness_html),
)


def build(session: Session) -> None:
    """The editor on one side, what was found on the other."""
    with ui.element("div").classes("seq-two"):
        with ui.element("section").classes("seq-sheet").props('aria-label="text"'):
            editor = Editor(session.state.text, session.type)
            problems = Problems(session.type)
            ui.html("Parameters", sanitize=False, tag="h2")
            parameters = Parameters(session)
        with ui.element("section").classes("seq-sheet").props('aria-label="what was found"'):
            state = ui.label("").classes("seq-soft").props("role=status aria-live=polite").style("min-height: 1.5em")
            with ui.element("div") as found:
                parts = [_section(title) for title, _ in SECTIONS]

    def shown() -> None:
        answer = session.answer
        if editor.text != session.state.text and not session.failed:
            editor.set_text(session.state.text)
        editor.annotate(answer.get("diagnostics", ()), answer.get("notes", ()))
        problems.show(answer.get("diagnostics", ()))
        parameters.show(answer.get("parameters", ()))
        state.set_text(_state(session))
        if answer.get("check"):
            found.set_visibility(True)
            for part, (_, html) in zip(parts, SECTIONS, strict=True):
                part.set_content(html(answer))

    found.set_visibility(False)
    session.heard(shown)


def _section(title: str) -> ui.html:
    ui.html(escape(title), sanitize=False, tag="h2")
    return ui.html("", sanitize=False).classes("w-full")


def _state(session: Session) -> str:
    if session.failed:
        return session.failed
    if not session.state.text:
        return "Nothing is open yet: pick a spec, or write one here."
    answer = session.answer
    if answer.get("check") and answer.get("under way"):
        return "So far; it is still searched for more .."
    if answer.get("check"):
        return f"checked in {answer['check']['seconds']:.2f} s"
    if any(d["severity"] == "error" for d in answer.get("diagnostics", ())):
        return "The text has errors; what stands below is about the last text that had none."
    return "checking .."
