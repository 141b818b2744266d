"""Text to tree and back: the only folder that knows the grammar."""

from __future__ import annotations

from seqlang.diagnostics import Diagnostic
from seqlang.source import Source
from seqlang.syntax.parse import parse

__all__ = ["format_text", "parse"]


def format_text(source: Source) -> tuple[str | None, tuple[Diagnostic, ...]]:
    """The canonical layout of a text; see `seqlang.syntax.layout`, which only the formatter needs to load."""
    from seqlang.syntax.layout import format_text as laid_out

    return laid_out(source)
