"""Kept kernels are used only as they were written: damaged machine code ends a process, and a damaged text lies."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path


def machine_code(path: Path) -> list[Path]:
    """What numba keeps of the module in the file `path`."""
    return sorted(path.parent.glob(f"__pycache__/{path.stem}.*.nb?"))


def seal(path: Path) -> None:
    """Leaves the hash of the text and of its machine code in a file beside them. Without it, nothing is kept."""
    with suppress(OSError):
        _seal_of(path).write_text(_digest(path), encoding="ascii")


def is_whole(path: Path) -> bool:
    """Whether text and machine code are there, and as they were when they were sealed."""
    try:
        return _seal_of(path).read_bytes() == _digest(path).encode()
    except OSError:
        return False


def _seal_of(path: Path) -> Path:
    return path.with_suffix(".seal")


def _digest(path: Path) -> str:
    found = hashlib.blake2b(path.read_bytes(), digest_size=16)
    for file in machine_code(path):
        found.update(file.name.encode())
        found.update(file.read_bytes())
    return found.hexdigest()
