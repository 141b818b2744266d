"""What a rule says it needs is what its `suggest` takes."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import seqlang.rules
from seqlang.rules import find, searches
from seqlang.rules.search import Search

FOLDERS = ("alignment", "mechanism", "joint", "stopping", "conversion", "composition")
SEARCHES = [search for folder in FOLDERS for search in searches(folder)]


@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: search.rule)
def test_the_needs_are_the_parameters(search: Search) -> None:
    assert ("program", *search.needs) == tuple(inspect.signature(search.suggest).parameters)


@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: search.rule)
def test_it_belongs_to_a_rule(search: Search) -> None:
    rule = find(search.rule)
    assert rule is not None
    assert rule.holds.__module__ == search.suggest.__module__


def test_every_file_that_suggests_declares_its_search() -> None:
    root = Path(seqlang.rules.__file__).parent
    suggesting = {
        f"{path.parent.name}/{path.stem}"
        for path in root.glob("*/*.py")
        if "\ndef suggest(" in (text := path.read_text(encoding="utf-8")) and "\nRULE = " in text
    }
    assert suggesting == {search.rule for search in SEARCHES}
