"""`--format text|json|github`: diagnostics as data on stdout, for invalid files too."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from seqlang.cli.__main__ import main
from seqlang.diagnostics import Diagnostic
from seqlang.diagnostics.diagnostic import Label
from seqlang.diagnostics.github import diagnostic_annotation
from seqlang.source import Source, Span

UNKNOWN_NAME = "algorithm a\nstream x in {0, 1}\nstatistic s = sum(y over steps)\nstop when s >= 3\n"
LOOSE = 'algorithm a  "Loose"\nstream x in {0, 1}\nstop when x == 1\n'
FALSE = (
    "algorithm a\nstream x in {0, 1}\nstatistic s = sum(x over steps)\nstop when s >= 3\nclaim strong pure(1)\n"
    "claim strong pure(2) expect refuted\n"
)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path("a.seq")


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[str], str]:
    code = main(list(words))
    captured = capsys.readouterr()
    return code, captured.out.splitlines(), captured.err


@pytest.mark.parametrize("command", ["check", "fmt"])
def test_an_invalid_file_as_data(command: str, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text("algorithm a\nstream x in {0, 1\nstop when x == 1\n")
    code, lines, err = said(capsys, command, "a.seq", "nosuch.seq", "--format", "json")
    assert code == 2 and not err
    first, second = map(json.loads, lines)
    assert first["file"] == "a.seq" and first["diagnostics"][0]["line"] in (2, 3)
    assert [d["code"] for d in second["diagnostics"]] == ["E0605"]
    code, lines, err = said(capsys, command, "a.seq", "nosuch.seq", "--format", "github")
    assert code == 2 and not err
    assert lines[0].startswith("::error file=a.seq,line=") and lines[-1].startswith(
        "::error file=nosuch.seq,title=E0605::"
    )


def test_check_places_what_is_wrong(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(UNKNOWN_NAME)
    code, lines, _ = said(capsys, "check", "a.seq", "--format", "github")
    assert code == 2  # the y of the third line is its nineteenth character
    assert lines == ["::error file=a.seq,line=3,endLine=3,col=19,endColumn=20,title=E0203::`y` is not defined"]
    code, lines, err = said(capsys, "check", "a.seq", "--json")
    assert (code, lines) == (2, []) and "E0203" in err  # --json says what it always said


def test_check_annotates_claims_that_are_not_as_expected(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(FALSE)
    code, lines, _ = said(capsys, "check", "a.seq", "--format", "github")
    assert code == 1
    claims = [line for line in lines if "title=refuted" in line]
    assert len(claims) == 1 and claims[0].startswith("::error file=a.seq,line=5,endLine=5,col=1,")
    assert "::claim strong pure(1)%0A" in claims[0]
    code, lines, _ = said(capsys, "check", "a.seq", "--format", "json")
    assert code == 1 and [c["verdict"] for c in json.loads(lines[0])["claims"]] == ["refuted", "refuted"]


def test_fmt_as_data(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(LOOSE)
    code, lines, _ = said(capsys, "fmt", "--check", "a.seq", "--format", "github")
    assert code == 1 and lines == ["::error file=a.seq,title=layout::would change: seqlang fmt a.seq"]
    code, lines, _ = said(capsys, "fmt", "--check", "a.seq", "--format", "json")
    assert code == 1 and json.loads(lines[0])["changed"] is True
    code, lines, err = said(capsys, "fmt", "a.seq", "--format", "json")
    assert code == 0 and json.loads(lines[0])["changed"] is True and not err
    code, lines, _ = said(capsys, "fmt", "--check", "a.seq", "--format", "json")
    assert code == 0 and json.loads(lines[0])["changed"] is False


@pytest.mark.parametrize("more", [["--json"], ["--explain"], ["--instances", "3"]])
def test_what_does_not_go_with_annotations(more: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "check", "@tight/one_sided", "--format", "github", *more)[0] == 2


def test_annotations_are_one_line_whatever_is_in_them() -> None:
    """A reader that undoes GitHub's escapes, percent signs included, gets every part back."""
    source = Source("a,b:c%.seq", "one\ntwo")
    found = Diagnostic("W0601", "50 %\r\nof ::error x=1::", Label(Span(4, 7)), (), ("a note",), "a,remedy")
    text = diagnostic_annotation(found, source, "")
    assert "\n" not in text and "\r" not in text
    match = re.fullmatch(r"::warning (.*?)::(.*)", text)
    assert match is not None
    properties = dict(part.split("=", 1) for part in match[1].split(","))
    assert unquote(properties["file"]) == source.name
    assert (properties["line"], properties["col"], properties["endColumn"]) == ("2", "1", "4")
    assert unquote(match[2]) == "50 %\r\nof ::error x=1::\nnote: a note\nhelp: a,remedy"
