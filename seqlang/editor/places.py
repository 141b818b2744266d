"""Offsets in a text as positions of the protocol, and back: lines from 0, and columns in the units that client and
server agreed on."""

from __future__ import annotations

import re
from bisect import bisect_right

from lsprotocol import types

from seqlang.source import Span

_LINE_END = re.compile(r"\r\n|\n|\r")


class Places:
    """Of one text. `encoding`: `utf-8`, `utf-16` or `utf-32`, in whose units columns are counted."""

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        self.text, self.encoding = text, encoding
        self._starts = [0, *(m.end() for m in _LINE_END.finditer(text))]
        self._ends = [*(m.start() for m in _LINE_END.finditer(text)), len(text)]

    def position(self, offset: int) -> types.Position:
        line = bisect_right(self._starts, min(max(offset, 0), len(self.text))) - 1
        before = self.text[self._starts[line] : min(offset, self._ends[line])]
        return types.Position(line, self._units(before))

    def range(self, span: Span) -> types.Range:
        return types.Range(self.position(span.start), self.position(span.end))

    def offset(self, position: types.Position) -> int:
        """A position outside of the text is the nearest place inside."""
        if position.line >= len(self._starts):
            return len(self.text)
        start, end = self._starts[position.line], self._ends[position.line]
        if self.text[start:end].isascii() or self.encoding == "utf-32":
            return min(start + position.character, end)
        units, offset = 0, start
        while offset < end and units < position.character:
            units += self._units(self.text[offset])
            offset += 1
        return offset

    def span(self, between: types.Range) -> Span:
        return Span(self.offset(between.start), self.offset(between.end))

    @property
    def whole(self) -> types.Range:
        return self.range(Span(0, len(self.text)))

    def _units(self, text: str) -> int:
        if text.isascii() or self.encoding == "utf-32":
            return len(text)
        if self.encoding == "utf-8":
            return len(text.encode("utf-8", "surrogatepass"))
        return len(text) + sum(character > "\uffff" for character in text)
