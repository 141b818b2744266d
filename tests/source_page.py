"""`specs/SOURCES.md`: what the sources say beside what we find, a table a source, and the errata.

The page is made of the rows in `specs/sources`, and of what their commands showed when they were last run with
`pytest --long --update tests/sources`: our figures and the seconds stand on the page alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from source_rows import VERDICTS, Row, Source, every_source

PAGE = Path(__file__).resolve().parent.parent / "specs" / "SOURCES.md"
KEY = "source row"
Key = tuple[str, str]
Found = Mapping[Key, tuple[str, str]]
"""Source and place of a row -> our figures, seconds."""
HEAD = """# The sources, held to their words

Written by `pytest --long --update tests/sources` from the rows in [sources](sources); `pytest --long tests/sources`
runs every command again, from the root of the checkout, and compares. [README.md](README.md#the-sources) says how to
add a row.

- **printed** is what the source prints; **ours** is what the command shows, with `[low, high]`, a 95 % interval, where
  the number is random. Several figures of a row are parted by semicolons.
- **agrees**: the figure that is printed lies in our interval, or is ours rounded to its digits; where it is a mean of
  simulated runs it lies within three of their standard errors; a theorem or statement is proved or shown.
  **explained**: it is not the same, and we know why. **erratum**: what is printed is wrong. **out of reach**: the
  command shows why we cannot tell.
- **s** are seconds of the whole command, with its start, on one machine; rows with one command share it.
"""
COLUMNS = "| # | place | kind | command | printed | ours | verdict | s |\n|-|-|-|-|-|-|-|-|"
ERRATA = "## Errata"


def page(sources: Iterable[Source], found: Found) -> str:
    """The whole page."""
    listed = tuple(sources)
    errata = [(source, row) for source in listed for row in source.rows if row.verdict == "erratum"]
    parts = [HEAD.strip(), _summary(listed), *(_section(source, found) for source in listed if source.rows)]
    if errata:
        parts += [ERRATA, *(_erratum(source, row, found) for source, row in errata)]
    return "\n\n".join(parts) + "\n"


def _summary(sources: tuple[Source, ...]) -> str:
    lines = ["| source | rows | " + " | ".join(VERDICTS) + " |", "|-" * (len(VERDICTS) + 2) + "|"]
    rows = [row for source in sources for row in source.rows]
    for name, some in [*((s.cite, s.rows) for s in sources), ("**all**", tuple(rows))]:
        counts = [sum(row.verdict == verdict for row in some) for verdict in VERDICTS]
        lines.append(f"| {name} | {len(some)} | " + " | ".join(map(str, counts)) + " |")
    return "\n".join(lines)


def _section(source: Source, found: Found) -> str:
    lines = [f"## {source.cite}", "", f"*{source.title}*", "", COLUMNS]
    for number, row in enumerate(source.rows, 1):
        ours, seconds = found.get(row.key, ("", ""))
        lines.append("| " + " | ".join([str(number), *_fixed(row), _cell(ours), row.verdict, seconds]) + " |")
    notes = [f"{number}. {row.why}" for number, row in enumerate(source.rows, 1) if row.why]
    numbered = ["", *(note.replace(". ", "\\. ", 1) + "  " for note in notes)] if notes else []
    return "\n".join([*lines, *numbered]).rstrip()


def _fixed(row: Row) -> list[str]:
    return [_cell(row.place), row.kind, f"`{_cell(row.command)}`", _cell(row.printed)]


def _erratum(source: Source, row: Row, found: Found) -> str:
    ours = found.get(row.key, ("", ""))[0]
    return (
        f"**{source.cite}, {row.place}.** Printed: {row.statement} What is true: {row.true}\n"
        f"`{row.command}` shows {ours}."
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def recorded(text: str) -> dict[Key, tuple[str, str]]:
    """Our figures and seconds that a page shows, of every row on it, also where it holds both sides of a merge."""
    by_cite = {source.cite: source.name for source in every_source()}
    found: dict[Key, tuple[str, str]] = {}
    name = ""
    for line in text.splitlines():
        if line.startswith("## "):
            name = by_cite.get(line[3:], "")
        elif name and re.match(r"\| \d", line):
            cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            found[name, cells[1]] = (cells[5], cells[7])
    return found


def on_page() -> dict[Key, tuple[str, str]]:
    """What the page of this checkout shows."""
    return recorded(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else {}


def rewrite(reports: Iterable[pytest.TestReport]) -> None:
    """Puts what the tests found onto the page, and leaves the figures of the other rows as they are."""
    told: list[Any] = [value for report in reports for name, value in report.user_properties if name == KEY]
    if told:
        new: Found = {(source, place): (ours, seconds) for source, place, ours, seconds in told if place}
        PAGE.write_text(page(every_source(), {**on_page(), **new}), encoding="utf-8")
