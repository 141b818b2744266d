"""Every code has its page, every page its code, and the examples on the pages do what they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import seqlang
from seqlang.diagnostics.explain import codes, explain
from seqlang.source import Source
from seqlang.syntax import parse

_CODE = re.compile(r"""["']([EW]\d{4})["']""")
_EXAMPLE = re.compile(r"```seq\n(.*?)```", re.DOTALL)


def _used() -> dict[str, str]:
    """The codes that stand in the program, each with a file that uses it."""
    folder = Path(seqlang.__file__).parent
    found: dict[str, str] = {}
    for file in sorted(folder.rglob("*.py")):
        for code in _CODE.findall(file.read_text("utf-8")):
            found.setdefault(code, str(file.relative_to(folder)))
    return found


def test_every_code_has_a_page() -> None:
    missing = {code: file for code, file in _used().items() if explain(code) is None}
    assert not missing, missing


def test_every_page_is_used() -> None:
    unused = set(codes()) - set(_used())
    assert not unused, unused


def test_pages_begin_with_their_codes_and_are_of_readable_length() -> None:
    pages = {code: explain(code) or "" for code in codes()}
    assert [code for code, page in pages.items() if not page.startswith(f"# {code}: ")] == []
    assert [code for code, page in pages.items() if not 3 <= len(page.splitlines()) <= 45] == []


@pytest.mark.parametrize("code", [code for code in codes() if code.startswith("E01")])
def test_first_example_triggers_and_second_is_well_formed(code: str) -> None:
    bad, *good = _EXAMPLE.findall(explain(code) or "")
    tree, diagnostics = parse(Source("page", bad))
    assert tree is None
    assert [d.code for d in diagnostics] == [code]
    for text in good:
        tree, diagnostics = parse(Source("page", text))
        assert tree is not None, diagnostics


def test_explain_takes_codes_only() -> None:
    assert explain("E9999") is None
    assert explain("../E0101") is None
    assert explain("") is None
    assert explain("E0101") is not None
