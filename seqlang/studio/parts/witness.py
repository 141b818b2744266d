"""Two streams side by side, where they differ, and the event that tells them apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from itertools import zip_longest
from typing import Any

from seqlang.report.numbers import shown, shown_down

MOST = 60
"""Steps that are shown; in the middle of longer streams some are left out."""


def witness_html(answer: Mapping[str, Any]) -> str:
    """Of the pure bound, or of the first refuted claim that has one."""
    found = answer["check"]
    witness = found["strong"]["pure"].get("witness")
    witness = witness or next((c["witness"] for c in found["claims"] if c.get("witness")), None)
    if not witness:
        return "<p>No pair of data sets with different chances was found.</p>"
    first, second = witness["streams"]
    loss = witness["loss"]
    factor = "infinitely" if loss in (None, "inf") else f"by a loss of {shown_down(float(loss))}"
    return (
        _streams(first, second, _moment(witness["event"]))
        + f"<p>The event: <strong>{escape(_event(witness['event']))}</strong>. Its probability is "
        f"{shown(float(witness['p']))} on the first and {shown(float(witness['q']))} on the second: they differ "
        f"{factor}."
        f'<br><span class="seq-soft">{escape(witness.get("because") or "")}</span></p>'
    )


def _streams(first: Sequence[Any], second: Sequence[Any], moment: int | None) -> str:
    """A row a stream, a column a step."""
    length = max(len(first), len(second))
    steps = list(range(length)) if length <= MOST else [*range(MOST // 2), *range(length - MOST // 2, length)]
    pairs = list(zip_longest(first, second))

    def row(name: str, side: int) -> str:
        cells = "".join(_cell(pairs[i][side], pairs[i][0] != pairs[i][1], moment == i + 1) for i in steps)
        return f'<tr><th scope="row">{name}</th>{cells}</tr>'

    head = "".join(f'<th scope="col">{i + 1}</th>' for i in steps)
    note = f'<p class="seq-soft">{length - len(steps)} steps in the middle are left out.</p>' if length > MOST else ""
    return (f'<div class="seq-wide" tabindex="0" role="region" aria-label="two data sets"><table class="seq-table '
            f'seq-stream"><thead><tr><th scope="col">step</th>{head}</tr></thead><tbody>{row("first", 0)}'
            f"{row('second', 1)}</tbody></table></div>{note}")  # fmt: skip


def _cell(entry: Any, differs: bool, event: bool) -> str:
    kind = " ".join(name for name, is_so in (("seq-differs", differs), ("seq-event", event)) if is_so)
    return f'<td class="{kind}">{escape(_entry(entry))}</td>'


def _entry(entry: Any) -> str:
    if entry is None:
        return "–"
    if isinstance(entry, dict):
        return ", ".join(f"{name}={_entry(value)}" for name, value in entry.items())
    if isinstance(entry, list):
        return "(" + ", ".join(map(_entry, entry)) + ")"
    return shown(float(entry)) if isinstance(entry, int | float) else str(entry)


def _moment(event: Any) -> int | None:
    """The step in which the event is decided."""
    if not isinstance(event, dict):
        return None
    return next((event[key] for key in ("not_by", "step", "stop", "by") if isinstance(event.get(key), int)), None)


def _event(event: Any) -> str:
    if isinstance(event, dict):
        if set(event) == {"not_by"}:
            return f"nothing by step {event['not_by']}"
        return ", ".join(f"{name.replace('_', ' ')} {_event(value)}" for name, value in event.items())
    if isinstance(event, list):
        return ", ".join(map(_event, event))
    return str(event)
