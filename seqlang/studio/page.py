"""The page: a heading, one tab a panel, and what a new text means for all of them."""

from __future__ import annotations

from pathlib import Path

from nicegui import app, ui
from starlette.requests import Request

from seqlang.diagnostics import SpecError
from seqlang.record import replace
from seqlang.studio.panels import PANELS
from seqlang.studio.session import Session, Settings, text_of
from seqlang.studio.state import State, state_of
from seqlang.studio.workers import Workers

STATIC = Path(__file__).parent / "static"
TITLE = "seqlang studio"


def build(workers: Workers, settings: Settings, first: State) -> None:
    """Declares the page. `first` is shown where the address says nothing."""
    app.add_static_files("/static", str(STATIC))
    app.config.quasar_config["loadingBar"] = {"skipHijack": True}  # a bar without a name, for requests that take long
    settings.uploads.declare(app)

    @ui.page("/", title=TITLE, dark=None, language="en-US")
    def page(request: Request) -> None:
        query = dict(request.query_params)
        _show(Session(_opened(query, first, settings), workers, settings))


def _opened(query: dict[str, str], first: State, settings: Settings) -> State:
    """What the address says; where it names a spec without its text, the text of that."""
    state = state_of(query) if set(query) - {"token"} else first
    if state.spec and not state.text:
        try:
            return replace(state, text=text_of(state.spec, settings.folder))
        except (SpecError, UnicodeDecodeError, OSError):
            return State()
    return state


def _show(session: Session) -> None:
    """Panels are made when they are first looked at."""
    ui.add_css((STATIC / "page.css").read_text(encoding="utf-8"))
    with ui.element("div").classes("seq-page"):
        with ui.element("header").classes("row items-center justify-between"):
            ui.html(f"<h1>{TITLE}</h1>", sanitize=False)
            _themes()
        with ui.tabs().props("align=left no-caps outside-arrows mobile-arrows inline-label") as tabs:
            for panel in PANELS:
                ui.tab(panel.NAME, panel.TITLE)
        with ui.element("main"), ui.tab_panels(tabs, value=session.state.panel, animated=False) as shown:
            shown.classes("w-full bg-transparent")
            places = {panel.NAME: ui.tab_panel(panel.NAME).classes("q-pa-none") for panel in PANELS}
    waiting = {panel.NAME: panel for panel in PANELS}

    def made() -> None:
        panel = waiting.pop(session.state.panel, None)
        if panel is not None:
            with places[panel.NAME]:
                panel.build(session)

    def turned() -> None:
        if shown.value != session.state.panel:
            session.change(replace(session.state, panel=str(shown.value)))

    def opened() -> None:
        made()
        if shown.value != session.state.panel:
            shown.set_value(session.state.panel)

    session.heard(opened)
    shown.on_value_change(turned)
    ui.context.client.on_delete(session.close)
    if session.state.text:
        session.check()


def _themes() -> None:
    dark = ui.dark_mode(None)
    names = {None: "as the system", False: "light", True: "dark"}
    ui.select(names, value=None, label="colours", on_change=lambda e: dark.set_value(e.value)).props(
        "dense outlined options-dense"
    ).classes("w-40 seq-noprint")
