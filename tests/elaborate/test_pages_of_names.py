"""The examples on the pages of E02 to E05 and W06: the first shows the code, the others do not, and have no error."""

from __future__ import annotations

import re

import pytest

from seqlang.diagnostics.explain import codes, explain
from seqlang.elaborate import elaborate
from seqlang.source import Source
from seqlang.syntax import parse

_EXAMPLE = re.compile(r"```seq\n(.*?)```", re.DOTALL)
_OURS = [code for code in codes() if code[:3] in ("E02", "E03", "E04", "E05", "W06")]


def _codes(text: str) -> list[str]:
    file, diagnostics = parse(Source("page", text))
    assert file is not None, diagnostics
    return [d.code for d in elaborate(file)[1]]


@pytest.mark.parametrize("code", _OURS)
def test_examples(code: str) -> None:
    page = explain(code)
    assert page is not None
    examples = _EXAMPLE.findall(page)
    if len(examples) > 1 and code != "E0206":  # which is about the command line
        assert code in _codes(examples[0])
        assert not [c for c in _codes(examples[0]) if c.startswith("E") and c != code]
    for text in examples[1:] or examples:
        found = _codes(text)
        assert code not in found
        assert not [c for c in found if c.startswith("E")]
