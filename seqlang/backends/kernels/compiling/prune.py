"""Kernels that nobody uses any more leave the folder where they are kept.

Other processes may do the same at the same time, or compile what is removed here: a file that is gone is written again.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from pathlib import Path

from seqlang.version import __version__

_DAY = 86_400.0
FORGOTTEN = 60 * _DAY
"""Seconds without use after which a kernel goes."""
OF_OTHERS = 7 * _DAY
"""The same for kernels of other versions: sooner, and not at once, as two environments may share the folder."""


def versions() -> str:
    """The first line of a kernel's file: what it was written by."""
    import numba

    return f"# seqlang {__version__}, numba {numba.__version__}, Python {sys.version.split()[0]}"


def note_use(path: Path) -> None:
    """Leaves the day of a kernel's use in a file beside it. (The time of its own file is compared by numba.)"""
    mark = path.with_suffix(".used")
    with suppress(OSError):
        if not mark.exists() or time.time() - mark.stat().st_mtime > _DAY:
            mark.touch()


def prune(folder: Path) -> None:
    """Removes what was not used for so long, as far as it may be removed."""
    ours, now = versions(), time.time()
    for stem, files in _by_kernel(folder).items():
        unused = now - max(files.values())
        if unused > FORGOTTEN or (unused > OF_OTHERS and _first_line(folder / f"{stem}.py") != ours):
            for path in files:
                with suppress(OSError):
                    path.unlink()


def _by_kernel(folder: Path) -> dict[str, dict[Path, float]]:
    """Stem -> its files, and when they were last written; those that never were finished stand alone."""
    found: dict[str, dict[Path, float]] = {}
    for place in (folder, folder / "__pycache__"):
        with suppress(OSError), os.scandir(place) as entries:
            for entry in entries:
                stem, _, ending = entry.name.partition(".")
                if stem.startswith("seqlang_kernel_") or ending == "part":
                    with suppress(OSError):
                        found.setdefault(stem, {})[Path(entry.path)] = entry.stat().st_mtime
    return found


def _first_line(path: Path) -> str:
    try:
        with path.open(encoding="utf-8") as file:
            return file.readline().rstrip("\n")
    except (OSError, UnicodeDecodeError):
        return ""
