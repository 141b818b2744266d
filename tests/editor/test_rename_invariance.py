"""A spec in which the server renamed something is the same spec: `check` says of it what it said before, up to the
name."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest
from library_slices import SPECS
from talking import Client, edited

from seqlang import driver
from seqlang.source import Source

pytest.importorskip("pygls", reason="the language server needs the extra `editor`")

QUICK = ("wald1945/sprt", "tight/one_sided", "lyu2017/svt1")
KINDS = re.compile(r"^(?:statistic|stream|report|memory|model|draw) ([a-zA-Z_]\w*)", re.M)
"""Not of parameters: the terms of a formula may be sorted by their names."""


def candidates(text: str) -> list[str]:
    """Names that stand in no text of the spec: a report quotes those."""
    quoted = " ".join(re.findall(r'"[^"\n]*"', text))
    return sorted({m[1] for m in KINDS.finditer(text) if not re.search(rf"\b{m[1]}\b", quoted)})


def cases() -> list[object]:
    """Each spec with one of its names; by default QUICK."""
    rng = random.Random(1)
    texts = {
        path.relative_to(SPECS).with_suffix("").as_posix(): path.read_text() for path in sorted(SPECS.rglob("*.seq"))
    }
    return [
        pytest.param(text, rng.choice(found), id=name, marks=() if name in QUICK else pytest.mark.long)
        for name, text in texts.items()
        if (found := candidates(text))
    ]


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    made = Client()
    yield made
    made.end()


def report(text: str, new: str, old: str) -> list[str]:
    """The words of the report in alphabetical order, with the old name for the new one: noises are listed in the order
    of their names."""
    found = re.sub(rf"\b{new}\b", old, str(driver.check(driver.load(Source("<spec>", text)))))
    return sorted(re.findall(r"\w+(?:\.\w+)*|[^\w\s,]", found))


@pytest.mark.parametrize(("text", "name"), cases())
def test_check_says_the_same(client: Client, text: str, name: str) -> None:
    new = next(n for c in "qzjkwvuy" if not re.search(rf"\b{(n := c * len(name))}\b", text))  # as wide in a table
    uri = client.open(text, "file:///renamed.seq")
    place = next(m for m in KINDS.finditer(text) if m[1] == name).start(1)
    changes = client.place("rename", uri, text, place, newName=new)["documentChanges"]
    client.close(uri)
    changed = edited(text, changes[0]["edits"])
    assert not re.search(rf"\b{name}\b", re.sub(r'"[^"\n]*"|#[^\n]*', "", changed)), "it stands nowhere any more"
    assert report(changed, new, name) == report(text, new, name)
