"""Two streams side by side, where they differ, and the event that tells them apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from itertools import zip_longest
from typing import Any

from seqlang.report.numbers import shown

MOST = 60
"""Entries that are shown; in the middle of longer inputs some are left out."""


def witness_html(answer: Mapping[str, Any]) -> str:
    """From what the job found."""
    witness = answer.get("witness")
    if not witness:
        return "<p>No pair of data sets with different chances was found.</p>"
    first, second = witness["streams"]
    family = f"<p>{escape(witness['family'])}</p>" if witness["family"] else ""
    return f"{_streams(first, second, witness)}<p>{escape(witness['words'])}</p>{family}"


def _streams(first: Sequence[Any], second: Sequence[Any], witness: Mapping[str, Any]) -> str:
    """A row an input, a column an entry."""
    length = max(len(first), len(second))
    steps = list(range(length)) if length <= MOST else [*range(MOST // 2), *range(length - MOST // 2, length)]
    pairs = list(zip_longest(first, second))
    moment = witness["moment"]

    def row(name: str, side: int) -> str:
        cells = "".join(_cell(pairs[i][side], pairs[i][0] != pairs[i][1], moment == i + 1) for i in steps)
        return f'<tr><th scope="row">{name}</th>{cells}</tr>'

    head = "".join(f'<th scope="col">{i + 1}</th>' for i in steps)
    note = f'<p class="seq-soft">{length - len(steps)} in the middle are left out.</p>' if length > MOST else ""
    return (f'<div class="seq-wide" tabindex="0" role="region" aria-label="two data sets"><table class="seq-table '
            f'seq-stream"><thead><tr><th scope="col">{escape(witness["unit"])}</th>{head}</tr></thead><tbody>'
            f"{row('first', 0)}{row('second', 1)}</tbody></table></div>{note}")  # fmt: skip


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
