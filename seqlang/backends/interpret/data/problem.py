"""What is wrong with a data file."""

from __future__ import annotations

from seqlang.diagnostics import Diagnostic, SpecError


def problem(code: str, message: str, help: str | None = None, notes: tuple[str, ...] = ()) -> SpecError:
    """The error with one diagnostic; data have no span in the spec, so the message names file, row and column."""
    return SpecError((Diagnostic(code, message, notes=notes, help=help),))
