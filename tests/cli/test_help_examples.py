"""`--help` of every command has examples, and they are right: each command line is one that its parser takes, and those
that cost little are run."""

from __future__ import annotations

import re
import shlex
from importlib import import_module
from pathlib import Path

import pytest

from seqlang.cli.__main__ import COMMANDS, main
from seqlang.cli.options import Parser

ROOT = Path(__file__).resolve().parents[2]
_BEHIND = re.compile(r"\s{2,}\(.*|\s[|>]\s.*")
"""What follows a command line: a remark, a pipe, a redirection."""


def parsers() -> list[Parser]:
    found: list[Parser] = []
    for name in COMMANDS:
        parser = import_module(f"seqlang.cli.{name}").parser()
        found += [parser, *parser.also]
    return found


def examples(parser: Parser) -> list[list[str]]:
    """The words of each example, the first two left out: `seqlang COMMAND`."""
    text = (parser.epilog or "").replace("\\\n", " ")
    lines = [line.strip() for line in text.splitlines() if "seqlang " in line]
    inner = [line.partition("$(")[2].partition(")")[0] if "$(" in line else line for line in lines]
    listed = [shlex.split(_BEHIND.sub("", line)) for line in inner]
    assert all(words[0] == "seqlang" for words in listed if words and not words[0].startswith("(")), listed
    return [words for words in listed if words and words[0] == "seqlang"]


PARSERS = parsers()
ALL = [words for parser in PARSERS for words in examples(parser)]


@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.prog)
def test_every_command_shows_two_examples(parser: Parser) -> None:
    own = [words for words in examples(parser) if words[1] == parser.prog.removeprefix("seqlang ")]
    assert len(own) >= 2
    assert "examples" in parser.format_help()


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_every_example_is_a_command_line(words: list[str]) -> None:
    """It parses, by one of the forms of its command; the specs that it names are in the library."""
    command, rest = import_module(f"seqlang.cli.{words[1]}").parser(), words[2:]
    forms = command.also if command.also and not rest[0].startswith("-") else (command,)
    for form in forms if words[1] != "explain" else ():  # it is asked about options of others: its examples are run
        form.parse_args(rest)
    for word in rest:
        if word.startswith("specs/"):
            assert list(ROOT.glob(word)), word
        elif word.startswith("@"):
            library = ROOT / "specs" / word[1:]
            assert library.is_dir() or library.with_suffix(".seq").is_file(), word


CHEAP = [
    ["specs"],
    ["explain"],
    ["check", "specs/tight/one_sided.seq", "--certificate"],
    ["verify", "one_sided.cert"],
]
"""Beginnings of examples that are run, in this order, in a folder of their own."""


def test_cheap_examples_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "specs").symlink_to(ROOT / "specs")
    monkeypatch.chdir(tmp_path)
    for begin in CHEAP:
        chosen = [words[1:] for words in ALL if words[1 : 1 + len(begin)] == begin]
        assert chosen, begin
        for words in chosen:
            assert main(words) == 0, words
            assert capsys.readouterr().out, words
