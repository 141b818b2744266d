"""Tables that are wider than the screen: long columns are folded, and then the table is cut into bands of columns.

No number, and no other short text, is broken inside its cell, unless the screen is too narrow even for one of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from seqlang.record import record
from seqlang.report.document.document import Line, Table

GAP = 2
"""Blanks between columns."""
_SHORT = 24
"""Columns as wide as this or narrower are not folded, nor are words."""
_LEAST = 14
"""A column that is folded is no narrower than this, if it holds as much."""


@record
class Band:
    """A table with the widths of its columns, which may be less than those of their texts; `fits` unless there is no
    room for that."""

    table: Table
    widths: tuple[int, ...]
    fits: bool


def bands(table: Table, room: int) -> tuple[Band, ...]:
    """One band if it fits into `room` columns of text, perhaps with long texts folded. Else each band begins with the
    columns that name the row (up to the first that is aligned left); as many others follow as fit. What does not fit
    even so is one band."""
    texts = [[_text(row[c]) for row in table.rows] + [table.head[c]] for c in range(len(table.align))]
    natural = [max(len(part) for text in column for part in text.split("\n")) for column in texts]
    floors = [_floor(column, wide) for column, wide in zip(texts, natural, strict=True)]
    everything = list(range(len(natural)))
    if _total(floors) <= room:
        return (_band(table, everything, natural, floors, room),)
    keys = everything[: table.align.find("l") + 1]
    groups = _groups(table.head, len(keys))
    if not keys or any(_total([floors[c] for c in keys + group]) > room for group in groups):
        return (_band(table, everything, natural, floors, room),)
    parts: list[list[int]] = []
    for group in groups:
        if parts and _total([floors[c] for c in parts[-1] + group]) <= room:
            parts[-1] += group
        else:
            parts.append(keys + group)
    return tuple(_band(table, part, natural, floors, room) for part in parts)


def _text(cell: Line) -> str:
    return "".join(w.text for w in cell)


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


def _floor(column: Sequence[str], natural: int) -> int:
    """The least width of a column."""
    if natural <= _SHORT:
        return natural
    word = max((len(word) for text in column for word in text.split()), default=0)
    return min(natural, max(_LEAST, min(word, _SHORT)))


def _groups(head: Sequence[str], keys: int) -> list[list[int]]:
    """Columns that stay together: an error beside its mean, and names that stand there more than once with the column
    before them, which tells whose they are."""
    found: list[list[int]] = []
    for c in range(keys, len(head)):
        if found and (head[c].startswith("±") or (head[c] and head.count(head[c]) > 1)):
            found[-1].append(c)
        else:
            found.append([c])
    return found


def _band(table: Table, columns: Sequence[int], natural: Sequence[int], floors: Sequence[int], room: int) -> Band:
    widths = [natural[c] for c in columns]
    least = [floors[c] for c in columns]
    while _total(widths) > room and any(w > f for w, f in zip(widths, least, strict=True)):
        widest = max((w, i) for i, (w, f) in enumerate(zip(widths, least, strict=True)) if w > f)[1]
        widths[widest] -= 1
    rows = [tuple(row[c] for c in columns) for row in table.rows]
    part = Table(
        tuple(table.head[c] for c in columns),
        tuple(row for row in rows if any(row)),  # a row that only goes on in another band
        "".join(table.align[c] for c in columns),
    )
    return Band(part, tuple(widths), _total(widths) <= room)
