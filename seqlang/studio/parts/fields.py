"""Fields whose values are in the address, so that a link fills them in again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nicegui import ui

from seqlang.studio.session import Session


def text_field(session: Session, name: str, label: str, default: str = "", hint: str = "") -> ui.input:
    """One line."""
    field = ui.input(label, value=session.state.option(name, default), placeholder=hint)
    field.props("dense outlined debounce=200").classes("seq-input")
    field.on_value_change(lambda e: session.option(name, _kept(e.value, default)))
    return field


def choice(session: Session, name: str, label: str, options: Sequence[str] | Mapping[str, str],
           default: str) -> ui.select:  # fmt: skip
    """One of `options`, or of its keys, which are shown as what they map to."""
    known = dict(options) if isinstance(options, Mapping) else {one: one for one in options}
    given = session.state.option(name, default)
    field = ui.select(known, value=given if given in known else default, label=label)
    field.props("dense outlined options-dense").classes("seq-input")
    field.on_value_change(lambda e: session.option(name, _kept(e.value, default)))
    return field


def _kept(value: object, default: str) -> str:
    """What is in the address: nothing for what is there anyway."""
    text = str(value or "").strip()
    return "" if text == default else text
