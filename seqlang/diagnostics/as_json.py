"""Diagnostics as JSON objects."""

from __future__ import annotations

from typing import Any

from seqlang.diagnostics.diagnostic import Diagnostic, SpecError
from seqlang.source import Source
from seqlang.version import __version__


def diagnostic_dict(diagnostic: Diagnostic, source: Source | None) -> dict[str, Any]:
    """code, severity, message, file, line, column, end_line, end_column, labels, notes, help. Lines and columns are
    counted from 1 in characters, the end is excluded; all are None if the diagnostic has no place."""
    place: dict[str, Any] = dict.fromkeys(("line", "column", "end_line", "end_column"))
    labels: list[dict[str, Any]] = []
    if source is not None and diagnostic.primary is not None:
        place = _place(diagnostic.primary.span.start, diagnostic.primary.span.end, source)
        labels = [
            {**_place(label.span.start, label.span.end, source), "text": label.text, "primary": index == 0}
            for index, label in enumerate((diagnostic.primary, *diagnostic.secondary))
        ]
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "file": source.name if source is not None else None,
        **place,
        "labels": labels,
        "notes": list(diagnostic.notes),
        "help": diagnostic.help,
    }


def _place(start: int, end: int, source: Source) -> dict[str, Any]:
    line, column = source.line_column(start)
    end_line, end_column = source.line_column(end)
    return {"line": line, "column": column, "end_line": end_line, "end_column": end_column}


def invalid_dict(error: SpecError, file: str) -> dict[str, Any]:
    """What `--format json` says of a file that is invalid: its diagnostics, and nothing else was found."""
    source = error.source if isinstance(error.source, Source) else None
    return {
        "seqlang": __version__,
        "schema": 1,
        "file": source.name if source is not None else file,
        "diagnostics": [diagnostic_dict(d, source) for d in error.diagnostics],
    }
