"""What a diagnostic proposes, as edits. A remedy is a sentence with a text in back quotes; each way to put that text
into the file is tried, and the first one after which the diagnostic is gone and nothing new is wrong is offered."""

from __future__ import annotations

import re
from collections.abc import Iterator

from seqlang.annotations.edit import Edit, Fix, applied, insertion
from seqlang.annotations.reading import Reading, read
from seqlang.diagnostics import Diagnostic

_QUOTED = re.compile(r"`([^`]+)`")
_PLACEHOLDER = re.compile(r"\.\.(?!\d)|\b[A-Z]{2,}\b")
"""`write sum(.. over steps)` and `declare model null: x ~ LAW` leave something to the reader."""


def remedies(reading: Reading, diagnostic: Diagnostic) -> tuple[Fix, ...]:
    """At most one fix for each text that the help names. Each edit that is tried is parsed and elaborated."""
    if diagnostic.primary is None or diagnostic.help is None:
        return ()
    found = []
    for text in dict.fromkeys(_QUOTED.findall(diagnostic.help)):
        if _PLACEHOLDER.search(text):
            continue
        fix = next((fix for fix in _ways(reading, diagnostic, text) if _is_better(reading, diagnostic, fix)), None)
        found += [] if fix is None else [fix]
    return tuple(found)


def _ways(reading: Reading, diagnostic: Diagnostic, text: str) -> Iterator[Fix]:
    assert diagnostic.primary is not None
    span = diagnostic.primary.span
    old = reading.source.text[span.start : span.end]
    if old != text:
        yield Fix(f"Replace `{_short(old)}` by `{text}`" if old else f"Insert `{text}`", (Edit(span, text),))
    yield Fix(f"Insert `{text}`", (insertion(span.end, f" {text}"),))
    yield Fix(f"Insert `{text}`", (insertion(span.end, text),))
    statement = reading.statement_at(span.start)
    place = span.start if statement is None else statement.span.start
    yield Fix(f"Insert `{text}` above", (insertion(place, f"{text}\n"),))


def _is_better(reading: Reading, diagnostic: Diagnostic, fix: Fix) -> bool:
    """The finding is gone, and there are fewer of its sort: warnings, errors of syntax (without which alone names are
    looked up), or any errors."""
    after = read(applied(reading.source.text, fix.edits), reading.source.name)
    if _count(after, diagnostic.code) >= _count(reading, diagnostic.code):
        return False
    if diagnostic.severity == "warning":
        return not after.errors and len(after.warnings) < len(reading.warnings)
    sort = _SYNTAX if diagnostic.code.startswith(_SYNTAX) else "E"
    return _count(after, sort) < _count(reading, sort)


_SYNTAX = "E01"


def _count(reading: Reading, code: str) -> int:
    return sum(d.code.startswith(code) for d in reading.diagnostics)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 30 else f"{line[:28]} .."
