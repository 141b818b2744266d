"""Errors of a unit as plain data, so that they can travel from a worker."""

from __future__ import annotations

from typing import Any

from seqlang.diagnostics import Diagnostic, Label
from seqlang.source import Span


def plain_of(diagnostic: Diagnostic) -> dict[str, Any]:
    """Everything that is shown of it."""
    return {
        "code": diagnostic.code,
        "message": diagnostic.message,
        "labels": [
            None if label is None else [label.span.start, label.span.end, label.text]
            for label in (diagnostic.primary, *diagnostic.secondary)
        ],
        "notes": list(diagnostic.notes),
        "help": diagnostic.help,
    }


def of_plain(plain: dict[str, Any], note: str) -> Diagnostic:
    """The diagnostic again, with a further note."""
    labels = [None if x is None else Label(Span(x[0], x[1]), x[2]) for x in plain["labels"]]
    return Diagnostic(
        plain["code"],
        plain["message"],
        labels[0],
        tuple(label for label in labels[1:] if label is not None),
        (*plain["notes"], note),
        plain["help"],
    )
