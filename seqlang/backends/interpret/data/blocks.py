"""CSV text without quotes, a block of lines at once: where the cells stand is found for all of them together."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.interpret.data.layout import Head, checked_row, rows_from
from seqlang.backends.interpret.data.pieces import ROWS, Cells, Coded, Piece, Places, of_rows, of_texts
from seqlang.backends.interpret.data.problem import problem
from seqlang.record import replace

BLOCK = 1 << 20
WORD = 8
"""Bytes of the longest cell that is compared as one number."""
MASKS = np.array([(1 << 8 * i) - 1 for i in range(WORD + 1)], dtype=np.uint64)
MOST = 1 << 12
"""Different cells of a column that are remembered."""

Words = NDArray[np.uint64]


def pieces(name: str, data: bytes, head: Head, columns: Collection[int]) -> Iterator[Piece]:
    """The rows of some columns; from the first quote on they are read one by one. Raises SpecError E0610 for a row with
    too many cells or too few when it is reached, E0611 without any."""
    columns = sorted(columns)
    memory = {column: Remembered() for column in columns}
    at, line, seen = head.at, head.line, False
    while at < len(data):
        end = data.rfind(b"\n", at, at + BLOCK) + 1 or data.find(b"\n", at) + 1 or len(data)
        block = data[at:end]
        place = replace(head, at=at, line=line)
        if head.delimiter == " " or b'"' in block or block.count(b"\r") != block.count(b"\r\n"):
            found = _one_by_one(name, data, place, columns)
            at = len(data)
        else:
            piece = _together(block, place, columns, memory)
            found = _one_by_one(name, block, replace(place, at=0), columns) if piece is None else iter((piece,))
            at, line = end, line + block.count(b"\n")
        for piece in found:
            seen = True
            yield piece
    if not seen:
        raise problem("E0611", f"`{name}` has a header and no rows")


def _one_by_one(name: str, data: bytes, head: Head, columns: Collection[int]) -> Iterator[Piece]:
    rows = (checked_row(name, head, row) for row in rows_from(name, data, head))
    while some := list(islice(rows, ROWS)):
        yield of_rows(some, columns)


def _together(block: bytes, head: Head, columns: Collection[int], memory: dict[int, Remembered]) -> Piece | None:
    """A piece; None if a line is blank, or has not as many cells as the header."""
    width = len(head.header)
    text = np.frombuffer(block, dtype=np.uint8)
    ends: Places = np.flatnonzero((text == ord(head.delimiter)) | (text == ord("\n")))
    if block[-1:] != b"\n":
        ends = np.append(ends, len(block))
    if len(ends) % width:
        return None
    starts: Places = np.empty_like(ends)
    starts[0], starts[1:] = 0, ends[:-1] + 1
    starts, ends = starts.reshape(-1, width), ends.reshape(-1, width)
    lines = text[ends[:-1, -1]] == ord("\n")
    if not lines.all() or block.count(b"\n", 0, int(ends[-1, -1])) != len(ends) - 1:
        return None
    if width == 1 and (text[np.minimum(starts, len(text) - 1)] <= ord(" ")).any():  # a blank line is no row
        return None
    padded = block + bytes(WORD)
    # At every byte the eight from there on, as one number.
    words = np.ndarray((len(block) + 1,), "<u8", padded, strides=(1,))
    found: dict[int, Cells] = {}
    for column in columns:
        first = starts[:, column]
        lengths = ends[:, column] - first
        if lengths.max() <= WORD:
            found[column] = memory[column].coded(words[first] & MASKS[lengths])
        else:
            places = zip(first.tolist(), ends[:, column].tolist(), strict=True)
            found[column] = of_texts([block[a:b].decode() for a, b in places])
    return Piece(np.arange(head.line + 1, head.line + 1 + len(ends)), found)


class Remembered:
    """The different cells of a column so far, in order: the next block has the same ones, as a rule."""

    def __init__(self) -> None:
        self.words: Words = np.empty(0, dtype=np.uint64)
        self.texts: list[str] = []

    def coded(self, words: Words) -> Coded:
        """Cells of at most eight bytes, packed."""
        if len(self.words):
            codes = np.minimum(np.searchsorted(self.words, words), len(self.words) - 1)
            if (self.words[codes] == words).all():
                return Coded(self.texts, codes)
        known = self.words if len(self.words) < MOST else self.words[:0]
        self.words = np.unique(np.concatenate([known, words]))
        self.texts = [cell.decode() for cell in self.words.astype("<u8").view(f"S{WORD}").tolist()]
        return Coded(self.texts, np.searchsorted(self.words, words))
