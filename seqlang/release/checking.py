"""Rows before they are paid for: whether each cell can be read, and whether they are what the program is for.

This reads private cells and tells the owner of the rows what it found, and nobody else. Nothing was charged or drawn by
then. After the charge nothing of the kind is told: a cell that cannot be read is read as a public value, and only the
owner's log counts it.

The number of rows of a data set is public where neighbours have the same number (`replace`, `within`): another number
than the program's is refused. Where neighbours are `add or remove` the number is private, and any number is released:
if a release took place for the declared number only, the fact that it took place would tell the number.
"""

from __future__ import annotations

from collections.abc import Iterator

from seqlang.diagnostics import Diagnostic, SpecError
from seqlang.model.program import AddRemove, Program
from seqlang.record import record, replace
from seqlang.release.exact.code import Compiler
from seqlang.release.live import Waiting
from seqlang.release.rows import Row, Rows

MOST = 5
"""More findings of a kind than this are counted, not listed."""
OWNER = "this tells of private cells: it is for the owner of the rows only"
FREE = "nothing was charged, and nothing was released"


@record
class Checked:
    """What can be read. `moved`: (field, cells outside of its domain); `again`: rows of a person who had one."""

    rows: int
    moved: tuple[tuple[str, int], ...]
    again: int

    @property
    def notes(self) -> Iterator[str]:
        """For the owner."""
        for field, count in self.moved:
            yield f"{count:,} cells of `{field}` lie outside its domain and are moved to its nearest end"
        if self.again:
            yield f"{self.again:,} rows are of a person who has one before, or of nobody, and count for nothing"


class _Found:
    """The first findings, and how many more there are."""

    def __init__(self) -> None:
        self.first: list[Diagnostic] = []
        self.more = 0

    def add(self, one: Diagnostic) -> None:
        if len(self.first) < MOST:
            self.first.append(one)
        else:
            self.more += 1

    def require_none(self, *notes: str) -> None:
        """Raises SpecError with all of them."""
        if self.first:
            more = [f"and {self.more:,} more like these"] if self.more else []
            last = replace(self.first[-1], notes=(*self.first[-1].notes, *more, *notes))
            raise SpecError((*self.first[:-1], last))


def checked(program: Program, rows: Rows) -> Checked:
    """All rows that are there now. Raises SpecError: E0613 and E0614 for cells, E0610 for what is no record of CSV,
    E0618 for another number of rows than the program's, E0629 for public columns that no model foresees. What is
    public is said first, and alone."""
    public, private, count = _Found(), _Found(), 0
    known = {field.name for field in program.inputs if field.kind == "public"}
    for row in rows.rows():
        if isinstance(row, Waiting):
            break
        count += not row.left_out
        wrong = None if row.left_out or public.first else rows.wrong_in_public(row, count)
        if wrong is not None:
            public.add(wrong)
        for found in _private(rows, row, known):
            private.add(found)
    public.require_none(FREE)
    require_size(program, count, FREE)
    private.require_none(OWNER, FREE)
    moved = tuple((f.name, n) for f in program.inputs if (n := rows.counts[f"{f.name} moved"]))
    return Checked(count, moved, rows.counts["again"])


def _private(rows: Rows, row: Row, public: set[str]) -> Iterator[Diagnostic]:
    if row.record.fault:
        place = f"`{rows.name}`, line {row.record.line}"
        help = "a cell with a comma, a quote or a line break stands in quotes, and quotes in it are doubled"
        yield Diagnostic("E0610", f"{place}: no row of CSV: {row.record.fault}", help=help)
    for field, fault in row.faults:
        if field not in public and fault != "moved":
            yield rows.said(row.record, field, fault)


def require_size(program: Program, count: int, *notes: str) -> None:
    """Raises SpecError E0618 where a data set has another number of rows than the program says, and that is public."""
    if program.size is None or isinstance(program.adjacency, AddRemove):
        return
    size = Compiler(program).constant(program.size)
    if size != count:
        raise SpecError.of(
            "E0618", f"there are {count:,} rows, and the dataset of `{program.name}` has size {size}", notes=notes,
            help="the program with the size that there is, by --set where it is a parameter",
        )  # fmt: skip
