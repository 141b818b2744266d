"""Our figure for a row of a source: found in what the row's command prints, and held against what is printed there."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from source_rows import NUMBER, Row

from seqlang.record import record

STANDARD_ERRORS = 3
"""A printed mean of `runs` simulated runs agrees within so many of its standard errors, deviation / sqrt(runs)."""
NORMAL_95 = 1.959964
"""Standard errors on each side of a mean, of a 95 % interval."""


@record
class Figure:
    """What we find: a word or a number, with the interval of a number that is random, or with the deviation of one run
    where a printed mean is compared."""

    text: str
    low: float | None = None
    high: float | None = None
    sd: float | None = None

    @property
    def number(self) -> float | None:
        """The figure, if it is one."""
        whole = NUMBER.fullmatch(self.text)
        if self.text == "inf":
            return math.inf
        return float(self.text.replace(",", "")) if whole else None

    def __str__(self) -> str:
        return self.text if self.low is None else f"{self.text} [{self.low:g}, {self.high:g}]"


def figures(row: Row, output: str) -> tuple[Figure, ...]:
    """Our figures, in the order of `shows` or `json`. LookupError where one is not there."""
    if row.shows:
        return tuple(_matched(row, pattern, output) for pattern in row.shows)
    lines = [json.loads(line) for line in output.splitlines() if line.startswith(("{", "["))]
    found = []
    for i, path in enumerate(row.json):
        low, high = _at(lines, row.interval[i]) if row.interval else (None, None)
        if row.se:
            mean, half = _at(lines, path), NORMAL_95 * _at(lines, row.se[i])
            low, high = mean - half, mean + half
        sd = _at(lines, row.sd[i]) if row.sd else None
        found.append(Figure(_shown(_at(lines, path)), low, high, sd))
    return tuple(found)


def _matched(row: Row, pattern: str, output: str) -> Figure:
    match = re.search(pattern, output, re.MULTILINE)
    if match is None:
        raise LookupError(f"{pattern!r} is not in\n{output}")
    first, *rest = match.groups()
    if len(rest) == 2:
        return Figure(first, *(float(value) for value in rest))
    return Figure(first, sd=float(rest[0])) if rest else Figure(first)


def _at(value: Any, path: str) -> Any:
    """The value that a path leads to: names and places joined by dots, where a name may hold dots itself."""
    if not path:
        return value
    if isinstance(value, list):
        head, _, rest = path.partition(".")
        return _at(value[int(head)], rest)
    words = path.split(".")
    for count in range(1, len(words) + 1):
        if isinstance(value, dict) and (name := ".".join(words[:count])) in value:
            return _at(value[name], ".".join(words[count:]))
    raise LookupError(f"{path!r} leads nowhere")


def _shown(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def meets(row: Row, figure: Figure, wanted: str) -> bool:
    """Whether a figure is as the source has it: `wanted` is a number, `a..b`, `<= a` (`<`, `>=`, `>`), or a word."""
    ours, words = figure.number, wanted.split()
    low = figure.low if figure.low is not None else ours
    high = figure.high if figure.high is not None else ours
    if ours is None or low is None or high is None:
        return figure.text == wanted
    if words[0] in ("<=", "<"):
        return low <= float(words[1]) if words[0] == "<=" else low < float(words[1])
    if words[0] in (">=", ">"):
        return high >= float(words[1]) if words[0] == ">=" else high > float(words[1])
    if ".." in wanted:
        begin, end = (float(part) for part in wanted.split(".."))
        return low <= end and high >= begin
    if not NUMBER.fullmatch(wanted):
        return figure.text == wanted
    printed, decimals = float(wanted.replace(",", "")), len(wanted.partition("e")[0].partition(".")[2])
    exponent = int(wanted.partition("e")[2] or 0)
    allowed = [0.5 * 10.0 ** (exponent - decimals) * (1 + 1e-9), row.within or 0]
    if row.runs and figure.sd is not None:
        allowed.append(STANDARD_ERRORS * figure.sd / math.sqrt(row.runs))
    return low <= printed <= high or abs(ours - printed) <= max(allowed)


def holds(row: Row, found: tuple[Figure, ...]) -> str:
    """Empty if the verdict is borne out by the figures, else what is wrong with it."""
    fine = [meets(row, figure, wanted) for figure, wanted in zip(found, row.must_be, strict=False)]
    said = ", ".join(map(str, found))
    if row.verdict == "agrees" and not all(fine):
        return f"the verdict is `agrees`, but ours, {said}, is not {', '.join(row.must_be)}"
    if row.verdict in ("explained", "erratum") and row.must_be and all(fine):
        return f"the verdict is `{row.verdict}`, but ours, {said}, is as printed"
    return ""


def as_recorded(recorded: str, found: tuple[Figure, ...]) -> bool:
    """Whether the figures are those that the page shows: words exactly, numbers within one unit of the sixth digit, and
    random ones by intervals that overlap: sums in another order, on another processor, train another network."""
    old = shown_figures(recorded)
    return len(old) == len(found) and all(_same(a, b) for a, b in zip(old, found, strict=True))


def shown(found: tuple[Figure, ...]) -> str:
    """Our figures as the page has them."""
    return "; ".join(map(str, found))


def shown_figures(cell: str) -> list[Figure]:
    """The figures of a cell of the page."""
    parts = [re.fullmatch(r"(.*?)(?: \[(\S+), (\S+)\])?", part, re.DOTALL) for part in cell.split("; ")]
    return [Figure(p[1], float(p[2]), float(p[3])) if p[2] else Figure(p[1]) for p in parts if p is not None]


def _same(old: Figure, new: Figure) -> bool:
    if old.number is None or new.number is None:
        return old.text == new.text
    if old.low is not None and old.high is not None:
        low, high = (new.number, new.number) if new.low is None or new.high is None else (new.low, new.high)
        return old.low <= high and low <= old.high
    return math.isclose(old.number, new.number, rel_tol=2e-5, abs_tol=1e-12)
