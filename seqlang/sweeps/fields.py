"""The lines of a small CSV file with the place of every field, so that an error can point at it."""

from __future__ import annotations

from collections.abc import Iterator

from seqlang.diagnostics import Label, SpecError
from seqlang.record import record
from seqlang.source import Source, Span


@record
class Field:
    """The text of a field without blanks and quotes around it; `span` is where it stands."""

    text: str
    span: Span


SEPARATORS = (",", ";", "\t")
"""Of fields, the same on all lines: the one that stands in the first line."""


def lines(source: Source) -> Iterator[tuple[int, tuple[Field, ...]]]:
    """(line from 1, its fields). Blank lines and lines that begin with # are passed over. Raises SpecError E0640 for
    a quote without its end."""
    start, separator = 0, ""
    for number, line in enumerate(source.text.split("\n"), 1):
        text = line.rstrip("\r")
        if text.strip() and not text.lstrip().startswith("#"):
            separator = separator or next((s for s in SEPARATORS if s in text.strip()), ",")
            yield number, tuple(_fields(source, text, start, separator))
        start += len(line) + 1


def _fields(source: Source, line: str, start: int, separator: str) -> Iterator[Field]:
    begin, quoted = 0, False
    for i, character in enumerate(line + separator):
        if character == '"':
            quoted = not quoted
        elif character == separator and (not quoted or i == len(line)):
            if quoted:
                place = Label(Span(start + begin, start + len(line)), "it begins here")
                raise SpecError.of("E0640", "a quote has no end on its line", place=place, source=source)
            yield _field(line[begin:i], start + begin)
            begin = i + 1


def _field(raw: str, start: int) -> Field:
    text = raw.strip()
    first = start + len(raw) - len(raw.lstrip())
    span = Span(first, first + max(1, len(text)))
    if len(text) >= 2 and text[0] == text[-1] == '"':
        text = text[1:-1].replace('""', '"').strip()
    return Field(text, span)
