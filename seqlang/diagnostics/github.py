"""Diagnostics as annotations of GitHub Actions: `::error file=..,line=..::message`, a line each."""

from __future__ import annotations

from seqlang.diagnostics.diagnostic import Diagnostic, Severity
from seqlang.source import Source, Span

_IN_MESSAGE = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_IN_PROPERTY = {**_IN_MESSAGE, ":": "%3A", ",": "%2C"}
"""What must be escaped, as `escapeData` and `escapeProperty` of GitHub's `actions/toolkit` (core/src/command.ts) do."""


def diagnostic_annotation(diagnostic: Diagnostic, source: Source | None, file: str) -> str:
    """The annotation of one diagnostic. `file` is named where the diagnostic has no source. Notes and help follow the
    message on lines of their own."""
    said = [diagnostic.message, *(f"note: {note}" for note in diagnostic.notes)]
    if diagnostic.help:
        said.append(f"help: {diagnostic.help}")
    span = None if diagnostic.primary is None else diagnostic.primary.span
    return annotation(diagnostic.severity, diagnostic.code, "\n".join(said), source or Source(file, ""), span)


def annotation(severity: Severity, title: str, message: str, source: Source, span: Span | None = None) -> str:
    """One line that GitHub shows at this place of the file. Lines and columns count from 1; the end is excluded."""
    properties: dict[str, object] = {"file": source.name} if source.name else {}
    if span is not None:
        line, column = source.line_column(span.start)
        end_line, end_column = source.line_column(span.end)
        properties |= {"line": line, "endLine": end_line, "col": column, "endColumn": end_column}
    properties["title"] = title
    listed = ",".join(f"{key}={_escaped(str(value), _IN_PROPERTY)}" for key, value in properties.items())
    return f"::{severity} {listed}::{_escaped(message, _IN_MESSAGE)}"


def _escaped(text: str, marks: dict[str, str]) -> str:
    return "".join(marks.get(character, character) for character in text)
