"""A picture of what an observer sees: each gate, the value behind it, and the noises that guard it."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

WIDE, HIGH, ROOM = 720, 84, 20
"""Of the picture, of a gate in it, and between two: pixels."""
FITS = 34
"""Characters in a box."""


def gates_html(answer: Mapping[str, Any]) -> str:
    """A row a gate, from the private value through its noises to the eye."""
    gates = answer["check"]["gates"]
    if not gates:
        return "<p>Nothing is shown.</p>"
    height = len(gates) * (HIGH + ROOM)
    rows = "".join(_gate(gate, place * (HIGH + ROOM)) for place, gate in enumerate(gates))
    told = "; ".join(f"{g['name']}: {g['value']}, guarded by {', '.join(g['noises']) or 'no noise'}" for g in gates)
    return (f'<div class="seq-picture"><svg viewBox="0 0 {WIDE} {height}" role="img" width="{WIDE}" height="{height}">'
            f"<title>{escape(told)}</title>{rows}</svg></div>")  # fmt: skip


def _gate(gate: Mapping[str, Any], top: int) -> str:
    noises = gate["noises"]
    private = gate["shift"] != "none"
    tone = "good" if noises else "bad" if private else "soft"
    middle = top + HIGH // 2
    words = ", ".join(noises) if noises else "no noise" if private else "public: it does not depend on private data"
    seen = "seen: whether" if gate["kind"] == "compare" else "seen: its value"
    return (
        _box(0, top, 260, "var(--line)", gate["value"], f"moves: {gate['shift']}")
        + _arrow(260, 300, middle)
        + _box(300, top, 240, f"var(--{tone})", words, "noise" if noises else "")
        + _arrow(540, 580, middle)
        + _box(580, top, 140, "var(--accent)", gate["name"], seen)
    )


def _box(left: int, top: int, width: int, colour: str, text: str, below: str) -> str:
    most = int(FITS * width / 260)
    lines = [text[i : i + most] for i in range(0, min(len(text), 2 * most), most)] or [""]
    if len(text) > 2 * most:
        lines[-1] = lines[-1][:-1] + "…"
    start = top + 30 - 8 * (len(lines) - 1)
    drawn = "".join(
        f'<text x="{left + 10}" y="{start + 17 * i}" fill="var(--ink)" font-size="13">{escape(line)}</text>'
        for i, line in enumerate(lines)
    )
    drawn += f'<text x="{left + 10}" y="{top + HIGH - 12}" fill="var(--soft)" font-size="12">{escape(below)}</text>'
    return (f'<rect x="{left + 1}" y="{top + 1}" width="{width - 2}" height="{HIGH - 2}" rx="6" fill="var(--paper)" '
            f'stroke="{colour}" stroke-width="2"/>{drawn}')  # fmt: skip


def _arrow(left: int, right: int, at: int) -> str:
    tip = f"M{right - 10} {at - 5} L{right - 2} {at} L{right - 10} {at + 5}"
    line = f'<path d="M{left + 4} {at} H{right - 6}" stroke="var(--soft)" stroke-width="2"/>'
    return f'{line}<path d="{tip}" fill="var(--soft)"/>'
