"""The documents that are open: their text as far as it can be read, and what was found out about it since its last
change."""

from __future__ import annotations

import asyncio
from functools import cached_property

from lsprotocol import types

from seqlang.annotations.found import Found
from seqlang.annotations.names import Occurrence
from seqlang.annotations.reading import Reading, read
from seqlang.editor.places import Places
from seqlang.source import Span


class Document:
    """One version of a text. `found` is None until the first proofs are there; `failure` says why there are none."""

    def __init__(self, uri: str, version: int | None, text: str, encoding: str) -> None:
        self.uri, self.version = uri, version
        self.reading: Reading = read(text, uri.rsplit("/", 1)[-1] or uri)
        self.places = Places(text, encoding)
        self.found: Found | None = None
        self.failure = ""
        self.task: asyncio.Task[None] | None = None

    @property
    def text(self) -> str:
        return self.reading.source.text

    def offset(self, position: types.Position) -> int:
        return self.places.offset(position)

    def range(self, span: Span) -> types.Range:
        return self.places.range(span)

    def location(self, occurrence: Occurrence) -> types.Location:
        return types.Location(self.uri, self.range(occurrence.span))

    @cached_property
    def first_line(self) -> types.Range:
        """Where what concerns the whole file is shown."""
        head = next((s.span for s in self.reading.file.statements), Span(0, 0))
        return self.range(Span(head.start, head.start))

    def cancel(self) -> None:
        """Ends what is being computed of it."""
        if self.task is not None:
            self.task.cancel()
            self.task = None
