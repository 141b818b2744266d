"""One line of source with marks under it."""

from __future__ import annotations

from itertools import pairwise

from seqlang.diagnostics.display import cells, width
from seqlang.record import record

# Longer lines are cut around the marks.
WIDEST = 110


@record
class Mark:
    """Characters `start` to `end` of a line (from 0, at least one column wide when shown) and what to say of them."""

    start: int
    end: int
    text: str
    primary: bool


@record
class Row:
    """A row under (or, with no marks, of) the source; `primary` tells in which colour."""

    text: str
    primary: bool


def excerpt(line: str, marks: list[Mark]) -> tuple[str, list[Row]]:
    """The line as it is shown, and the rows under it. All marks must lie within WIDEST columns of one another; see
    `groups`."""
    shown = cells(line)
    columns = [0]
    for cell in shown:
        columns.append(columns[-1] + width(cell))
    begin, end = _window(columns, marks)
    prefix, suffix = "… " if begin else "", " …" if end < len(shown) else ""
    offset = len(prefix) - columns[begin]

    def place(mark: Mark) -> tuple[int, int]:
        first = columns[min(max(mark.start, begin), end)]
        last = columns[min(max(mark.end, begin), end)]
        return first + offset, max(last - first, 1)

    return prefix + "".join(shown[begin:end]) + suffix, _rows([(*place(mark), mark) for mark in marks])


def groups(line: str, marks: list[Mark]) -> list[list[Mark]]:
    """Marks that can share one excerpt: all on a line of usual width, on a longer one each by itself."""
    if width("".join(cells(line))) <= WIDEST:
        return [marks]
    return [[mark] for mark in marks]


def _window(columns: list[int], marks: list[Mark]) -> tuple[int, int]:
    """The part of the line that is shown, as character offsets."""
    count = len(columns) - 1
    if columns[-1] <= WIDEST:
        return 0, count
    centre = columns[min(marks[0].start, count)]
    low = max(0, min(centre - WIDEST // 3, columns[-1] - WIDEST))
    begin = next(i for i in range(count + 1) if columns[i] >= low)
    end = begin
    while end < count and columns[end + 1] <= columns[begin] + WIDEST:
        end += 1
    return begin, end


def _rows(placed: list[tuple[int, int, Mark]]) -> list[Row]:
    """Signs under the line. The last mark's words stand beside its sign, those of the others below, one a row."""
    placed = sorted(placed, key=lambda item: (item[0], item[1]))
    overlap = any(a[0] + a[1] > b[0] for a, b in pairwise(placed))
    if overlap:
        signed = [(" " * start + ("^" if m.primary else "-") * length, m) for start, length, m in placed]
        return [Row(sign + _words(mark), mark.primary) for sign, mark in signed]
    signs = ""
    for start, length, mark in placed:
        signs = signs.ljust(start) + ("^" if mark.primary else "-") * length
    primary = any(mark.primary for _, _, mark in placed)
    rows = [Row(signs + _words(placed[-1][2]), primary)]
    for index in range(len(placed) - 2, -1, -1):
        if placed[index][2].text:
            bars = ""
            for start, _, _ in placed[:index]:
                bars = bars.ljust(start) + "|"
            rows.append(Row(bars.ljust(placed[index][0]) + placed[index][2].text, placed[index][2].primary))
    return rows


def _words(mark: Mark) -> str:
    return f" {mark.text}" if mark.text else ""
