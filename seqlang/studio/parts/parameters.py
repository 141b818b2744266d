"""A field and a slider for every parameter."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import ui

from seqlang.studio.session import Session

MOST = 60
"""Parameters with a slider."""
_PLACE = "(event) => emit(event.target.value)"
PLACES = 200
"""Of a slider."""


class Parameters:
    """Made anew where the text has other parameters; else only values change."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._shown: list[Any] = []
        self._fields: dict[str, ui.input] = {}
        with ui.element("div").classes("w-full").style("min-height: 3em") as self._box:
            pass

    def show(self, parameters: Sequence[Mapping[str, Any]]) -> None:
        """As a check's answer lists them."""
        about = [{key: p[key] for key in p if key != "value"} for p in parameters]
        if about == self._shown:
            return
        self._shown = about
        self._box.clear()
        self._fields.clear()
        with self._box:
            if not parameters:
                ui.label("The text has none.").classes("seq-soft")
            for parameter in parameters[:MOST]:
                self._one(parameter)
            if len(parameters) > MOST:
                ui.label(f"and {len(parameters) - MOST} more, which the text sets").classes("seq-soft")

    def _one(self, parameter: Mapping[str, Any]) -> None:
        name, scale = parameter["name"], Scale(parameter)
        given = dict(self._session.state.settings).get(name, "")

        def typed(text: str | None) -> None:
            self._session.change(self._session.state.with_setting(name, (text or "").strip() or None))

        def moved(place: float) -> None:
            slider.props["value"] = place  # without an update: the browser has it already
            field.set_value(scale.text(place))

        with ui.element("div").classes("seq-parameter"):
            ui.label(name).props(f'id="name-{name}"')
            slider = ui.element("input").classes("seq-slider")
            slider.props(f'type=range min=0 max={PLACES} value={scale.place(parameter["value"])} aria-label="{name}"')
            slider.on("input", lambda e: moved(float(e.args)), throttle=0.1, js_handler=_PLACE)
            field = ui.input(value=given or scale.shown(parameter["value"]), on_change=lambda e: typed(e.value))
            field.props(f'dense outlined debounce=150 aria-label="{name}"')
        self._fields[name] = field


class Scale:
    """Between the places of a slider, 0 .. PLACES, and the values of a parameter."""

    def __init__(self, parameter: Mapping[str, Any]) -> None:
        self.low, self.high = float(parameter["low"]), float(parameter["high"])
        self.whole, self.log = bool(parameter["whole"]), bool(parameter["log"])

    def text(self, place: float) -> str:
        """The value there, with three digits."""
        share = place / PLACES
        if self.log:
            value = math.exp((1 - share) * math.log(self.low) + share * math.log(self.high))
        else:
            value = (1 - share) * self.low + share * self.high
        return str(round(value)) if self.whole else f"{value:.3g}"

    def place(self, value: float) -> int:
        """The nearest place."""
        held = min(max(value, self.low), self.high)
        if self.high <= self.low:
            return 0
        share = (held - self.low) / (self.high - self.low)
        if self.log:
            share = math.log(held / self.low) / math.log(self.high / self.low)
        return round(share * PLACES)

    def shown(self, value: float) -> str:
        """A value in its field."""
        return str(round(value)) if self.whole else f"{value:g}"
