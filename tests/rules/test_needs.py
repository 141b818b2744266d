"""What a rule says it needs is what its `suggest` takes, and a rule file speaks of its own rule."""

from __future__ import annotations

import inspect

import pytest

from seqlang.rules import find, names, searches
from seqlang.rules.search import Search

FOLDERS = ("alignment", "mechanism", "joint", "stopping", "conversion", "composition")
SEARCHES = [search for folder in FOLDERS for search in searches(folder)]


@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: search.rule)
def test_the_needs_are_the_parameters(search: Search) -> None:
    assert ("program", *search.needs) == tuple(inspect.signature(search.suggest).parameters)


@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: search.rule)
def test_it_belongs_to_a_rule(search: Search) -> None:
    assert find(search.rule) is not None


def test_every_rule_is_searched_for_once() -> None:
    """All but what holds of every algorithm: that is said without a search."""
    assert sorted(search.rule for search in SEARCHES) == sorted({*names()} - {"composition/every_algorithm"})
