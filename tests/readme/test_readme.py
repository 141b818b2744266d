"""What the README prints is what the commands print; its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from seqlang import driver
from seqlang.source import Source

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"


def _block(mark: str) -> str:
    found = re.search(rf"<!-- {mark} -->\n```\n(.*?)```", README.read_text(encoding="utf-8"), re.S)
    assert found, mark
    return found[1]


def _report(text: str) -> str:
    return str(driver.check(driver.load(Source("safety.seq", text))))


def _broken() -> str:
    """The same spec without the noise on the limit."""
    return "".join(line for line in _block("spec").splitlines(keepends=True) if "to limit" not in line)


def test_twelve_lines() -> None:
    assert len(_block("spec").splitlines()) == 12


@pytest.mark.parametrize(
    ("mark", "make"), [("report", lambda: _report(_block("spec"))), ("refuted", lambda: _report(_broken()))]
)
def test_reports(mark: str, make: object, request: pytest.FixtureRequest) -> None:
    wanted = make()
    if request.config.getoption("--update"):
        text = README.read_text(encoding="utf-8")
        fresh = re.sub(rf"(<!-- {mark} -->\n```\n).*?```", lambda m: f"{m[1]}{wanted}```", text, flags=re.S)
        README.write_text(fresh, encoding="utf-8")
    assert _block(mark) == wanted


def test_the_readme_is_short() -> None:
    assert len(README.read_bytes()) <= 10_000


ROOMS = ("seqlang", "specs", "examples", "tests")
PAGES = [README, *(page for room in ROOMS for page in sorted((ROOT / room).glob("**/README.md")))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target
