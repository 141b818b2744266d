"""Entries in reports."""

from __future__ import annotations

from collections.abc import Mapping


def in_words(entry: Mapping[str, float]) -> str:
    """The entry in a report: `x = 0.1, y = 2`."""
    return ", ".join(f"{name} = {as_written(value)}" for name, value in entry.items())


def as_written(value: float) -> str:
    """Six digits of a number if these are all that it has, else all of them: two entries are not to look alike."""
    short = f"{value:g}"
    return short if float(short) == value else repr(value)
