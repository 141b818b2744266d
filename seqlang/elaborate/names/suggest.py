"""Did you mean: a help line for a name that is not known."""

from __future__ import annotations

from collections.abc import Iterable

from seqlang.diagnostics.suggest import did_you_mean


def hint(name: str, known: Iterable[str]) -> str | None:
    """A help line that names the nearest known name, or None."""
    other = did_you_mean(name, known)
    return f"did you mean `{other}`?" if other else None
