"""Where the grammar, the specs and the tours lie: in the checkout if this is one, else inside the installed package."""

from __future__ import annotations

import os
from os.path import dirname, isdir, isfile, join, realpath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_PACKAGE = dirname(dirname(realpath(__file__)))


def data_path(*names: str) -> str:
    """The path of a folder, `grammars`, `specs` or `examples`, or of a file in it. (Without pathlib: importing it takes
    a hundredth of a check's time.)"""
    checkout = dirname(_PACKAGE)
    if isdir(join(checkout, names[0])) and isfile(join(checkout, "pyproject.toml")):
        return join(checkout, *names)
    return join(_PACKAGE, "_data", *names)


def data_folder(name: str) -> Path:
    """The folder `grammars`, `specs` or `examples`."""
    from pathlib import Path

    return Path(data_path(name))


def user_folder() -> Path:
    """Where seqlang keeps what it may make again, for this user; the folder need not exist."""
    from pathlib import Path

    base = os.environ.get("SEQLANG_CACHE") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "seqlang"
