"""What the sources say, one row a statement: `specs/sources/NAME.toml`, read and checked for form.

Each file has a `title`, a `cite`, and rows. specs/README.md says what the keys of a row are."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from seqlang.record import field, record

FOLDER = Path(__file__).resolve().parent.parent / "specs" / "sources"
KINDS = ("system", "table", "figure", "theorem", "statement")
VERDICTS = ("agrees", "explained", "erratum", "out of reach")
NOTHING = "none printed"
REQUIRED = ("place", "kind", "command", "printed", "verdict")
LISTS = ("shows", "json", "sd", "se", "interval", "wanted")
OTHERS = ("within", "runs", "why", "statement", "true", "data")
NUMBER = re.compile(r"-?(?:\d[\d,]*\.?\d*|\.\d+)(?:e-?\d+)?")


@record
class Row:
    """One statement of a source. `shows` and `json` say where our figures stand in what the command prints; `wanted`
    holds, for each of them, what it must be if the source is right."""

    source: str
    place: str
    kind: str
    command: str
    printed: str
    verdict: str
    shows: tuple[str, ...] = ()
    json: tuple[str, ...] = ()
    sd: tuple[str, ...] = ()
    se: tuple[str, ...] = ()
    interval: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()
    within: float | None = None
    runs: int | None = None
    why: str = ""
    statement: str = ""
    true: str = ""
    data: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """Source and place: no two rows have the same."""
        return self.source, self.place

    @property
    def figures(self) -> int:
        """How many numbers or words of ours the row shows."""
        return len(self.shows) + len(self.json)

    @property
    def must_be(self) -> tuple[str, ...]:
        """What each figure is held to: `wanted`, or else the numbers that are printed."""
        if self.wanted:
            return self.wanted
        found = tuple(m[0].rstrip(",") for m in NUMBER.finditer(self.printed)) if self.printed != NOTHING else ()
        return found if len(found) == self.figures else ()


@record
class Source:
    """A paper, or a set of lecture notes."""

    name: str
    title: str
    cite: str
    rows: tuple[Row, ...] = field(default=())


def read(path: Path) -> Source:
    """The rows of one file; ValueError says what is wrong with it."""
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    rows = tuple(_row(path.stem, given) for given in content.pop("row", []))
    if set(content) != {"title", "cite"}:
        raise ValueError(f"{path.name}: its head holds `title` and `cite`, and nothing else")
    return Source(path.stem, content["title"], content["cite"], rows)


def every_source() -> tuple[Source, ...]:
    """All of them, in the order of their years."""
    found = [read(path) for path in FOLDER.glob("*.toml")]
    return tuple(sorted(found, key=lambda s: (not s.name[-1].isdigit(), s.name[-4:], s.name)))


def _row(source: str, given: dict[str, Any]) -> Row:
    told: dict[str, Any] = {k: (v,) if k in LISTS and isinstance(v, str) else v for k, v in given.items()}
    told = {k: tuple(v) if isinstance(v, list) else v for k, v in told.items()}
    unknown, missing = set(told) - {*REQUIRED, *LISTS, *OTHERS}, set(REQUIRED) - set(told)
    if unknown or missing:
        raise ValueError(f"{source}, {given.get('place')}: keys unknown {sorted(unknown)}, missing {sorted(missing)}")
    row = Row(source=source, **told)
    if wrong := faults(row):
        raise ValueError(f"{source}, {row.place}: " + "; ".join(wrong))
    return row


def faults(row: Row) -> list[str]:
    """What is wrong with the form of a row."""
    texts = [value for value in (row.place, row.command, row.printed) if not value.strip()]
    rules = (
        (not texts, "place, command and printed are whole texts"),
        (row.kind in KINDS, f"kind is one of {', '.join(KINDS)}"),
        (row.verdict in VERDICTS, f"verdict is one of {', '.join(VERDICTS)}"),
        (bool(row.shows) != bool(row.json), "our figures are found by `shows` or by `json`, and not by both"),
        (not row.wanted or len(row.wanted) == row.figures, "`wanted` has an entry for each figure"),
        (not row.sd or len(row.sd) == len(row.json), "`sd` has an entry for each figure"),
        (not row.se or len(row.se) == len(row.json), "`se` has an entry for each figure"),
        (not row.interval or len(row.interval) == len(row.json), "`interval` has an entry for each figure"),
        (row.verdict == "agrees" or bool(row.why), "a verdict other than `agrees` needs a `why`"),
        (row.within is None or bool(row.why), "`within` is justified in `why`"),
        (not row.why or row.why.rstrip().endswith((".", "?", ")")), "`why` is made of whole sentences"),
        (row.verdict != "erratum" or bool(row.statement and row.true), "an erratum has `statement` and `true`"),
        (row.verdict == "erratum" or not (row.statement or row.true), "`statement` and `true` belong to errata"),
        (row.verdict != "agrees" or bool(row.must_be), "nothing says what the figures must be: `wanted`"),
        (all("\n" not in t for t in (row.place, row.command, row.printed)), "a cell of the table is one line"),
        (all(_compiles(pattern) for pattern in row.shows), "`shows` holds regular expressions with 1, 2 or 3 groups"),
    )
    return [text for fine, text in rules if not fine]


def _compiles(pattern: str) -> bool:
    try:
        return 1 <= re.compile(pattern).groups <= 3
    except re.error:
        return False
