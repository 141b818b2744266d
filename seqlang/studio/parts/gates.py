"""A picture of what an observer sees: each gate, the value behind it, and the noises that guard it."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any


def gates_html(answer: Mapping[str, Any]) -> str:
    """A row a gate, from the private value through its noises to the eye; below each other where there is no room."""
    gates = answer["check"]["gates"]
    return f'<ol class="seq-gates">{"".join(map(_gate, gates))}</ol>' if gates else "<p>Nothing is shown.</p>"


def _gate(gate: Mapping[str, Any]) -> str:
    noises = gate["noises"]
    private = gate["shift"] != "none"
    tone = "good" if noises else "bad" if private else "soft"
    words = ", ".join(noises) if noises else "no noise" if private else "it does not depend on private data"
    value = _box("private" if private else "soft", gate["value"] or "the transcript", f"moves: {gate['shift'] or '?'}")
    guard = _box(tone, words, "noise" if noises else "unguarded" if private else "public")
    seen = _box("seen", gate["name"], SEEN.get(gate["kind"], "seen: the choice"))
    return f"<li>{value}{_ARROW}{guard}{_ARROW}{seen}</li>"


SEEN = {"compare": "seen: whether", "release": "seen: its value", "public": "seen: it is public"}
_ARROW = '<span class="seq-arrow" aria-hidden="true"></span>'


def _box(tone: str, text: str, below: str) -> str:
    return f'<span class="seq-box seq-box-{tone}"><code>{escape(text)}</code><small>{escape(below)}</small></span>'
