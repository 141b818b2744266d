"""`--where arm=1`: which rows of a file are used."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from seqlang.backends.interpret.data.problem import problem
from seqlang.backends.interpret.data.table import Row, Table
from seqlang.diagnostics.suggest import did_you_mean

_CLAUSE = re.compile(r"^\s*(.+?)\s*(>=|<=|==|!=|=|>|<)\s*(.*?)\s*$")
MISSING = frozenset({"", "na", "nan", "null", "none", "."})

Test = Callable[[Row], bool]


def number(text: str) -> float | None:
    """The number that a cell holds, or None; TRUE and FALSE count as 1 and 0. `1_000` is no number here."""
    word = text.strip()
    if word.lower() in ("true", "false"):
        return 1.0 if word.lower() == "true" else 0.0
    if "_" in word:
        return None
    try:
        found = float(word)
    except ValueError:
        return None
    return found if found == found else None


def matching(table: Table, clauses: Sequence[str]) -> tuple[Row, ...]:
    """The rows for which every clause `column OP value` holds.

    OP is = (or ==), !=, <, <=, >, >=. Numbers are compared as numbers (1 = 1.0), anything else as text; a missing cell
    is neither less nor greater. Raises SpecError: E0612 for an unknown column, E0615 for a clause that is none, E0616
    if no row is left.
    """
    tests = conditions(table, clauses)
    rows = tuple(row for row in table.rows if all(test(row) for test in tests))
    if not rows:
        shown = " and ".join(f"`{c}`" for c in clauses)
        raise problem("E0616", f"`{table.name}` has no row with {shown}", notes=(f"it has {len(table.rows)} rows",))
    return rows


def conditions(table: Table, clauses: Sequence[str]) -> list[Test]:
    """The clauses as tests of a row; of the table only the header is looked at. Raises SpecError E0612, E0615."""
    return [_test(table, clause) for clause in clauses]


def _test(table: Table, clause: str) -> Test:
    parts = _CLAUSE.match(clause)
    if parts is None:
        raise problem("E0615", f"`{clause}` is no condition on a column", "write column=value, or with != < <= > >=")
    name, operator, value = parts.groups()
    column = column_of(table, name)
    wanted = number(value)
    if operator in ("=", "==", "!="):
        equal = operator != "!="

        def same(row: Row) -> bool:
            cell = row.cells[column].strip()
            found = number(cell)
            is_same = found == wanted if found is not None and wanted is not None else cell == value
            return is_same == equal

        return same
    if wanted is None:
        raise problem("E0615", f"`{clause}`: `{value}` is not a number, `{operator}` needs one")
    return _ordered(table, name, column, operator, wanted)


def _ordered(table: Table, name: str, column: int, operator: str, wanted: float) -> Test:
    compare: dict[str, Callable[[float], bool]] = {
        "<": lambda v: v < wanted,
        "<=": lambda v: v <= wanted,
        ">": lambda v: v > wanted,
        ">=": lambda v: v >= wanted,
    }
    holds = compare[operator]

    def ordered(row: Row) -> bool:
        cell = row.cells[column].strip()
        if cell.lower() in MISSING:
            return False
        found = number(cell)
        if found is None:
            place = f"`{table.name}`, line {row.line}, column `{name}`"
            raise problem("E0615", f"{place}: `{cell}` is not a number, `{operator}` needs one")
        return holds(found)

    return ordered


def column_of(table: Table, name: str) -> int:
    """The place of a column. Raises SpecError E0612, with the nearest name."""
    found = table.column(name)
    if found is None:
        raise missing(table, name)
    return found


def missing(table: Table, name: str, help: str | None = None) -> Exception:
    """The error for a column that is not there."""
    near = did_you_mean(name, table.header)
    shown = ", ".join(f"`{h}`" for h in table.header[:12]) + (", .." if len(table.header) > 12 else "")
    hint = f"did you mean `{near}`?" if near else help
    return problem("E0612", f"`{table.name}` has no column `{name}`", hint, (f"its columns are {shown}",))
