"""A spec with strong and weak claims has one table that shows them beside each other, as text and as HTML."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from seqlang import driver
from seqlang.results.check import CheckResult
from seqlang.source import Source

TEXT = (Path(__file__).resolve().parents[1] / "editions/2026/answers.seq").read_text(encoding="utf-8")
TITLE = "Strong beside weak"


def check(text: str) -> CheckResult:
    return driver.check(driver.load(Source("a.seq", text)))


@pytest.fixture(scope="module")
def result() -> CheckResult:
    return check(TEXT.replace("claim strong pure(1) expect refuted", "claim strong dp(0, 0.9) expect refuted"))


def rows(text: str) -> list[str]:
    """The table's lines, without its head."""
    lines = text.splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith(TITLE))
    end = next(i for i in range(begin, len(lines)) if not lines[i].strip())
    return lines[begin + 2 : end]


def test_claims_of_one_notion_stand_on_one_row(result: CheckResult) -> None:
    first, *more = rows(str(result))
    assert re.search(
        r"dp claimed\s+✗ refuted  dp\(0, 0\.9\)  line 10\s+✓ proved  dp\(0, 0\.51\) under even  line 11", first
    )
    assert "refuted  dp(0, 0.49) under even" in more[0]
    # Without noise whoever sees the end knows the first entry for certain in some runs: no epsilon, strong or weak.
    assert any(re.search(r"pure, least epsilon\s+∞\s+∞ under even", line) for line in more)


def test_the_same_as_html(result: CheckResult) -> None:
    text = unescape(re.sub(r"<[^>]*>", "", result._repr_html_()))
    assert TITLE in text and re.search(r"dp\(0, 0\.9\).*dp\(0, 0\.51\) under even", text)


@pytest.mark.parametrize("kind", ["strong", "weak"])
def test_one_kind_alone_has_no_such_table(kind: str) -> None:
    text = "".join(line for line in TEXT.splitlines(keepends=True) if not line.startswith(f"claim {kind}"))
    assert TITLE not in str(check(text.replace("claim weak dp(0, 0.49) under even expect refuted\n", "")))
