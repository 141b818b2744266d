"""The commands in the manual: all can be parsed, those of guides end well, and the answers in
the tutorial are those of the tool."""

from __future__ import annotations

import difflib
import random
import re
import shlex
from importlib import import_module
from pathlib import Path

import pytest

from seqlang.cli.__main__ import main
from seqlang.manual import Page, find
from seqlang.manual.written import written

BLOCK = re.compile(r"^```(console|seq file|seq append|seq replace)\n(.*?)^```", re.DOTALL | re.MULTILINE)
GUIDES = [page for page in written() if page.kind in ("guide", "command")]
CHEAP = {"in CI"}
TUTORIAL = Path(import_module("seqlang.manual").__file__ or "").parent / "written" / "guide" / "first_test.md"


def commands(page: Page) -> list[list[str]]:
    """The words after `seqlang` of each command line."""
    lines = [line for kind, text in BLOCK.findall(page.text) if kind == "console" for line in text.splitlines()]
    return [shlex.split(line.removeprefix("$ seqlang ")) for line in lines if line.startswith("$ seqlang ")]


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.name)
def test_commands_can_be_parsed(page: Page) -> None:
    for command, *words in commands(page):
        parser = import_module(f"seqlang.cli.{command}").parser()
        form = parser.also[0] if parser.also and words and not words[0].startswith("-") else parser
        if command != "explain":  # asked about options of others; it is run below
            form.parse_args(words)


@pytest.mark.parametrize(
    "page", [pytest.param(p, id=p.name, marks=() if p.name in CHEAP else pytest.mark.long) for p in GUIDES
             if p.name != "first test"],
)  # fmt: skip
def test_commands_end_well(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trial.csv").write_text("outcome,arm\n1,a\n0,b\n1,a\n1,a\n", "utf-8")
    (tmp_path / "mine.seq").write_text("algorithm a\n\nstream x in {0, 1}\n\nstop when x == 1\n", "utf-8")
    for words in commands(page):
        assert main(words) == 0, (words, capsys.readouterr())


def _next_file(kind: str, text: str, before: str) -> str:
    """The file of the tutorial after a block of it."""
    if kind == "seq file":
        return text
    if kind == "seq append":
        return before + text
    lines = before.splitlines()
    for new in text.splitlines():
        (old,) = difflib.get_close_matches(new, lines, n=1)
        lines[lines.index(old)] = new
    return "\n".join(lines) + "\n"


def _abridged(words: list[str], said: str) -> str:
    """What the tutorial shows of an answer: of a report that is long the verdicts."""
    _head, claims, rest = said.partition("\nClaims\n")
    return f"...\nClaims\n{rest}" if words[0] == "check" and claims else said


def test_the_tutorial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    """A reader who does what it says gets the answers that it shows. `--update` rewrites them."""
    monkeypatch.chdir(tmp_path)
    chance = random.Random(3)
    rows = (f"{int(chance.random() < 0.1)},{int(chance.random() < 0.7)}" for _ in range(30))
    (tmp_path / "visitors.csv").write_text("old,new\n" + "\n".join(rows) + "\n", "utf-8")
    page, spec, codes = TUTORIAL.read_text("utf-8"), "", []
    shown, said = [], []
    for kind, text in BLOCK.findall(page):
        if kind != "console":
            spec = _next_file(kind, text, spec)
            (tmp_path / "ab.seq").write_text(spec, "utf-8")
            continue
        words = shlex.split(text.splitlines()[0])[2:]
        codes.append(main(words))
        answer = re.sub(r"\d+(\.\d+)? s$", ".. s", capsys.readouterr().out, flags=re.MULTILINE)
        shown.append(text)
        said.append(f"{text.splitlines()[0]}\n{_abridged(words, answer)}")
    if request.config.getoption("--update"):
        for old, new in zip(shown, said, strict=True):
            page = page.replace(f"```console\n{old}```", f"```console\n{new}```", 1)
        TUTORIAL.write_text(page, "utf-8")
        return
    assert shown == said
    assert codes == [1, 1, 1, 0, 1, 0, 0, 0]
    assert find("tutorial")[0].name == "first test"
