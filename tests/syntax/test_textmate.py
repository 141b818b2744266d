"""The TextMate grammar knows the words of the real one, no more and no less."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from texts import DATASET, EVERYTHING

from seqlang.process.locate import data_folder
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
