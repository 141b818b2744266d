"""Ill-formed specs: each says at its end which diagnostics it deserves, and where.

`# error: CODE LINE:COLUMN text` means: a diagnostic with this code begins there, and its message, label, or help
holds the text. All errors of a file must be listed; warnings only if they are listed.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from seqlang.diagnostics import Diagnostic
from seqlang.elaborate import elaborate
from seqlang.source import Source
from seqlang.syntax import parse

CASES = sorted((Path(__file__).parents[1] / "cases").glob("*.seq"))
_WANTED = re.compile(r"^# error: ([EW]\d{4}) (\d+):(\d+) (.*)$", re.MULTILINE)


def _diagnose(source: Source) -> tuple[bool, tuple[Diagnostic, ...]]:
    file, diagnostics = parse(source)
    if file is None:
        return False, diagnostics
    program, more = elaborate(file)
    return program is not None, (*diagnostics, *more)


def _words(diagnostic: Diagnostic) -> str:
    labels = [diagnostic.primary.text if diagnostic.primary else "", *(label.text for label in diagnostic.secondary)]
    return "\n".join([diagnostic.message, *labels, *diagnostic.notes, diagnostic.help or ""])


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case(path: Path) -> None:
    source = Source(path.name, path.read_text("utf-8"))
    wanted = [(code, int(line), int(column), text) for code, line, column, text in _WANTED.findall(source.text)]
    assert wanted, "the file says no error"
    valid, diagnostics = _diagnose(source)
    places = [(d.code, *source.line_column(d.primary.span.start)) for d in diagnostics if d.primary is not None]
    errors = [place for place in places if place[0].startswith("E")]
    assert valid == (not errors)
    assert sorted(errors) == sorted(w[:3] for w in wanted if w[0].startswith("E"))
    for code, line, column, text in wanted:
        found = [d for d, place in zip(diagnostics, places, strict=True) if place == (code, line, column)]
        assert found, (code, places)
        assert any(text in _words(d) for d in found), [_words(d) for d in found]


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 45
