"""A result that contradicts itself is not shown: what was found instead, and the spec that brings it about again."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    from pathlib import Path

    from seqlang.analyses.contradictions import Contradiction
    from seqlang.driver.loading import Loaded


MOST_SHOWN = 4


class Contradicted(Exception):
    """Two parts of the tool exclude each other: a bug of ours, not of the spec. `reproducer` is a file with the spec,
    the parameters that were set and what was found (None: it could not be written)."""

    def __init__(self, source: str, contradictions: Sequence[Contradiction], reproducer: Path | None) -> None:
        self.source = source
        self.contradictions = tuple(contradictions)
        self.reproducer = reproducer
        super().__init__("; ".join(map(str, self.contradictions)))

    def report(self) -> str:
        """For people, over several lines."""
        lines = [f"{self.source}: the results contradict each other, so none is given."]
        lines += [f"  {contradiction}" for contradiction in self.contradictions[:MOST_SHOWN]]
        if len(self.contradictions) > MOST_SHOWN:
            lines.append(f"  and {len(self.contradictions) - MOST_SHOWN} more of the same")
        lines.append("This is a bug of ours, not of your file.")
        if self.reproducer is not None:
            lines.append(f"Please report it with {self.reproducer}")
        return "\n".join(lines)


def refuse(loaded: Loaded, found: Sequence[Contradiction]) -> None:
    """Raises Contradicted, with a reproducer, unless nothing was found."""
    if found:
        raise Contradicted(loaded.source.name, found, _saved(loaded, found))


def _saved(loaded: Loaded, found: Sequence[Contradiction]) -> Path | None:
    """In the working directory, or else where temporary files go. The same contradiction is saved under one name."""
    import tempfile
    from pathlib import Path

    settings = "".join(f" --set {name}={value}" for name, value in loaded.settings.items())
    notes = "".join(f"# {' '.join(str(contradiction).split())}\n" for contradiction in found)
    text = f"# A contradiction inside seqlang: seqlang check FILE{settings}\n{notes}{loaded.source.text}"
    name = f"contradiction-{loaded.program.name}-{crc32(text.encode()):08x}.seq"
    for folder in (os.getcwd(), tempfile.gettempdir()):
        path = Path(folder) / name
        try:
            path.write_text(text, encoding="utf-8")
        except OSError:
            continue
        return path
    return None
