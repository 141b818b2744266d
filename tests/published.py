"""Published figures beside ours: told by tests, shown after a run with `--long`, and kept in `designs/published.md`.

A run with `--long --update` rewrites the rows of the tests that ran, and no others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

TABLE = Path(__file__).parent / "designs" / "published.md"
KEY = "published"
HEAD = """# Published figures, and ours

Written by `pytest --long --update tests/designs tests/monitoring`; each test also fails where its figure is too far
off. Of expected numbers of entries less is better, and where the difference is below 0 ours is less. Coverage and
simulated means stand beside what is promised, or exact.
"""
COLUMNS = "| | ours | published | difference |\n|-|-|-|-|"
Row = tuple[str, str, float, float]
"""A section, what it is, our figure, and the published one."""
Tell = Callable[[str, str, float, float], None]


@pytest.fixture
def published(request: pytest.FixtureRequest) -> Tell:
    """A function that tells a figure of the test: section, what it is, ours, published."""

    def tell(section: str, what: str, ours: float, figure: float) -> None:
        request.node.user_properties.append((KEY, [section, what, float(ours), float(figure)]))

    return tell


def told(reports: Iterable[pytest.TestReport]) -> list[Row]:
    """What all tests told; of several figures of one name the largest."""
    found: dict[tuple[str, str], Row] = {}
    for row in (value for report in reports for name, value in report.user_properties if name == KEY):
        section, what, ours, figure = row
        if (section, what) not in found or ours > found[section, what][2]:
            found[section, what] = (section, what, ours, figure)
    return list(found.values())


def line(row: Row) -> str:
    """Of the table."""
    _, what, ours, figure = row
    return f"| {what} | {ours:.6g} | {figure:.6g} | {100 * (ours / figure - 1):+.2f} % |"


def merged(text: str, rows: Iterable[Row]) -> str:
    """The table with these rows in place of those of the same name; new ones come last in their section."""
    sections: dict[str, dict[str, str]] = {}
    section = ""
    for old in text.splitlines():
        if old.startswith("## "):
            section = old[3:]
        elif section and old.startswith("| ") and not old.startswith("| |"):
            sections.setdefault(section, {})[old.split("|")[1].strip()] = old
    for row in rows:
        sections.setdefault(row[0], {})[row[1]] = line(row)
    parts = [f"## {name}\n\n{COLUMNS}\n" + "\n".join(lines.values()) for name, lines in sections.items()]
    return "\n\n".join([HEAD.strip(), *parts]) + "\n"
