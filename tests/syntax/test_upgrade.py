"""Older editions are read, and rewritten, by a table: here one of a made-up history.

In the edition 2026 of that history `tell` stood for `report`, a condition could be turned round by `unless`, and
`report` was a name like any other. The edition 2030 is the language as it is.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from seqlang.cli.__main__ import main
from seqlang.source import Source
from seqlang.syntax import format_text, parse, upgraded
from seqlang.syntax.editions import table
from seqlang.syntax.editions.table import Rewrite, Tokens
from seqlang.syntax.token import Token

OLD = """\
# A comment first
algorithm old  # its name
stream x in {0, 1}
let report = 2   # a name, once
tell seen = x   unless step == 1
stop when step >= report
"""
NEW = """\
# A comment first
algorithm old edition 2030  # its name
stream x in {0, 1}
let report_ = 2   # a name, once
report seen = x   when not (step == 1)
stop when step >= report_
"""


def _names(tokens: Tokens) -> Tokens:
    return [t._replace(text="report_") if t.text == "report" else t for t in tokens]


def _tell(tokens: Tokens) -> Tokens:
    return [t._replace(text="report") if t.text == "tell" else t for t in tokens]


def _unless(tokens: Tokens) -> Tokens:
    found: list[Token] = []
    open_at = 0
    for token in tokens:
        if open_at and (token.kind == "end" or token.text == "stop"):
            found.append(Token("mark", ")", open_at, open_at))
            open_at = 0
        if token.text == "unless":
            found += [token._replace(text="when"), Token("word", "not", token.end, token.end)]
            found.append(Token("mark", "(", token.end, token.end))
            open_at = token.end
        else:
            found.append(token)
            open_at = token.end if open_at and token.kind != "comment" else open_at
    return found


@pytest.fixture(autouse=True)
def history(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "EDITIONS", (2026, 2030))
    steps = (("names", _names), ("tell", _tell), ("unless", _unless))
    monkeypatch.setattr(table, "REWRITES", tuple(Rewrite(2026, 2030, about, change) for about, change in steps))


def bare(text: str) -> str:
    """The tree without its places."""
    tree, diagnostics = parse(Source("test.seq", text))
    assert tree is not None, diagnostics
    return re.sub(r"Span\(start=\d+, end=\d+\)", "", repr(tree))


def without_spaces(text: str) -> str:
    return re.sub(r"\s+", "", text)


def test_an_old_text_means_what_its_upgrade_means() -> None:
    assert bare(OLD) == bare(NEW)


def test_the_upgrade_keeps_comments_and_lines() -> None:
    text = upgraded(OLD)
    assert without_spaces(text) == without_spaces(NEW)
    assert text.count("\n") == NEW.count("\n")
    assert format_text(Source("a", text)) == format_text(Source("a", NEW))
    assert upgraded(text) == text == upgraded(text.replace("\n", "\n"))


def test_a_stated_old_edition_is_restated() -> None:
    stated = OLD.replace("algorithm old", "algorithm old edition 2026")
    assert bare(stated) == bare(OLD)
    assert upgraded(stated) == upgraded(OLD)


def test_a_text_of_the_newest_edition_is_not_rewritten() -> None:
    assert upgraded(NEW) == NEW
    tree, diagnostics = parse(Source("a", OLD.replace("algorithm old", "algorithm old edition 2030")))
    assert tree is None and diagnostics


def test_diagnostics_point_at_what_was_written() -> None:
    text = OLD.replace("step == 1", "step == ]")
    source = Source("a", text)
    tree, diagnostics = parse(source)
    assert tree is None
    places = [source.line_column(d.primary.span.start) for d in diagnostics if d.primary is not None]
    assert places[0] == (5, text.splitlines()[4].index("]") + 1)


def test_fmt_leaves_old_files_alone_unless_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "old.seq"
    file.write_text(OLD, encoding="utf-8")
    assert main(["fmt", str(file)]) == 0
    assert file.read_text(encoding="utf-8") == OLD
    assert main(["fmt", "--check", "--upgrade", str(file)]) == 1
    assert file.read_text(encoding="utf-8") == OLD
    assert main(["fmt", "--upgrade", str(file)]) == 0
    assert file.read_text(encoding="utf-8") == format_text(Source("a", NEW))[0]


@pytest.mark.parametrize(
    ("stated", "help_"),
    [("2031", "install a newer"), ("2027", "write `edition 2030`"), ("1e9", "write `edition 2030`")],
)
def test_an_unknown_edition_is_said_at_once(stated: str, help_: str) -> None:
    _, (found,) = parse(Source("a", f"algorithm a # b\n edition {stated}\nwhatever else"))
    assert found.code == "E0118" and help_ in (found.help or "")


def test_edition_is_a_name_elsewhere() -> None:
    assert "edition" in bare("algorithm edition\nstream edition in real\nstop when edition >= 1\n")
