"""Which columns hold a field, and the field's values row by row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.data.problem import problem
from seqlang.backends.interpret.data.table import Row, Table
from seqlang.backends.interpret.data.where import MISSING, column_of, missing, number
from seqlang.backends.interpret.domains import CheckedDomain
from seqlang.backends.interpret.values import Value, describe
from seqlang.diagnostics import Diagnostic, SpecError
from seqlang.diagnostics.suggest import did_you_mean
from seqlang.model.program import Program
from seqlang.record import record

MOST = 5
"""More faulty rows than this are counted, not listed."""


@record
class FieldColumns:
    """`columns` are places in a row: one for a number, one a coordinate for a vector."""

    name: str
    domain: CheckedDomain
    columns: tuple[int, ...]


def field_columns(program: Program, table: Table, named: Mapping[str, str]) -> tuple[FieldColumns, ...]:
    """For each field of the program its columns: of its own name (x1 .. xd for a vector x), or as `named` says:
    `outcome`, `V1..V39` (a run of columns in the file's order), `a,b,c`.

    Raises SpecError: E0612 for a column or field that is not there, E0617 for a wrong number of columns.
    """
    compiler = Compiler(program)
    fields = [i.name for i in program.inputs]
    for name in named:
        if name not in fields:
            near = did_you_mean(name, fields)
            hint = f"did you mean `{near}`?" if near else "its fields are " + ", ".join(f"`{f}`" for f in fields)
            raise problem("E0612", f"`{program.name}` has no field `{name}` to take from a column", hint)
    found = []
    for entry in program.inputs:
        domain = CheckedDomain(compiler, entry.domain)
        columns = _columns(table, entry.name, domain, named.get(entry.name))
        wanted = domain.dimension or 1
        if len(columns) != wanted:
            given = f"`{named[entry.name]}` is {len(columns)}"
            raise problem("E0617", f"field `{entry.name}` in {domain.text} needs {wanted} columns, {given}")
        found.append(FieldColumns(entry.name, domain, columns))
    return tuple(found)


def _columns(table: Table, name: str, domain: CheckedDomain, spec: str | None) -> tuple[int, ...]:
    if spec is not None:
        return _named(table, spec)
    if domain.dimension is None:
        if table.column(name) is None:
            raise missing(table, name, f"say which column it is: --column {name}=COLUMN")
        return (column_of(table, name),)
    if domain.dimension == 1 and table.column(name) is not None:
        return (column_of(table, name),)
    numbered = tuple(f"{name}{i}" for i in range(1, domain.dimension + 1))
    if any(table.column(c) is None for c in numbered):
        absent = next(c for c in numbered if table.column(c) is None)
        raise missing(table, absent, f"say which columns `{name}` is: --column {name}=FIRST..LAST")
    return tuple(column_of(table, c) for c in numbered)


def _named(table: Table, spec: str) -> tuple[int, ...]:
    if table.column(spec) is not None:
        return (column_of(table, spec),)
    ends = re.split(r"\.\.", spec)
    if len(ends) == 2 and all(e.strip() for e in ends):
        first, last = (column_of(table, e.strip()) for e in ends)
        if first > last:
            raise problem("E0617", f"`{spec}`: column `{ends[1].strip()}` stands before `{ends[0].strip()}`")
        return tuple(range(first, last + 1))
    return tuple(column_of(table, part.strip()) for part in spec.split(","))


def values(
    program: Program, table: Table, fields: Iterable[FieldColumns], rows: Iterable[Row], *, clip: bool
) -> list[dict[str, Value]]:
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
        last = faults[-1]
        more = (*last.notes, f"and {count - len(faults)} more like these")
        faults[-1] = Diagnostic(last.code, last.message, last.primary, last.secondary, more, last.help)
    if faults:
        raise SpecError(tuple(faults))
    return entries


def _value(table: Table, field: FieldColumns, row: Row, *, clip: bool) -> Value:
    numbers: list[float] = []
    for column in field.columns:
        cell = row.cells[column].strip()
        found = number(cell)
        place = f"`{table.name}`, line {row.line}, column `{table.header[column]}`"
        if found is None:
            if cell.lower() in MISSING:
                remedy = f"leave such rows out: --where '{table.header[column]}!={cell}'"
                return Diagnostic("E0613", f"{place}: the value is missing (`{cell}`)", help=remedy)
            return Diagnostic("E0613", f"{place}: `{cell}` is not a number")
        numbers.append(int(found) if found == int(found if abs(found) < 2**53 else 0) else found)
    value: Value = numbers[0] if field.domain.dimension is None else tuple(numbers)
    if field.domain.contains(value):
        return value
    if clip and all(abs(v) != float("inf") for v in numbers):
        return field.domain.nearest(value)
    where = f"`{table.name}`, line {row.line}"
    message = f"{where}: {field.name} = {describe(value)} is not in {field.domain.text}"
    return Diagnostic("E0614", message, help="--clip moves such values to the nearest one in the domain")
