"""Which columns hold a field, and the field's values row by row."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from math import isfinite

from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.data.problem import problem
from seqlang.backends.interpret.data.table import Row, Table
from seqlang.backends.interpret.data.terms import Recipe, Term, recipe
from seqlang.backends.interpret.data.where import MISSING, Clause, column_of, missing
from seqlang.backends.interpret.inputs.domains import CheckedDomain
from seqlang.backends.interpret.inputs.metrics import without
from seqlang.backends.interpret.values import Value, describe
from seqlang.diagnostics import Diagnostic, SpecError
from seqlang.diagnostics.suggest import did_you_mean
from seqlang.model.program import Program
from seqlang.record import record, replace

MOST = 5
"""More faulty rows than this are counted, not listed."""


@record
class FieldColumns:
    """`parts` are places in a row and what is done to the cells there, in the order of the field's coordinates;
    `project`: every row is moved into the field's domain."""

    name: str
    domain: CheckedDomain
    parts: tuple[tuple[int, Term], ...]
    project: bool = False

    @property
    def width(self) -> int:
        """Numbers in a row."""
        return sum(term.width for _, term in self.parts)


def field_columns(program: Program, table: Table, named: Mapping[str, str]) -> tuple[FieldColumns, ...]:
    """For each field of the program its columns: of its own name (x1 .. xd for a vector x), or as `named` says:
    `outcome`, `V1..V39` (a run of columns in the file's order), `a,b,c`, with fixed changes (see `recipe`).

    Raises SpecError: E0612 for a column or field that is not there, E0617 for a wrong number of columns, E0625 for a
    change that would be taken from the data.
    """
    compiler = Compiler(program)
    fields = [i.name for i in program.inputs]
    for name in named:
        if name not in fields:
            near = did_you_mean(name, fields)
            hint = f"did you mean `{near}`?" if near else "its fields are " + ", ".join(f"`{f}`" for f in fields)
            raise problem("E0612", f"`{program.name}` has no field `{name}` to take from a column", hint)
    return tuple(_columns(table, i.name, CheckedDomain(compiler, i.domain), named.get(i.name)) for i in program.inputs)


def needed(program: Program, table: Table, named: Mapping[str, str]) -> Program:
    """The program without the fields that the file does not have and that only metrics read."""
    compiler = Compiler(program)
    for entry in program.inputs:
        if entry.name not in named and not _stands_in(table, entry.name, CheckedDomain(compiler, entry.domain)):
            program = without(program, entry.name) or program
    return program


def places(fields: Iterable[FieldColumns], clauses: Iterable[Clause]) -> Collection[int]:
    """The columns that fields and conditions read."""
    return {c for field in fields for c, _ in field.parts} | {clause.column for clause in clauses}


def _stands_in(table: Table, name: str, domain: CheckedDomain) -> bool:
    return table.column(name if domain.dimension is None else f"{name}1") is not None or (
        domain.dimension == 1 and table.column(name) is not None
    )


def width_of(table: Table, text: str) -> int:
    """How many numbers a row has in a field that `text` describes. Raises SpecError as `field_columns`."""
    return sum(term.width * len(_places(table, term)) for term in recipe(text, table.header).terms)


def _columns(table: Table, name: str, domain: CheckedDomain, spec: str | None) -> FieldColumns:
    made = _own(table, name, domain) if spec is None else recipe(spec, table.header)
    parts = tuple((place, term) for term in made.terms for place in _places(table, term))
    found = FieldColumns(name, domain, parts, made.project)
    wanted = domain.dimension or 1
    if found.width != wanted:
        given = "it has" if spec is None else f"`{spec}` is"
        raise problem("E0617", f"field `{name}` in {domain.text} needs {wanted} columns, {given} {found.width}")
    return found


def _own(table: Table, name: str, domain: CheckedDomain) -> Recipe:
    """Columns of the field's own name."""
    if domain.dimension is None or (domain.dimension == 1 and table.column(name) is not None):
        if table.column(name) is None:
            raise missing(table, name, f"say which column it is: --column {name}=COLUMN")
        return Recipe((Term(name, name),))
    if name in table.lists:  # all of it: a list that is too long is not cut
        return Recipe((Term(name, name),))
    numbered = tuple(f"{name}{i}" for i in range(1, domain.dimension + 1))
    absent = next((c for c in numbered if table.column(c) is None), None)
    if absent is not None:
        raise missing(table, absent, f"say which columns `{name}` is: --column {name}=FIRST..LAST")
    return Recipe(tuple(Term(c, c) for c in numbered))


def _places(table: Table, term: Term) -> range:
    if term.first == term.last and table.column(term.first) is None and term.first in table.lists:
        return table.lists[term.first]
    first, last = column_of(table, term.first), column_of(table, term.last)
    if first > last:
        message = f"`{term.first}..{term.last}`: column `{term.last}` stands before `{term.first}`"
        raise problem("E0617", message)
    return range(first, last + 1)


def values(table: Table, fields: Iterable[FieldColumns], rows: Iterable[Row], *, clip: bool) -> list[dict[str, Value]]:
    """Every row's entry. A value outside its domain is moved to the nearest one inside with `clip`.

    Raises SpecError with the first few faulty cells: E0613 for what is no number, E0614 for what is not in the domain.
    """
    entries: list[dict[str, Value]] = []
    faults: list[Diagnostic] = []
    count = 0
    for row in rows:
        entry: dict[str, Value] = {}
        for field in fields:
            value = _value(table, field, row, clip=clip)
            if isinstance(value, Diagnostic):
                count += 1
                if len(faults) < MOST:
                    faults.append(value)
            else:
                entry[field.name] = value
        entries.append(entry)
    if count > len(faults):
        more = f"and {count - len(faults)} more like these"
        faults[-1] = replace(faults[-1], notes=(*faults[-1].notes, more))
    if faults:
        raise SpecError(tuple(faults))
    return entries


def _value(table: Table, field: FieldColumns, row: Row, *, clip: bool) -> Value:
    numbers: list[float] = []
    for column, term in field.parts:
        found = term.numbers(row.cells[column])
        if found is None:
            return unreadable(table, column, row.line, row.cells[column], term)
        numbers += [int(v) if v == int(v if abs(v) < 2**53 else 0) else v for v in found]
    value: Value = numbers[0] if field.domain.dimension is None else tuple(numbers)
    if field.domain.contains(value):
        return value
    if (clip or field.project) and all(abs(v) != float("inf") for v in numbers):
        return field.domain.nearest(value)
    return outside(table, field, row.line, value)


def unreadable(table: Table, at: int, line: int, cell: str, term: Term) -> Diagnostic:
    """The error for a cell that is no number, or no word of the vocabulary."""
    cell, column = cell.strip(), table.header[at]
    place = f"{table.place(line)}, column `{column}`"
    if term.words:
        return Diagnostic("E0613", f"{place}: `{cell}` is not a word of its vocabulary", help="add it, or *=NUMBER")
    if cell.lower() in MISSING:
        remedy = f"leave such rows out: --where '{column}!={cell}'"
        return Diagnostic("E0613", f"{place}: the value is missing (`{cell}`)", help=remedy)
    return Diagnostic("E0613", f"{place}: `{cell}` is not a number")


def outside(table: Table, field: FieldColumns, line: int, value: Value) -> Diagnostic:
    """The error for a value that is not in its field's domain."""
    names = ", ".join(f"`{table.header[c]}`" for c, _ in field.parts[:3]) + (", .." if len(field.parts) > 3 else "")
    where = f"{table.place(line)}, column{'s' if len(field.parts) > 1 else ''} {names}"
    return not_in(f"{where}: {field.name}", value, field.domain)


def not_in(what: str, value: Value, domain: CheckedDomain, clip: str = "--clip") -> Diagnostic:
    """The error for a value outside its domain; clipping helps where there is a nearest value inside."""
    if all(isfinite(v) for v in (value if isinstance(value, tuple) else (value,))):
        help = f"{clip} moves such values to the nearest one in the domain"
        if domain.dimension is not None and clip == "--clip":
            help += "; project(..) moves vectors into their ball"
    else:
        help = f"{clip} cannot move what is not finite: correct the row, or leave it out"
    return Diagnostic("E0614", f"{what} = {describe(value)} is not in {domain.text}", help=help)
