"""A bound that holds for so many steps only says so, wherever the page and the editor show it."""

from __future__ import annotations

import re

import pytest

from seqlang import driver
from seqlang.annotations.values import values_of_check
from seqlang.results.check import CheckResult
from seqlang.studio.jobs.compare import job
from seqlang.studio.jobs.words import words_of
from seqlang.studio.parts.claims import claims_html
from seqlang.syntax import parse

learn = pytest.importorskip(
    "seqlang.studio.panels.learn", reason="the extra `studio` is not installed", exc_type=ImportError
)

TEST = """algorithm a
param a > 0 = 8.2
param b > 0 = 8.2
stream x in real
statistic s = sum(clip(x, -1, 1) over steps)
stop when s >= b return high
stop when s <= -a return low
attach gaussian(4) to a, b once
attach gaussian(8) to a, b
claim strong rdp(2, 22.5) within 7 steps
"""
"""Each look may show something, so no bound holds for all steps; the horizon is the one that the claim names."""
PURE = """algorithm a
stream x in {0, 1}
report r = x when step == 1
attach laplace(4) to r
stop when step >= 2
claim strong pure(0.25)
"""


def checked(text: str) -> CheckResult:
    return driver.check(driver.load(driver.loading.Source("<test>", text)))


def test_each_bound_says_for_how_many_steps_it_holds() -> None:
    result = checked(TEST)
    strong = result.to_dict()["strong"]
    assert strong["zcdp"]["within"] == strong["dp"]["within"] == 7 and {row["within"] for row in strong["rdp"]} == {7}
    assert strong["pure"] == {**strong["pure"], "upper": "inf", "within": None}
    page = claims_html({"check": result.to_dict()})
    numbers = re.findall(r"<tr><td>([^<]*)</td><td>([^<]*)</td>", page)
    assert [name for name, _ in numbers[:3]] == ["pure epsilon", "epsilon at delta 1e-06", "zCDP rho"]
    assert numbers[0][1] == "\u221e"
    assert len(numbers) > 4 and all(shown.endswith("within 7 steps") for _, shown in numbers[1:])
    learnt = learn._claims(result.to_dict())
    assert re.search(r"zCDP rho is at most [0-9.]+ for each run, within 7 steps\.", learnt)
    rows = job({"text": TEST, "name": "a.seq", "kept": [{}], "settings": {}}, lambda _: None)["rows"]
    column = {row[""]: row["1"] for row in rows}
    assert column["zCDP rho, proved at most"] == numbers[2][1]
    assert all(shown.partition(",")[0] in str(result) for _, shown in numbers)
    file, _ = parse(result.source)
    assert file is not None
    assert any("proved, within 7 steps" in value.text for value in values_of_check(file, result))


def test_what_a_bound_means_says_it_too() -> None:
    result = checked(TEST.replace("gaussian(", "gaussian(10 * "))
    meaning = result.to_dict()["strong"]["meaning"]
    assert meaning["odds"] is None and meaning["advantage"] is not None and meaning["advantage_within"] == 7
    assert any(sentence.endswith("within 7 steps.") for sentence in words_of(result))


def test_a_bound_for_any_number_of_steps_says_nothing() -> None:
    result = checked(PURE)
    strong = result.to_dict()["strong"]
    assert strong["pure"]["within"] is None and strong["meaning"]["advantage_within"] is None
    assert "within" not in claims_html({"check": result.to_dict()}) + learn._claims(result.to_dict())
    assert not any("within" in sentence for sentence in words_of(result))
