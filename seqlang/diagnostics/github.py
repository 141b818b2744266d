"""Diagnostics as workflow commands of GitHub Actions, which show them beside the changed lines."""

from __future__ import annotations

from collections.abc import Iterable

from seqlang.diagnostics.diagnostic import Diagnostic
from seqlang.diagnostics.display import visible, visible_lines
from seqlang.source import Source


def workflow_commands(diagnostics: Iterable[Diagnostic], source: Source) -> str:
    """One `::error file=..,line=..::message` line a diagnostic, each with a line break; "" if there are none."""
    return "".join(_annotation(diagnostic, source) + "\n" for diagnostic in diagnostics)


def _annotation(diagnostic: Diagnostic, source: Source) -> str:
    properties = [f"file={_property(visible(source.name))}"]
    if diagnostic.primary is not None:
        line, column = source.line_column(diagnostic.primary.span.start)
        end_line, end_column = source.line_column(diagnostic.primary.span.end)
        properties += [f"line={line}", f"endLine={end_line}", f"col={column}"]
        # A column range is shown only within one line.
        properties += [f"endColumn={end_column}"] if end_line == line else []
    properties.append(f"title={_property(diagnostic.code)}")
    said = [diagnostic.message, *diagnostic.notes, *([f"help: {diagnostic.help}"] if diagnostic.help else [])]
    return f"::{diagnostic.severity} {','.join(properties)}::{_data(visible_lines(chr(10).join(said)))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
