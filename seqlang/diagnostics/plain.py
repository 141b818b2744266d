"""Diagnostics as text for people: the message, the place, the line with marks under it, notes and help."""

from __future__ import annotations

from collections.abc import Iterable

from seqlang.diagnostics.diagnostic import Diagnostic, Label
from seqlang.diagnostics.display import visible, visible_lines
from seqlang.diagnostics.excerpt import Mark, excerpt, groups
from seqlang.source import Source

_RED, _YELLOW, _BLUE, _BOLD, _PLAIN = "\x1b[1;31m", "\x1b[1;33m", "\x1b[1;34m", "\x1b[1m", "\x1b[0m"


def render(diagnostics: Iterable[Diagnostic], source: Source, *, colour: bool = False) -> str:
    """One paragraph a diagnostic, a blank line between them, a line break at the end; "" if there are none.
    Colours are ANSI sequences. Nothing in the source can reach the terminal as a control sequence."""
    return "\n".join(_paragraph(diagnostic, source, colour) for diagnostic in diagnostics)


def _paragraph(diagnostic: Diagnostic, source: Source, colour: bool) -> str:
    shade = _YELLOW if diagnostic.severity == "warning" else _RED

    def paint(text: str, with_colour: str) -> str:
        return f"{with_colour}{text}{_PLAIN}" if colour and text else text

    head = paint(f"{diagnostic.severity}[{diagnostic.code}]", shade)
    lines = [head + paint(f": {visible(diagnostic.message)}", _BOLD)]
    gutter = 1
    if diagnostic.primary is not None:
        by_line = _marks_by_line(diagnostic.primary, diagnostic.secondary, source)
        gutter = len(str(max(by_line)))
        line, column = source.line_column(diagnostic.primary.span.start)
        lines.append(f"{' ' * gutter}{paint('-->', _BLUE)} {visible(source.name)}:{line}:{column}")
        lines.append(f"{' ' * gutter} {paint('|', _BLUE)}")
        lines += [
            f"{paint(margin, _BLUE)} {paint(text, shade if loud else _BLUE) if marks else text}".rstrip()
            for margin, text, marks, loud in _excerpts(by_line, source, gutter)
        ]
    elif source.name:
        lines.append(f"{' ' * gutter}{paint('-->', _BLUE)} {visible(source.name)}")
    said = [("note", note) for note in diagnostic.notes] + [("help", diagnostic.help)] * bool(diagnostic.help)
    for kind, text in said:
        indent = "\n" + " " * (gutter + 5 + len(kind))
        lines.append(f"{' ' * gutter} {paint('=', _BLUE)} {paint(kind, _BOLD)}: "
                     + visible_lines(text or "").replace("\n", indent))  # fmt: skip
    return "\n".join(lines) + "\n"


def _marks_by_line(primary: Label, secondary: tuple[Label, ...], source: Source) -> dict[int, list[Mark]]:
    """Marks by line number. A span over several lines is marked on its first."""
    found: dict[int, list[Mark]] = {}
    for label in (primary, *secondary):
        line, column = source.line_column(label.span.start)
        length = len(source.line_text(line))
        start = column - 1
        end = max(min(start + label.span.end - label.span.start, length), start)
        found.setdefault(line, []).append(Mark(start, end, visible(label.text), label is primary))
    return found


def _excerpts(by_line: dict[int, list[Mark]], source: Source, gutter: int) -> list[tuple[str, str, bool, bool]]:
    """Rows as (margin, text, whether it holds marks, whether one of them is the primary)."""
    rows: list[tuple[str, str, bool, bool]] = []
    before: int | None = None
    for line in sorted(by_line):
        if before is not None and line > before + 1:
            rows.append(("...", "", False, False))
        for marks in groups(source.line_text(line), by_line[line]):
            shown, signs = excerpt(source.line_text(line), marks)
            rows.append((f"{line:>{gutter}} |", shown, False, False))
            rows += [(f"{' ' * gutter} |", row.text, True, row.primary) for row in signs]
        before = line
    return rows
