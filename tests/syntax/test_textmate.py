"""The TextMate grammar knows the words of the real one, no more and no less."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from texts import DATASET, EVERYTHING

from seqlang.process.locate import data_folder
from seqlang.source import Source
from seqlang.syntax.colours import colours
from seqlang.syntax.lex import lex
from seqlang.syntax.load_table import load_table

GRAMMAR = json.loads((data_folder("grammars") / "seq.tmLanguage.json").read_text("utf-8"))
REPOSITORY = GRAMMAR["repository"]


def patterns(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "match":
                yield value
            else:
                yield from patterns(value)
    elif isinstance(node, list):
        for item in node:
            yield from patterns(item)


def words(names: tuple[str, ...]) -> set[str]:
    """The words spelt out in the patterns of these entries."""
    found: set[str] = set()
    for name in names:
        for pattern in patterns(REPOSITORY[name]):
            plain = re.sub(r"\[[^\]]*\]|\\[a-zA-Z]", " ", pattern)
            found |= set(re.findall(r"[a-z][a-z0-9]+", plain))
    return found


RESERVED = ("statement", "clause", "operator-word", "constant")


def test_reserved_words_agree() -> None:
    assert words(RESERVED) == set(load_table().reserved)


def test_other_words_agree() -> None:
    table = load_table()
    assert words(("soft",)) - set(table.reserved) == set(table.words) - set(table.reserved)


def test_statements_agree() -> None:
    assert words(("statement",)) == set(load_table().opening_words())
    assert words(("algorithm", "function", "declaration")) <= set(load_table().opening_words())


def test_marks_agree() -> None:
    operator = re.compile(REPOSITORY["operator"]["match"])
    for mark in load_table().marks:
        assert bool(operator.fullmatch(mark)) == (mark not in "()[]{},:."), mark


@pytest.mark.parametrize("text", [EVERYTHING, DATASET], ids=["everything", "dataset"])
def test_numbers_texts_and_comments_agree(text: str) -> None:
    kinds = {"number": "number", "text": "text", "comment": "comment"}
    for token in lex(text):
        for kind, entry in kinds.items():
            matched = re.fullmatch(REPOSITORY[entry]["match"], token.text) is not None
            assert matched == (token.kind == kind), token


def test_every_entry_is_included_and_every_pattern_is_valid() -> None:
    included = {entry["include"].removeprefix("#") for entry in GRAMMAR["patterns"]}
    assert included == set(REPOSITORY)
    for pattern in patterns(REPOSITORY):
        re.compile(pattern)


SCOPES = {
    "comment.line.number-sign.seq": "comment",
    "string.quoted.double.seq": "text",
    "keyword.declaration.seq": "statement",
    "keyword.control.seq": "word",
    "keyword.operator.word.seq": "logic",
    "constant.language.seq": "constant",
    "constant.numeric.seq": "number",
    "keyword.operator.seq": "mark",
    "support.function.seq": "call",
    "entity.name.type.seq": "definition",
    "entity.name.function.seq": "definition",
    "variable.other.definition.seq": "definition",
}
"""What `seqlang.syntax.colours` calls the tokens of each scope."""


def rules(names: list[Any]) -> Iterator[Any]:
    for entry in names:
        if "include" in entry:
            inner = REPOSITORY[entry["include"].removeprefix("#")]
            yield from rules(inner["patterns"]) if "patterns" in inner else (inner,)
        else:
            yield entry


RULES = [(re.compile(rule["match"]), rule) for rule in rules(GRAMMAR["patterns"])]


def scopes(line: str) -> list[str]:
    """The scope of each character of a line as an editor finds it: of all patterns the one that matches first, the
    first listed of equals; then on behind it."""
    found, position = [""] * len(line), 0
    while position < len(line):
        matches = [(m.start(), i, m) for i, (pattern, _) in enumerate(RULES) if (m := pattern.search(line, position))]
        nonempty = [m for m in matches if m[2].end() > m[0]]
        if not nonempty:
            break
        _, index, match = min(nonempty, key=lambda m: m[:2])
        rule = RULES[index][1]
        for group, name in [
            (0, rule.get("name", "")),
            *((int(g), c["name"]) for g, c in rule.get("captures", {}).items()),
        ]:
            for place in range(*match.span(group)) if name and match.group(group) else ():
                found[place] = name
        position = match.end()
    return found


def test_every_token_of_the_library_has_the_colour_of_its_kind(specs: Path) -> None:
    """The grammar of editors goes line by line and knows no statement; the parser does."""
    wrong = []
    for path in sorted(specs.rglob("*.seq")):
        source = Source(path.stem, path.read_text("utf-8"))
        by_line = [scopes(line) for line in source.text.split("\n")]
        for start, end, colour in colours(source):
            line, column = source.line_column(start)
            got = {SCOPES.get(name, "name") for name in by_line[line - 1][column - 1 : column - 1 + end - start]}
            wanted = {colour}
            if colour == "mark" and source.text[start:end] in "()[]{},:.":
                wanted = {"name"}
            if colour == "definition":  # of a field behind a comma, a variable of `for`: no pattern sees that they are
                wanted = {"definition", "name", "call"}
            if not got <= wanted:
                wrong.append((path.stem, line, source.text[start:end], colour, got))
    assert not wrong, wrong[:20]
