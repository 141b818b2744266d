"""Which tours there are: the scripts in `examples`, in the checkout if this is one, else in the installed package."""

from __future__ import annotations

import ast
from pathlib import Path

from seqlang.process.locate import data_folder


def tours() -> dict[str, Path]:
    """Name -> script."""
    return {path.stem: path for path in sorted(data_folder("examples").glob("*.py"))}


def title(script: Path) -> str:
    """The first sentence of what a script says of itself; the script is not run."""
    said = ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or ""
    return " ".join(said.split("\n\n")[0].split())
