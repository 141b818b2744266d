"""What a ledger refuses."""

from __future__ import annotations

from seqlang.diagnostics import SpecError


def refused(message: str, help: str | None = None) -> SpecError:
    """E0670, exit code 2."""
    return SpecError.of("E0670", message, help=help)
