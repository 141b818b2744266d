"""The tables of what random programs have judged: made by their command, and without a hole that nobody explains."""

from __future__ import annotations

import json

from random_programs.tables import COUNTS, FOLDER, ONE_OF_A_KIND, REASONS, added, tables, too_narrow

from seqlang.rules import names


def test_the_tables_are_those_of_the_counts() -> None:
    counts = json.loads(COUNTS.read_text())
    for file, told in tables(counts, names()).items():
        assert (FOLDER / file).read_text() == told, f"{file}: python -m random_programs.tables writes it anew"


def test_every_rule_was_judged_or_has_a_reason() -> None:
    counts = json.loads(COUNTS.read_text())
    reached = {cell.split(" | ")[0] for cell in counts["cells"]}
    assert set(names()) - reached <= set(REASONS)
    assert set(REASONS) <= set(names())


def test_every_rule_was_judged_on_different_products() -> None:
    """With two noise families and two kinds of neighbours at least, where a rule can meet both."""
    counts = json.loads(COUNTS.read_text())
    assert too_narrow(counts, names()) == []
    assert {rule for rule, _ in ONE_OF_A_KIND} <= set(names())


def test_a_narrow_rule_is_noticed() -> None:
    cells = {"a/b | replace one | laplace | stream": 3, "a/b | replace one | gaussian | stream": 1}
    assert too_narrow({"cells": cells}, ["a/b", "c/d"]) == [
        ("a/b", "adjacency"),
        ("c/d", "adjacency"),
        ("c/d", "noise"),
    ]


def test_counts_are_added() -> None:
    assert added([{"cells": {"a": 1}}, {"cells": {"a": 2, "b": 1}, "solve": {"c": 1}}]) == {
        "cells": {"a": 3, "b": 1},
        "solve": {"c": 1},
    }
