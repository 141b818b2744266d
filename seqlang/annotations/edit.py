"""Changes of a text, as values."""

from __future__ import annotations

from collections.abc import Sequence

from seqlang.record import record
from seqlang.source import Span


@record
class Edit:
    """`text` in place of the characters of `span` (of none: inserted there)."""

    span: Span
    text: str


@record
class Fix:
    """Something that somebody may want to have done, in a phrase, and how."""

    title: str
    edits: tuple[Edit, ...]


def insertion(offset: int, text: str) -> Edit:
    return Edit(Span(offset, offset), text)


def applied(text: str, edits: Sequence[Edit]) -> str:
    """The text after edits that do not overlap; their places are those of the text before."""
    for edit in sorted(edits, key=lambda e: e.span.start, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text
