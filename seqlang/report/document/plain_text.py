"""A document as plain text, without importing anything heavy: what pipes, files and tests get. What a terminal would
obey in it (an escape sequence in a title) is shown as symbols."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from seqlang.diagnostics.display import visible, visible_lines
from seqlang.report.document.document import Block, Document, Heading, Line, Paragraph, Table, Tree

WIDTH = 110
"""Columns of a report that nobody's terminal limits."""


def render_plain(document: Document, width: int = WIDTH) -> str:
    """The text, ending in a line break."""
    lines: list[str] = []
    for block in document.blocks:
        if isinstance(block, Heading) and lines:
            lines.append("")
        lines.extend(_block(block, width))
    return "\n".join(item.rstrip() for item in lines) + "\n"


def _block(block: Block, width: int) -> Iterator[str]:
    match block:
        case Heading(text):
            yield visible(text)
        case Paragraph(words, indent, hanging):
            yield from _wrapped(_text(words), width, " " * indent, " " * (indent + hanging))
        case Table():
            yield from _table(block, width)
        case Tree():
            margin = " " * block.indent
            yield from _tree(block, margin, margin, width)
        case _:
            assert_never(block)


def _text(words: Line) -> str:
    return visible_lines("".join(w.text for w in words))


def _wrapped(text: str, width: int, first: str, rest: str) -> list[str]:
    """Lines of whole words; a word that is longer than a line stands alone on one."""
    lines: list[str] = []
    for part in text.split("\n"):
        current, empty = (rest if lines else first), True
        for word in _words(part):
            if not empty and len(current) + len(word.rstrip()) > width:
                lines.append(current)
                current, word = rest, word.lstrip()
            current += word
            empty = False
        lines.append(current)
    return lines


def _words(text: str) -> Iterator[str]:
    """Words with the blanks before them, so that columns inside a line stay as written."""
    start, inside = 0, False
    for i, character in enumerate(text):
        if character == " " and inside:
            yield text[start:i]
            start, inside = i, False
        elif character != " ":
            inside = True
    if start < len(text):
        yield text[start:]


def _table(table: Table, width: int) -> Iterator[str]:
    rows = [tuple(_text(cell) for cell in row) for row in table.rows]
    head = tuple(map(visible, table.head))
    every = [head, *rows] if any(head) else rows
    columns = len(table.align)
    widths = [max(len(part) for row in every for part in row[c].split("\n")) for c in range(columns)]
    _shrink(widths, width - 2 * columns)
    for row in every:
        cells = [_wrapped(row[c], widths[c], "", "") for c in range(columns)]
        for k in range(max(len(cell) for cell in cells)):
            parts = (cell[k] if k < len(cell) else "" for cell in cells)
            aligned = (p.rjust(widths[c]) if table.align[c] == "r" else p.ljust(widths[c]) for c, p in enumerate(parts))
            yield "  " + "  ".join(aligned)


def _shrink(widths: list[int], room: int) -> None:
    """Takes from the widest column until all fit (none below 14)."""
    while sum(widths) > room and max(widths) > 14:
        widths[widths.index(max(widths))] -= 1


def _tree(tree: Tree, first: str, rest: str, width: int) -> Iterator[str]:
    below = rest + ("│  " if tree.branches else "   ")
    yield from _wrapped(_text(tree.words), width, first, below)
    for i, branch in enumerate(tree.branches):
        last = i == len(tree.branches) - 1
        yield from _tree(branch, rest + ("└─ " if last else "├─ "), rest + ("   " if last else "│  "), width)
