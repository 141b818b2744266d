"""All operators and functions of the language by name, and the names in groups. Every list of names comes from here."""

from __future__ import annotations

from seqlang.operators.elementary import FUNCTIONS as ELEMENTARY
from seqlang.operators.infix import INFIX
from seqlang.operators.operator import Group, Numeric, Result
from seqlang.operators.vectors import FOLDS
from seqlang.operators.vectors import FUNCTIONS as OF_VECTORS

OPERATORS = {entry.name: entry for entry in (*INFIX, *ELEMENTARY, *OF_VECTORS, *FOLDS)}


def in_group(group: Group) -> frozenset[str]:
    """The names of one group."""
    return frozenset(entry.name for entry in OPERATORS.values() if entry.group == group)


def numerics(arguments: int) -> dict[str, Numeric]:
    """The numeric forms of the operators that compute with numbers one by one and take that many arguments."""
    return {
        name: entry.numeric
        for name, entry in OPERATORS.items()
        if entry.numeric is not None and entry.arguments is not None and len(entry.arguments) == arguments
    }


def with_result(*results: Result) -> frozenset[str]:
    """The names of those with such a result."""
    return frozenset(entry.name for entry in OPERATORS.values() if entry.result in results)
