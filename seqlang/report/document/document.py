"""A report as a value: headings, paragraphs, tables, derivations. `plain` writes it to pipes at once, `rich_document`
shows it on terminals and in notebooks.

A `Words` is a piece of text with a role; roles, not colours, are chosen where a report is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from seqlang.record import record

Role = Literal["text", "head", "quiet", "good", "bad", "doubt", "formula"]


@record
class Words:
    """A piece of text and what it is."""

    text: str
    role: Role = "text"


Line = tuple[Words, ...]
Piece = str | tuple[str, Role]


def line(*pieces: Piece) -> Line:
    """Words from strings and (string, role) pairs; empty ones are dropped."""
    return tuple(Words(p) if isinstance(p, str) else Words(*p) for p in pieces if p and p[0])


@record
class Heading:
    """A section's name, with a blank line above it."""

    text: str


@record
class Paragraph:
    """One paragraph; what does not fit on its first line is indented by `hanging` more columns."""

    words: Line
    indent: int = 0
    hanging: int = 2


@record
class Table:
    """`align` has one letter a column, l or r. In a cell, line breaks stand where they are written."""

    head: tuple[str, ...]
    rows: tuple[tuple[Line, ...], ...]
    align: str


@record
class Tree:
    """A conclusion and what it follows from."""

    words: Line
    branches: tuple[Tree, ...] = ()
    indent: int = 2


Block = Heading | Paragraph | Table | Tree


def first_line(name: str, about: str, quiet: str) -> Paragraph:
    """What a report is about: a name, what was done with it, and in a low voice how."""
    return Paragraph(line((name, "head"), about, (f"   {quiet}", "quiet")))


def remark(text: str) -> Paragraph:
    """A sentence in a low voice."""
    return Paragraph(line((text, "quiet")), 2)


def doubt(text: str) -> Paragraph:
    """A sentence that the reader must not overlook."""
    return Paragraph(line(("! ", "doubt"), text), 2)


def row(*cells: str) -> tuple[Line, ...]:
    """A row of plain cells."""
    return tuple(line(cell) for cell in cells)


def table_of(head: tuple[str, ...], rows: Sequence[tuple[Line, ...]]) -> Table:
    """Names in the first column, numbers in the others."""
    return Table(head, tuple(rows), "l" + "r" * (len(head) - 1))


@record
class Document:
    """Blocks from top to bottom."""

    blocks: tuple[Block, ...]
