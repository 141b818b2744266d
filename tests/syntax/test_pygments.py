"""The lexer for Pygments is found by name and by file, loses no character, and colours the words of the grammar."""

from __future__ import annotations

import tomllib
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest
from pygments.token import Comment, Error, Keyword, Name, Number, Operator, String

from seqlang.report.document.markdown import as_page, code
from seqlang.syntax.load_table import load_table
from seqlang.syntax.pygments_lexer import SeqLexer

ROOT = Path(__file__).resolve().parents[2]
TEXT = """\
algorithm a "title"  # note
dataset size in {0, 1} size 3
report within when size[1] > 2.5 and true
"""


def test_types() -> None:
    found = [(str(value), kind) for kind, value in SeqLexer().get_tokens(TEXT) if value.strip()]
    assert found[:4] == [
        ("algorithm", Keyword.Declaration), ("a", Name.Variable), ('"title"', String), ("# note", Comment),
    ]  # fmt: skip
    assert found[4:6] == [("dataset", Keyword.Declaration), ("size", Name.Variable)]
    assert ("size", Keyword) in found and ("within", Name.Variable) in found
    assert ("2.5", Number) in found and ("and", Operator.Word) in found and ("true", Keyword.Constant) in found


def test_no_character_of_the_library_is_lost_or_unknown(specs: Path) -> None:
    lexer = SeqLexer(stripnl=False, ensurenl=False)
    reserved = set(load_table().reserved)
    for path in sorted(specs.rglob("*.seq"))[::4]:
        text = path.read_text("utf-8")
        tokens = list(lexer.get_tokens(text))
        assert "".join(value for _, value in tokens) == text
        assert not [value for kind, value in tokens if kind is Error]
        words = {value for kind, value in tokens if kind in (Keyword.Declaration, Keyword.Constant, Operator.Word)}
        assert words <= reserved
        assert not reserved & {value for kind, value in tokens if kind in Name}


@pytest.mark.parametrize("text", ["", "\n", "(", "stop when", 'algorithm a "open', "é ü\n§"])
def test_any_text_is_coloured(text: str) -> None:
    lexer = SeqLexer(stripnl=False, ensurenl=False)
    assert "".join(value for _, value in lexer.get_tokens(text)) == text


def test_it_is_found_by_its_entry_point() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    (entry,) = EntryPoints(EntryPoint(n, v, "pygments.lexers") for n, v in declared["pygments.lexers"].items())
    assert entry.load() is SeqLexer


def test_a_page_shows_a_spec_in_colours_and_obeys_nothing_in_it() -> None:
    page = as_page(code('algorithm a "<b>"\n', "seq") + code("algorithm <i>"), "t")
    assert ">algorithm</span>" in page and "&lt;b&gt;" in page and "<b>" not in page
    assert "<code>algorithm &lt;i&gt;\n</code>" in page
