"""Specs to begin with, commented, whose claims are proved."""

from __future__ import annotations

import re
from pathlib import Path

from seqlang.diagnostics import SpecError
from seqlang.source import Source

KINDS = {
    "test": "a test that stops early",
    "query": "answers about a data set",
    "learning": "training on records",
    "monitoring": "an alarm",
}
"""Each kind with what it is."""


def beginning(kind: str, name: str) -> str:
    """The text of that kind with this name of the algorithm; raises SpecError E0602 for what is no name."""
    from seqlang.syntax import format_text

    file = Path(__file__).with_name("templates") / f"{kind}.seq"
    text = re.sub(r"\bNAME\b", _algorithm(name), file.read_text(encoding="utf-8"))
    laid_out, _ = format_text(Source(f"{name}.seq", text))  # a long name may need another line
    return laid_out or text


def _algorithm(name: str) -> str:
    """The name, if an algorithm can have it."""
    from seqlang.syntax.load_table import load_table

    if name in load_table().reserved:
        raise SpecError.of("E0602", f"`{name}` is a word of the language", help=f"choose another name: `my_{name}`")
    if not re.fullmatch("[A-Za-z_][A-Za-z_0-9]*", name):
        near = re.sub("[^A-Za-z_0-9]+", "_", name).strip("_")
        remedy = f"try `{near}`" if near[:1].isalpha() else None
        raise SpecError.of("E0602", f"`{name}` is no name: letters, digits and _, no digit first", help=remedy)
    return name
