"""A token: a word, number, text or mark with its place."""

from __future__ import annotations

from typing import Literal, NamedTuple

from seqlang.source import Span

Kind = Literal["word", "number", "text", "mark", "comment", "open text", "unknown", "end"]


class Token(NamedTuple):
    """`kind` is what the characters are; what a word means where it stands, the parse decides. `open text` is a text
    that is not closed on its line, `unknown` a run of characters that begin nothing, `end` stands behind the last."""

    kind: Kind
    text: str
    start: int
    end: int

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)
