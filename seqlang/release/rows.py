"""Private entries from a file, exactly, one record after the other: nothing that private cells hold can stop a release.

An entry is read in place: what is outside the domain is moved to its nearest end, what cannot be read is a public
value. How often that happens is counted, for the owner only. A public column is known to everybody: a cell of it that
cannot be read, or that no model of the program foresees, ends the release there.

A person has one row: a second row with an identifier that was seen is read as missing, and so is each row without an
identifier where there is a column of them. Where neighbours have one row more or less, such a row is left out: a person
who has two would otherwise be two records.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from seqlang.diagnostics import Diagnostic, SpecError
from seqlang.diagnostics.suggest import hint
from seqlang.model.program import AddRemove, Program
from seqlang.record import record, replace
from seqlang.release.cell import Fault, Value, reader_of
from seqlang.release.exact.code import Compiler
from seqlang.release.foreseen import Foreseen
from seqlang.release.form import Form
from seqlang.release.live import Line, Waiting, is_file, piped, text_of
from seqlang.release.records import Record, Records

Entry = Mapping[str, Value]
NO_RECORD = "not a record"


@record
class Row:
    """A record and what it is read as. `faults` are the cells with something wrong, as (field, what). `left_out`: it is
    of a person who had one, and is no entry."""

    record: Record
    entry: Entry
    faults: tuple[tuple[str, Fault], ...] = ()
    left_out: bool = False


class Rows:
    """The rows of a CSV file with a heading, as they are needed. Iterating gives entries and waits. Raises SpecError
    for columns that are not there: the heading is public."""

    def __init__(self, program: Program, lines: Iterable[Line], name: str, form: Form) -> None:
        self.name, self.form = name, form
        self._records = Records(lines)
        heading = [column.strip() for column in self._records.heading.cells]
        asked = dict(form.columns)
        self.fields = program.inputs
        self.places = {f.name: _place(heading, asked.pop(f.name, f.name), name) for f in self.fields}
        if asked:
            raise SpecError.of("E0612", f"the program has no field `{next(iter(asked))}`")
        self.columns = {field: heading[place] for field, place in self.places.items()}
        compiler = Compiler(program)
        self._reads = [(f.name, self.places[f.name], reader_of(f, compiler, form)) for f in self.fields]
        self._public = frozenset(f.name for f in self.fields if f.kind == "public")
        self._identifier = None if form.identifiers is None else _place(heading, form.identifiers, name)
        self._leaves_out = isinstance(program.adjacency, AddRemove)
        self._foreseen = Foreseen(program)
        self._seen: set[str] = set()
        self.counts: Counter[str] = Counter()
        """For the owner's eyes only: rows, rows that are no record, rows of a person who had one, and cells by their
        field and what is wrong with them."""

    def __iter__(self) -> Iterator[Entry | Waiting]:
        step = 0
        for row in self.rows():
            if isinstance(row, Waiting):
                yield row
                continue
            if row.left_out:
                continue
            step += 1
            wrong = self.wrong_in_public(row, step)
            if wrong is not None:
                raise SpecError((wrong,))
            yield row.entry

    def rows(self) -> Iterator[Row | Waiting]:
        """Each row, with what is wrong with it."""
        known: dict[tuple[str, ...], Row] = {}
        for found in self._records:
            if isinstance(found, Waiting):
                yield found
                continue
            again = self._identifier is not None and self._is_repeated(found)
            self.counts["rows"] += 1
            if again:
                self.counts["again"] += 1
            row = None if again or found.fault else known.get(found.cells)
            if row is None:
                row = self._read(found, again)
                if not again and not found.fault and len(known) < 1000:
                    known[found.cells] = row
            for field, fault in row.faults:
                self.counts[f"{field} {'moved' if fault == 'moved' else 'not read'}"] += 1
            if found.fault:
                self.counts[NO_RECORD] += 1
            yield row if row.record is found else replace(row, record=found)

    def _read(self, found: Record, again: bool) -> Row:
        """A record that is none has no cells: nobody knows which of them were public."""
        cells = found.cells if not found.fault else ()
        entry, faults = dict[str, Value](), list[tuple[str, Fault]]()
        for name, place, read in self._reads:
            is_read = bool(cells) and not (again and name not in self._public)
            entry[name], fault = read(cells[place] if is_read else "")
            if fault and is_read:
                faults.append((name, fault))
        return Row(found, entry, tuple(faults), again and self._leaves_out)

    def wrong_in_public(self, row: Row, step: int) -> Diagnostic | None:
        """What is wrong with the public cells of a row, which is the entry of that step; None if nothing is, or if it
        is no record. Everybody may know it."""
        if row.record.fault:
            return None
        for field, fault in row.faults:
            if field in self._public:
                return self.said(row.record, field, fault)
        wrong = self._foreseen.wrong(step, {name: row.entry[name] for name in self._public})
        if wrong is None:
            return None
        return Diagnostic("E0629", f"`{self.name}`, line {row.record.line}: {wrong.message}", help=wrong.help)

    def said(self, found: Record, field: str, fault: Fault) -> Diagnostic:
        """What is wrong with one cell."""
        cell, column = found.cells[self.places[field]].strip(), self.columns[field]
        place = f"`{self.name}`, line {found.line}, column `{column}`"
        match fault:
            case "missing":
                help = f"--missing VALUE says what `{field}` is where the cell is empty"
                return Diagnostic("E0613", f"{place}: the value is missing (`{cell}`)", help=help)
            case "unreadable" if self.form.words_of(field) is not None:
                help = "map it to a number, too, or all other words by *=NUMBER"
                return Diagnostic("E0613", f"{place}: `{cell}` is not a word of its vocabulary", help=help)
            case "unreadable":
                help = f"map words to numbers: --columns '{field}={column}{{{cell[:40] or 'WORD'}=NUMBER|..}}'"
                return Diagnostic("E0613", f"{place}: `{cell}` is not a number", help=help)
        domain = "the values that it may have" if fault == "not listed" else "its domain"
        help = f"correct the cell, or map it: --columns '{field}={column}{{{cell}=NUMBER|..}}'"
        return Diagnostic("E0614", f"{place}: {field} = {cell} is not in {domain}", help=help)

    def _is_repeated(self, found: Record) -> bool:
        assert self._identifier is not None
        identifier = found.cells[self._identifier].strip() if not found.fault else ""
        if not identifier:
            return True  # two people without one do not meet
        again = identifier in self._seen
        self._seen.add(identifier)
        return again


def _place(heading: list[str], column: str, name: str) -> int:
    if heading.count(column) != 1:
        said = "has no column" if column not in heading else "has several columns"
        raise SpecError.of("E0612", f"`{name}` {said} `{column}`", help=hint(column, heading))
    return heading.index(column)


def opened(path: Path) -> Iterator[Line]:
    """The lines of a file, one by one, until it ends. What is no file, a named pipe, is read as a pipe."""
    try:
        file = path.open("rb")
    except OSError as why:
        raise SpecError.of("E0610", f"`{path}` cannot be read: {why.strerror}") from None
    with file:
        yield from map(text_of, file) if is_file(file) else piped(file.fileno())
