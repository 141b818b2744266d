"""Programs from text, for tests."""

from __future__ import annotations

from seqlang.elaborate import elaborate
from seqlang.model.program import Program
from seqlang.source import Source
from seqlang.syntax import parse


def elaborated(text: str) -> Program:
    """The program of a spec without errors."""
    tree, found = parse(Source("<test>", text))
    assert tree is not None, found
    program, found = elaborate(tree, {})
    assert program is not None, found
    return program
