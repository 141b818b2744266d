"""`--where arm=1`: which rows of a file are used."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from seqlang.backends.interpret.data.problem import problem
from seqlang.backends.interpret.data.table import Table
from seqlang.diagnostics.suggest import did_you_mean
from seqlang.operators.groups import COMPARE
from seqlang.record import record

_CLAUSE = re.compile(r"^\s*(.+?)\s*(>=|<=|==|!=|=|>|<)\s*(.*?)\s*$")
MISSING = frozenset({"", "na", "nan", "null", "none", "."})


@record
class Clause:
    """One condition on the cells of a column; `holds` says None of a cell that it cannot compare."""

    column: int
    text: str
    operator: str
    holds: Callable[[str], bool | None]


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


def none_left(table: Table, clauses: Sequence[str], seen: int) -> Exception:
    """The error where no row satisfies all clauses."""
    shown = " and ".join(f"`{c}`" for c in clauses)
    return problem("E0616", f"`{table.name}` has no row with {shown}", notes=(f"it has {seen} rows",))


def conditions(table: Table, clauses: Sequence[str]) -> list[Clause]:
    """The clauses `column OP value` as tests of cells.

    OP is = (or ==), !=, <, <=, >, >=. Numbers are compared as numbers (1 = 1.0), anything else as text; a missing cell
    is neither less nor greater. Raises SpecError: E0612 for an unknown column, E0615 for a clause that is none.
    """
    return [_clause(table, clause) for clause in clauses]


def uncomparable(table: Table, clause: Clause, line: int, cell: str) -> Exception:
    """The error for a cell that is no number where the clause needs one."""
    place = f"{table.place(line)}, column `{table.header[clause.column]}`"
    return problem("E0615", f"{place}: `{cell.strip()}` is not a number, `{clause.operator}` needs one")


def _clause(table: Table, clause: str) -> Clause:
    parts = _CLAUSE.match(clause)
    if parts is None:
        raise problem("E0615", f"`{clause}` is no condition on a column", "write column=value, or with != < <= > >=")
    name, operator, value = parts.groups()
    column = column_of(table, name)
    wanted = number(value)
    if operator in ("=", "==", "!="):
        equal = operator != "!="

        def same(cell: str) -> bool:
            cell = cell.strip()
            found = number(cell)
            is_same = found == wanted if found is not None and wanted is not None else cell == value
            return is_same == equal

        return Clause(column, clause, operator, same)
    if wanted is None:
        raise problem("E0615", f"`{clause}`: `{value}` is not a number, `{operator}` needs one")
    return Clause(column, clause, operator, _ordered(operator, wanted))


def _ordered(operator: str, wanted: float) -> Callable[[str], bool | None]:
    def ordered(cell: str) -> bool | None:
        if cell.strip().lower() in MISSING:
            return False
        found = number(cell)
        return None if found is None else COMPARE[operator](found, wanted)

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
