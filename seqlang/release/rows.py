"""Private entries from a file, exactly, one row after the other: nothing that they hold can stop a release.

An entry is read in place: what is outside the domain is moved to its nearest end, what cannot be read is a public
value. A person has one row: a second row with an identifier that was seen is read as missing, and so is each row
without an identifier where there is a column of them. Where neighbours have one row more or less, such a row is left
out: a person who has two would otherwise be two records.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from seqlang.diagnostics import SpecError
from seqlang.diagnostics.suggest import hint
from seqlang.model.domain import Domain, Finite, Integers, Interval
from seqlang.model.program import AddRemove, Input, Program
from seqlang.record import record
from seqlang.release.exact.code import Compiler, plain
from seqlang.release.exact.real import floor
from seqlang.release.live import Line, Waiting, text_of

LONGEST = 400
"""Characters of a number."""
EXPONENT = 400
"""The largest exponent of a number."""
Value = int | Fraction
Read = Callable[[str], Value]


@record
class Form:
    """How a file is read: `columns` of fields that have another name there, the column of `identifiers`, and the public
    value `missing` of what cannot be read (None: the value of the domain that is nearest to 0)."""

    columns: tuple[tuple[str, str], ...] = ()
    identifiers: str | None = None
    missing: Fraction | None = None
    scales: tuple[tuple[str, int], ...] = ()
    """Fields that the program counts in units of 1/scale."""

    @property
    def said(self) -> dict[str, Any]:
        """As a ledger has it; nothing where rows are read plainly."""
        found = {
            "columns": [list(pair) for pair in sorted(self.columns)], "identifiers": self.identifiers,
            "missing": None if self.missing is None else str(self.missing),
            "units": [list(pair) for pair in sorted(self.scales) if pair[1] > 1],
        }  # fmt: skip
        return {name: value for name, value in found.items() if value}


def exact(text: str) -> Fraction | None:
    """A decimal or a fraction; None for all else, and for what would take too much memory."""
    text = text.strip()
    mantissa, _, exponent = text.lower().partition("e")
    if not text or len(mantissa) > LONGEST or len(exponent) > 6:
        return None
    try:
        if exponent and abs(int(exponent)) > EXPONENT:
            return None
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None


class Rows:
    """The rows of a CSV file with a heading, as they are needed. Raises SpecError for columns that are not there: the
    heading is public."""

    def __init__(self, program: Program, lines: Iterable[Line], name: str, form: Form) -> None:
        self._lines = iter(lines)
        first = next((line for line in self._lines if not isinstance(line, Waiting)), "")
        heading = [column.strip() for column in cells_of(first)]
        asked = dict(form.columns)
        fields = program.inputs
        self._fields = [(field.name, _place(heading, asked.pop(field.name, field.name), name)) for field in fields]
        if asked:
            raise SpecError.of("E0603", f"the program has no field `{next(iter(asked))}`")
        compiler = Compiler(program)
        scales = dict(form.scales)
        self._reads = [reader_of(field, compiler, form.missing, scales.get(field.name, 1)) for field in fields]
        self._public = [field.kind == "public" for field in fields]
        self._identifier = None if form.identifiers is None else _place(heading, form.identifiers, name)
        self._leaves_out = isinstance(program.adjacency, AddRemove)
        self._seen: set[str] = set()
        self.repeated = 0
        """Rows with an identifier that was seen: for the owner's eyes only."""

    def __iter__(self) -> Iterator[Mapping[str, Value] | Waiting]:
        if self._identifier is not None:
            for line in self._lines:
                if isinstance(line, Waiting):
                    yield line
                    continue
                row = cells_of(line)
                again = self._is_repeated(row)
                if not (again and self._leaves_out):
                    yield self._entry(row, again)
            return
        known: dict[str, Mapping[str, Value]] = {}
        for line in self._lines:
            if isinstance(line, Waiting):
                yield line
                continue
            found = known.get(line)
            if found is None:
                found = self._entry(cells_of(line))
                if len(known) < 1000:
                    known[line] = found
            yield found

    def _entry(self, row: Sequence[str], again: bool = False) -> Mapping[str, Value]:
        return {
            name: read("" if again and not public else row[place] if place < len(row) else "")
            for (name, place), read, public in zip(self._fields, self._reads, self._public, strict=True)
        }

    def _is_repeated(self, row: Sequence[str]) -> bool:
        assert self._identifier is not None
        identifier = row[self._identifier].strip() if self._identifier < len(row) else ""
        if not identifier:
            return True  # two people without one do not meet
        again = identifier in self._seen
        self._seen.add(identifier)
        self.repeated += again
        return again


def cells_of(line: str) -> list[str]:
    """The cells of one line. A line is a row, whatever it holds: a quote that is not closed ends with the line, so that
    no entry can change which row another one is in, and an empty line is a row whose entry is missing."""
    line = line.rstrip("\r\n")
    if '"' not in line:
        return line.split(",")
    try:
        return next(csv.reader([line]), [])
    except csv.Error:
        return []


def _place(heading: list[str], column: str, name: str) -> int:
    if heading.count(column) != 1:
        said = "has no column" if column not in heading else "has several columns"
        raise SpecError.of("E0604", f"`{name}` {said} `{column}`", help=hint(column, heading))
    return heading.index(column)


def opened(path: Path) -> Iterator[str]:
    """The lines of a file, one by one, until it ends."""
    try:
        file = path.open("rb")
    except OSError as why:
        raise SpecError.of("E0604", f"`{path}` cannot be read: {why.strerror}") from None
    with file:
        yield from map(text_of, file)


def reader_of(field: Input, compiler: Compiler, missing: Fraction | None, scale: int = 1) -> Read:
    """From a text to a value of the field's domain, which counts units of 1/scale, whatever the text. Raises SpecError
    where `missing` is none."""
    nearest = _into(field.domain, compiler)
    instead = nearest(Fraction(0) if missing is None else missing * scale)
    if missing is not None and instead != missing * scale:
        raise SpecError.of("E0603", f"--missing {missing}: `{field.name}` cannot have that value")
    known: dict[str, Value] = {}

    def read(text: str) -> Value:
        found = known.get(text)
        if found is None:
            value = exact(text)
            found = instead if value is None else nearest(value * scale)
            if len(known) < 1000:
                known[text] = found
        return found

    return read


def _into(domain: Domain, compiler: Compiler) -> Callable[[Fraction], Value]:
    """The nearest value of the domain."""

    def end(e: Any) -> Fraction | None:
        return None if e is None else Fraction(compiler.constant(e))

    match domain:
        case Finite(values):
            listed = sorted(Fraction(compiler.constant(v)) for v in values)
            return lambda x: plain(min(listed, key=lambda v: (abs(v - x), v)))
        case Integers(low, high):
            first, last = end(low), end(high)
            return lambda x: floor(_held(x, first, last) + Fraction(1, 2))
        case Interval(low, high):
            first, last = end(low), end(high)
            return lambda x: plain(_held(x, first, last))
    raise SpecError.of("E0603", "entries that are vectors are not released")


def _held(x: Fraction, low: Fraction | None, high: Fraction | None) -> Fraction:
    if low is not None and x < low:
        return low
    return high if high is not None and x > high else x
