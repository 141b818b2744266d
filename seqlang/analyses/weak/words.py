"""Entries in reports."""

from __future__ import annotations

from collections.abc import Mapping

from seqlang.model.print import show_double


def in_words(entry: Mapping[str, float]) -> str:
    """The entry in a report: `x = 0.1, y = 2`. Two entries do not look alike."""
    return ", ".join(f"{name} = {show_double(value)}" for name, value in entry.items())
