"""`--threads` where another engine than the compiled one ran."""

from __future__ import annotations

from collections.abc import Iterable

from seqlang.cli.terminal.output import say


def note_unused(threads: int | None, engines: Iterable[str]) -> None:
    """Says on stderr that so many `threads` were asked for and which of the `engines` had no use for them."""
    others = [name for name in dict.fromkeys(engines) if name != "compiled"]
    if threads is not None and others:
        ran = " and ".join(f"the {name} engine" if name == "numpy" else f"the {name}" for name in others)
        say(f"note: --threads is for the compiled engine: {ran} ran, in one thread")
