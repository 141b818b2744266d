"""Try: runs, exact laws, one run step by step, curves along a parameter, and the price of privacy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from html import escape
from typing import Any

from nicegui import ui

from seqlang.studio.parts.fields import choice, text_field
from seqlang.studio.parts.figure import COMPUTED, REMARKS, SIMULATED, Figure
from seqlang.studio.parts.player import Player
from seqlang.studio.parts.reproduce import Lines, Reproduce, keywords_of, lines_of
from seqlang.studio.parts.task import Answer, Task
from seqlang.studio.session import Session

NAME, TITLE = "try", "Try"
PYTHON_ONLY = "the line without noise: the same of the text without its `attach` lines"


def build(session: Session) -> None:
    """A sheet each; the model is the same for all."""
    with ui.element("section").classes("seq-sheet").props('aria-label="under which model"'):
        model = _Model(session)
    with ui.element("div").classes("seq-two q-mt-md"):
        for make in (_one_run, _runs, _law, _curve, _price):
            with ui.element("section").classes("seq-sheet"):
                make(session, model)


class _Model:
    """Which of the text's models the data come from."""

    def __init__(self, session: Session) -> None:
        self._session = session
        with ui.element("div").classes("seq-fields"):
            self.field = ui.select({"": "all models"}, value="", label="model").props("dense outlined options-dense")
        self._empty = ui.label("Nothing is open yet: pick a spec, or write one.").classes("seq-soft")
        self.field.on_value_change(lambda e: session.option("model", str(e.value or "")))
        session.heard(self._show)

    def _show(self) -> None:
        names = self._session.answer.get("models", ())
        self._empty.set_visibility(not self._session.state.text)
        given = self._session.state.option("model")
        if names and list(self.field.options) != ["", *names]:
            self.field.set_options({"": "all models", **{n: n for n in names}}, value=given if given in names else "")

    @property
    def asked(self) -> dict[str, str]:
        """For jobs."""
        return {"model": str(self.field.value or "")}

    @property
    def option(self) -> dict[str, str]:
        """For the command line."""
        return {name: value for name, value in self.asked.items() if value}


class _Sheet:
    """What a job found: a picture, the report, and what reproduces it."""

    def __init__(self, name: str, alt: str, remark: str, more: str = "") -> None:
        self.figure = Figure(name, alt, remark)
        self._more = more
        self._report = ui.html("", sanitize=False).classes("seq-wide")
        self._report.props(f'tabindex=0 role=region aria-label="report: {alt}"').set_visibility(False)
        self._lines = Reproduce()

    def show(self, answer: Answer, lines: Lines) -> None:
        """Its answer, or a part of it; what it says that it is decides the remark, and `more` stands behind that."""
        if "kind" in answer:
            self.figure.remark(f"{REMARKS[answer['kind']]} {self._more}".rstrip())
        self.figure.show(answer.get("pictures", {}), answer["rows"])
        self._report.set_content(f"<pre>{escape(answer['report'])}</pre>")
        self._report.set_visibility(True)
        self._lines.show(lines)


def _title(text: str, about: str) -> None:
    ui.html(escape(text), sanitize=False, tag="h2")
    ui.label(about).classes("seq-soft")


def _work(
    session: Session, what: str, label: str, sheet: Callable[[], _Sheet], asked: Callable[[], Mapping[str, Any]],
    lines: Callable[[Mapping[str, Any]], Lines],
) -> None:  # fmt: skip
    """A job whose name is `what`, below its fields."""

    def show(answer: Answer) -> None:
        found.show(answer, lines(asked()))

    Task(session, what, label, what, lambda: session.argument(**asked()), show)
    found = sheet()


def _command(session: Session, command: str, options: Mapping[str, Any]) -> Lines:
    return lines_of(command, session.file, session.state.settings, options)


def _one_run(session: Session, model: _Model) -> None:
    _title("One run, step by step", "Why it stopped: each comparison with its noise. Space plays, arrows step.")
    with ui.element("div").classes("seq-fields"):
        seed = text_field(session, "path.seed", "number of the run", "1")
        cap = text_field(session, "path.cap", "at most so many steps", "200")

    def show(answer: Answer) -> None:
        box.clear()
        with box:
            if not answer["tracks"]:
                ui.label("No comparison with a noisy threshold decides what this algorithm shows.").classes("seq-soft")
            else:
                Player(answer)
                ui.label(SIMULATED).classes("seq-soft")

    def asked() -> dict[str, Any]:
        return session.argument(**model.asked, seed=str(seed.value or ""), cap=str(cap.value or ""))

    Task(session, "path", "Draw a run", "path", asked, show)
    box = ui.element("div").classes("w-full")


def _runs(session: Session, model: _Model) -> None:
    _title("Many runs", "When it stops, what it returns, and a few sample paths.")
    with ui.element("div").classes("seq-fields"):
        fields = {
            "runs": text_field(session, "runs", "runs", "10000"),
            "seed": text_field(session, "seed", "seed", "1"),
            "cap": text_field(session, "cap", "cap (steps)", ""),
        }

    def asked() -> dict[str, Any]:
        return {**model.asked, **{name: str(field.value or "") for name, field in fields.items()}}

    def lines(given: Mapping[str, Any]) -> Lines:
        numbers = {name: int(given[name]) for name in fields if str(given[name]).isdigit()}
        return _command(session, "run", {**model.option, **numbers})

    sheet = partial(_Sheet, "runs", "stopping steps, returns and sample paths", SIMULATED)
    _work(session, "run", "Run", sheet, asked, lines)


def _law(session: Session, model: _Model) -> None:
    _title("The law", "P(stopping step, return), computed without simulation where that is possible.")
    sheet = partial(_Sheet, "law", "the law of the stopping step", COMPUTED)
    _work(session, "solve", "Solve", sheet, lambda: model.asked, lambda _: _command(session, "solve", model.option))


class _Along:
    """A parameter, and the values at which it is tried."""

    def __init__(self, session: Session, name: str) -> None:
        self._session, self._name = session, name
        self.parameter = choice(session, f"{name}.parameter", "parameter", [""], "")
        self._ends = {
            "from": text_field(session, f"{name}.from", "from", ""),
            "to": text_field(session, f"{name}.to", "to", ""),
            "count": text_field(session, f"{name}.count", "how many values", "9"),
        }
        session.heard(self._show)

    def _show(self) -> None:
        known = {p["name"]: p for p in self._session.answer.get("parameters", ())}
        if known and list(self.parameter.options) != list(known):
            given = self._session.state.option(f"{self._name}.parameter")
            chosen = given if given in known else _likely(list(known), self._name)
            self.parameter.set_options({n: n for n in known}, value=chosen)

    @property
    def asked(self) -> dict[str, str]:
        """For jobs. Ends that are left out are the slider's."""
        known = {p["name"]: p for p in self._session.answer.get("parameters", ())}
        name = str(self.parameter.value or "")
        if name not in known:
            raise ValueError("there is no parameter to vary: open a text that has one")
        likely = {"from": known[name]["low"], "to": known[name]["high"], "count": 9}
        typed = {end: str(field.value or "").strip() for end, field in self._ends.items()}
        return {"parameter": name, **{end: typed[end] or f"{likely[end]:g}" for end in likely}}


def _likely(names: list[str], sheet: str) -> str:
    """For the price of privacy what looks like a budget, for curves what looks like a chance."""
    wanted = ("eps", "epsilon", "rho") if sheet == "price" else ("p", "theta", "mu")
    return next((name for name in names if name in wanted), names[0])


def _curve(session: Session, model: _Model) -> None:
    _title("Curves", "Operating characteristic and average sample number along a parameter, without simulation.")
    with ui.element("div").classes("seq-fields"):
        along = _Along(session, "curve")

    def lines(given: Mapping[str, Any]) -> Lines:
        span = f"{given['parameter']}={given['from']}:{given['to']}:{given['count']}"
        typed = _command(session, "solve", {**model.option, "curve": span})
        return Lines(typed.command, _sweep_in_python(session, given, "linspace", "exact=True, simulate=False"))

    sheet = partial(_Sheet, "curve", "operating characteristic and expected steps", COMPUTED)
    _work(session, "curve", "Draw the curves", sheet, lambda: {**model.asked, **along.asked}, lines)


def _sweep_in_python(session: Session, given: Mapping[str, Any], spaced: str, how: str) -> str:
    """The lines of Python that find a figure at values between two ends."""
    return f"""import numpy
import seqlang

spec = seqlang.load({session.file!r}{keywords_of(session.state.settings)})
values = numpy.{spaced}({given["from"]}, {given["to"]}, {given["count"]})
print(seqlang.sweep(spec, grid={{{given["parameter"]!r}: values}}, {how}))"""


def _price(session: Session, model: _Model) -> None:
    _title("The price of privacy", "A figure along a parameter, beside the same algorithm without its noise.")
    with ui.element("div").classes("seq-fields"):
        along = _Along(session, "price")
        figure = text_field(session, "price.figure", "figure", "steps", "steps, P(reject), a statistic")
        how = choice(session, "price.how", "computed", {"run": "by simulation", "exact": "exactly"}, "run")
        runs = text_field(session, "price.runs", "runs at each value", "2000")
        cap = text_field(session, "price.cap", "cap (steps)", "")

    def asked() -> dict[str, Any]:
        return {
            **model.asked, **along.asked, "log": True, "figure": str(figure.value or "steps"),
            "exact": how.value == "exact", "runs": str(runs.value or ""), "cap": str(cap.value or ""),
        }  # fmt: skip

    def lines(given: Mapping[str, Any]) -> Lines:
        span = f"{given['parameter']}={given['from']}:{given['to']}:{given['count']}"
        command = "solve" if given["exact"] else "run"
        how = "exact=True, simulate=False" if given["exact"] else f"runs={given['runs'] or 2000}"
        python = f"{_sweep_in_python(session, given, 'geomspace', how)}\n# {PYTHON_ONLY}"
        return Lines(_command(session, command, {**model.option, "sweep": span}).command, python)

    more = "The line without noise is of an algorithm that is not private."
    sheet = partial(_Sheet, "price", "a figure along a parameter, with and without noise", "", more)
    _work(session, "price", "Compute", sheet, asked, lines)
