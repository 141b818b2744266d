"""Diagnostics on stderr, in colour where somebody looks."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TextIO

from seqlang.diagnostics import Diagnostic, SpecError
from seqlang.source import Source


def show_error(error: SpecError) -> None:
    """Prints every diagnostic that the error carries."""
    show(error.diagnostics, error.source if isinstance(error.source, Source) else None)


def show(diagnostics: Iterable[Diagnostic], source: Source | None) -> None:
    """Prints diagnostics to stderr."""
    found = tuple(diagnostics)
    if found:
        from seqlang.diagnostics.plain import render

        print(render(found, source or Source("", ""), colour=wants_colour(sys.stderr)), end="", file=sys.stderr)


def wants_colour(stream: TextIO) -> bool:
    """Colours go to terminals only, and never where NO_COLOR is set (no-color.org)."""
    return stream.isatty() and "NO_COLOR" not in os.environ
