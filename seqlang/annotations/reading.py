"""A text as far as it can be read: its tokens, the statements that parse, what its names mean, and, where nothing is
wrong with it, its model."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from seqlang.annotations.names import Occurrence, occurrences
from seqlang.diagnostics import Diagnostic
from seqlang.elaborate import elaborate
from seqlang.source import Source
from seqlang.syntax import parse, statements_that_parse, tree
from seqlang.syntax.lex import lex
from seqlang.syntax.token import Token

if TYPE_CHECKING:
    from seqlang.model.program import Program


class Reading:
    """`file` has the statements that parse. `program` is None where the text has an error; `diagnostics` are all
    errors and warnings, in order of place."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.program: Program | None = None
        whole, self.diagnostics = parse(source)
        if whole is not None:
            self.program, more = elaborate(whole)
            self.diagnostics = (*self.diagnostics, *more)
        self.file: tree.File = statements_that_parse(source)[0] if whole is None else whole

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """All tokens, comments included; `end` stands behind the last."""
        return tuple(lex(self.source.text))

    @cached_property
    def names(self) -> tuple[Occurrence, ...]:
        """Every name of the statements that parse, in order of place."""
        return occurrences(self.file)

    def name_at(self, offset: int) -> Occurrence | None:
        """The name that the place is in, or right behind."""
        touched = (o for o in self.names if o.span.start <= offset <= o.span.end)
        return max(touched, key=lambda o: o.span.start, default=None)

    def statement_at(self, offset: int) -> tree.Statement | None:
        """The statement that the place is in, or right behind."""
        return next((s for s in self.file.statements if s.span.start <= offset <= s.span.end), None)

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(d for d in self.diagnostics if d.severity == "error")

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        return tuple(d for d in self.diagnostics if d.severity == "warning")


def read(text: str, name: str = "<text>") -> Reading:
    """Reads a text, whatever it is."""
    return Reading(Source(name, text))
