"""Streams as people read them."""

from __future__ import annotations

import math

from seqlang.model.print import show_double
from seqlang.proof.entry import Entry


def stream_words(entries: tuple[Entry, ...]) -> str:
    """A stream in few words. Runs of equal entries, and of equal pairs, are written once: 0, 1 ×12, (0, 1) ×7."""
    parts: list[str] = []
    i = 0
    while i < len(entries):
        single, double = _repeats(entries, i, 1), _repeats(entries, i, 2)
        if single < 3 <= double:
            parts.append(f"({entry_words(entries[i])}, {entry_words(entries[i + 1])}) ×{double}")
            i += 2 * double
        else:
            parts.append(entry_words(entries[i]) + (f" ×{single}" if single > 1 else ""))
            i += single
    return "[" + ", ".join(parts) + "]"


def _repeats(entries: tuple[Entry, ...], start: int, size: int) -> int:
    """How often the `size` entries from `start` on follow each other."""
    block, count = entries[start : start + size], 1
    while len(block) == size and entries[start + count * size : start + (count + 1) * size] == block:
        count += 1
    return count


def entry_words(entry: Entry | bool | str) -> str:
    """One entry, or a returned value. Two different ones do not look alike."""
    if isinstance(entry, dict):
        return "(" + ", ".join(f"{k} {entry_words(v)}" for k, v in entry.items()) + ")"
    if isinstance(entry, tuple):
        return "(" + ", ".join(entry_words(e) for e in entry) + ")"
    return show_double(float(entry)) if isinstance(entry, int | float) and math.isfinite(entry) else str(entry)
