"""From text to tree and back: the only package that knows the grammar. `lex`, `cut` and `machine` read a text by the
table of the grammar, `errors` explains what cannot be read, `layout` formats, and `editions` reads older texts.
"""

from __future__ import annotations

from seqlang.diagnostics import Diagnostic
from seqlang.source import Source
from seqlang.syntax.parse import parse as parse
from seqlang.syntax.parse import statements_that_parse as statements_that_parse


def upgraded(text: str) -> str:
    """A well-formed text of an older edition, written in the newest; see `seqlang.syntax.editions`."""
    from seqlang.syntax.editions.upgrade import upgraded as written

    return written(text)


def format_text(source: Source) -> tuple[str | None, tuple[Diagnostic, ...]]:
    """The canonical layout of a text; see `seqlang.syntax.layout.canonical`, which only the formatter needs to load."""
    from seqlang.syntax.layout.canonical import format_text as laid_out

    return laid_out(source)
