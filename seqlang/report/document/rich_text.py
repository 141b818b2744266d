"""A document on a terminal or in a notebook: rich does the drawing.

rich reads `[...]` in strings as markup, so everything here is built from `rich.text.Text`. What a terminal would obey
in a text that a user wrote is shown as symbols.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, TextIO, assert_never

from seqlang.diagnostics.display import visible, visible_lines
from seqlang.report.document.bands import GAP, Band, bands
from seqlang.report.document.document import Document, Heading, Line, Paragraph, Table, Tree
from seqlang.report.document.plain_text import WIDTH, render_plain

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text
    from rich.tree import Tree as RichTree

NARROWEST = 40
_MARGIN = 2
"""Blanks before a table."""
_STYLES = {
    "text": "",
    "head": "bold",
    "quiet": "dim",
    "good": "bold green",
    "bad": "bold red",
    "doubt": "bold yellow",
    "formula": "cyan",
}


def show(document: Document, stream: TextIO) -> None:
    """Prints to a stream: with rich on a terminal, plainly elsewhere; as wide as COLUMNS says, if it is set."""
    if not stream.isatty():
        columns = os.environ.get("COLUMNS", "")
        asked = int(columns) if columns.isdecimal() and len(columns) < 6 else 0
        stream.write(render_plain(document, max(asked, NARROWEST) if asked else WIDTH))
        return
    from rich.console import Console

    _draw(document, Console(file=stream, highlight=False, emoji=False))


def as_html(document: Document) -> str:
    """One HTML fragment with inline styles, no scripts, no outside requests."""
    from io import StringIO

    from rich.console import Console

    there = StringIO()
    console = Console(file=there, highlight=False, emoji=False, width=WIDTH, record=True, force_terminal=True,
                      force_jupyter=False)  # fmt: skip # in a notebook rich would show it by itself as well
    _draw(document, console)
    return console.export_html(inline_styles=True, code_format='<pre style="line-height:1.35">{code}</pre>')


def _draw(document: Document, console: Console) -> None:
    for i, block in enumerate(document.blocks):
        if isinstance(block, Heading) and i:
            console.print()
        if isinstance(block, Table):
            for number, band in enumerate(bands(block, console.width - _MARGIN)):
                if number and len(block.rows) > 1:
                    console.print()
                console.print(_table(band))
        else:
            console.print(_block(block))


def _table(band: Band) -> RenderableType:
    from rich.padding import Padding
    from rich.table import Table as RichTable

    head = band.table.head
    table = RichTable(box=None, padding=(0, GAP, 0, 0), header_style="dim", pad_edge=False, show_header=any(head))
    for name, side, width in zip(head, band.table.align, band.widths, strict=True):
        justify: Literal["left", "right"] = "right" if side == "r" else "left"
        table.add_column(visible(name), justify=justify, width=width if band.fits else None, overflow="fold")
    for row in band.table.rows:
        table.add_row(*(_text(cell) for cell in row))
    return Padding(table, (0, 0, 0, _MARGIN))


def _block(block: Heading | Paragraph | Tree) -> RenderableType:
    from rich.padding import Padding
    from rich.text import Text

    match block:
        case Heading(text):
            return Text(visible(text), style="bold")
        case Paragraph(words, indent, hanging):
            return Padding(_text(words), (0, 0, 0, indent)) if not hanging else _hung(words, indent, hanging)
        case Tree():
            return Padding(_tree(block), (0, 0, 0, block.indent))
        case _:
            assert_never(block)


def _hung(words: Line, indent: int, hanging: int) -> RenderableType:
    """rich has no hanging indent: the paragraph is set with the deeper margin and its first words pulled out."""
    from rich.padding import Padding
    from rich.table import Table as RichTable

    if len(words) < 2 or len(words[0].text) > 30:
        return Padding(_text(words), (0, 0, 0, indent))
    grid = RichTable.grid(padding=0)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(_text(words[:1]), _text(words[1:]))
    return Padding(grid, (0, 0, 0, indent))


def _text(words: Line) -> Text:
    from rich.text import Text

    return Text.assemble(*((visible_lines(w.text), _STYLES[w.role]) for w in words))


def _tree(tree: Tree) -> RichTree:
    from rich.tree import Tree as RichTree

    drawn = RichTree(_text(tree.words), guide_style="dim")
    for branch in tree.branches:
        drawn.children.append(_tree(branch))
    return drawn
