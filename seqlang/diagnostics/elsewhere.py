"""Diagnostics of a text that was made from what a user wrote, shown in what the user wrote."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from seqlang.diagnostics.diagnostic import Diagnostic, Label, SpecError
from seqlang.record import record, replace
from seqlang.source import Source, Span

_FORM, _STATEMENT = "form: ", "this `statistic` statement"
"""A note on the form of a statement, and what it is called: of it the user wrote a part."""


@record
class Made:
    """`text`, whose character i comes from character `places[i]` of `source`. `back` are patterns and what stands for
    them in the source."""

    source: Source
    text: str
    places: tuple[int, ...]
    back: tuple[tuple[str, str], ...] = ()


def made(source: Source, begin: int, prefix: str, pattern: str, change: Callable[[str], str]) -> Made:
    """`prefix`, and the source from `begin` on with `change` made of what matches `pattern` and is not empty. The first
    characters of the prefix come from those before `begin`."""
    text = prefix
    places = [min(i, max(0, begin - 1)) for i in range(len(prefix))]
    back: dict[str, str] = {}
    at = begin
    for found in re.compile(pattern).finditer(source.text, begin):
        old, new = found[0], change(found[0])
        text += source.text[at : found.start()] + new
        places += range(at, found.start())
        places += [found.start() + min(i, len(old) - 1) for i in range(len(new))]
        at = found.end()
        if new.strip():
            back[rf"(?<!\w){re.escape(new)}(?!\w)"] = old
    return Made(source, text + source.text[at:], (*places, *range(at, len(source.text))), tuple(back.items()))


def shown_there(diagnostics: Sequence[Diagnostic], whole: Source, parts: Sequence[tuple[int, Made]]) -> SpecError:
    """The errors of the first of the parts that has any, in its source; each part stands at an offset of `whole`. Where
    none has, the errors as they are."""
    errors = tuple(d for d in diagnostics if d.severity == "error")
    for start, part in parts:
        mine = [d for d in errors if d.primary is not None and start <= d.primary.span.start <= start + len(part.text)]
        if mine:
            before = parts[0][0]  # what stands there the user has in a file
            return SpecError(tuple(_moved(d, start, part, whole, before) for d in mine), part.source)
    return SpecError(errors, whole)


def _moved(d: Diagnostic, start: int, part: Made, whole: Source, before: int) -> Diagnostic:
    def said(text: str) -> str:
        text = text.replace(_STATEMENT, "the expression")
        for pattern, old in part.back:
            text = old.join(re.split(pattern, text))
        return text

    def label(given: Label) -> Label:
        first, last = given.span.start - start, given.span.end - start
        count = len(part.places)
        low = part.places[first] if first < count else len(part.source.text)
        high = part.places[min(last, count) - 1] + 1 if first < min(last, count) else low
        return Label(Span(low, max(low, high)), said(given.text))

    def elsewhere(given: Label) -> str:
        line, column = whole.line_column(given.span.start)
        return f"{given.text}: {whole.name}:{line}:{column}"

    assert d.primary is not None
    notes = [elsewhere(x) for x in d.secondary if x.text and x.span.start < before]
    inside = [x for x in d.secondary if start <= x.span.start < start + len(part.text)]
    return replace(
        d,
        message=said(d.message),
        primary=label(d.primary),
        secondary=tuple(map(label, inside)),
        notes=(*notes, *(said(note) for note in d.notes if not note.startswith(_FORM))),
        help=None if d.help is None else said(d.help),
    )
