"""What is asked of several operators is computed from the entries of the catalogue: nobody keeps a list of names."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from seqlang.operators import groups
from seqlang.operators.catalogue import OPERATORS
from seqlang.operators.operator import Comparison, Connective, Fold

CODE = Path(__file__).parents[2] / "seqlang"
APART = ("operators", "arithmetic", "certificate", "kernel")
"""The catalogue itself; the functions of formulas and certificates, which have names of their own; and the kernel, that
imports nothing and says itself what each of its few functions means."""


def lists_in(text: str) -> Iterator[tuple[int, list[str]]]:
    """(line, names) of each written set, list or tuple of two or more names of operators and nothing else."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Set | ast.Tuple | ast.List):
            names = [part.value for part in node.elts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
            if len(node.elts) == len(names) >= 2 and all(name in OPERATORS for name in names):
                yield node.lineno, names


def test_no_list_of_operators_is_kept_by_hand() -> None:
    files = [p for p in sorted(CODE.rglob("*.py")) if p.relative_to(CODE).parts[0] not in APART]
    found = [f"{p.relative_to(CODE)}:{line}: {names}" for p in files for line, names in lists_in(p.read_text())]
    assert len(files) > 800
    assert found == []


@pytest.mark.parametrize("text", ['x in ("max", "min")', 'KNOWN = frozenset({"floor", "ceil"})', 'f(["+", "-"])'])
def test_a_list_is_seen(text: str) -> None:
    assert len(list(lists_in(text))) == 1


def test_the_names_that_types_speak_of_are_those_of_the_catalogue() -> None:
    assert set(get_args(Fold)) == groups.FOLDS
    assert set(get_args(Comparison)) == groups.COMPARISONS
    assert set(get_args(Connective)) == groups.CONNECTIVES


@pytest.mark.parametrize(
    ("group", "names"),
    [
        (groups.LESS, "< <="), (groups.MORE, "> >="), (groups.STRICT, "< >"), (groups.LOOSE, "<= >="),
        (groups.AT_MOST, "< <= =="), (groups.AT_LEAST, "> >= =="), (groups.EQUALITIES, "== !="),
        (groups.CONNECTIVES, "and or"), (groups.ADDITIVE, "+ -"), (groups.DIVISIONS, "/ %"),
        (groups.ROUNDINGS, "floor ceil"), (groups.WHOLE_PARTS, "floor ceil round"), (groups.EXTREMES, "max min"),
        (groups.SUMS, "sum mean"), (groups.COUNTS, "count argmax argmin"), (groups.PLACES, "argmax argmin"),
        (groups.TOTALS, "sum count"), (groups.ADDED, "sum mean count"), (groups.OF_SOMETHING, "mean max min"),
        (groups.ON_ONE_GRID, "sum max min"), (groups.CHOSEN, "negate abs clip max min sort"),
        (groups.NOT_RATIONAL, "^ log log1p log2 exp sqrt zeta norm project clip_norm"),
        (groups.INFIX, "+ - * / % ^ >= <= == != > < and or"),
    ],
)  # fmt: skip
def test_a_group_has_these_members(group: frozenset[str], names: str) -> None:
    assert group == set(names.split())


def test_comparisons_are_turned_and_negated() -> None:
    assert groups.TURNED == {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}
    assert groups.NEGATED == {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
    assert groups.SIGNS["<="] == {-1, 0} and groups.SIGNS["!="] == {-1, 1}
