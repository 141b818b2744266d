"""Values that comparisons decide, `s >= 1` or `if s >= 1 then 3 else 4`: which of the comparisons hold where a value is
seen. Several outcomes may show the same value, so what is told of is the value, never an outcome."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from seqlang.backends.transcript.reported_value import same
from seqlang.backends.transcript.unsupported import Unsupported
from seqlang.model import expression as e
from seqlang.model import program as p

Tree = e.Expression | tuple[int, "Tree", "Tree"]
"""A public value, or the number of a comparison (from 0) and what is shown where it holds and where it does not."""


def tree_of(program: p.Program, value: e.Expression, comparisons: int) -> Tree:
    """How so many comparisons decide the value; 1 and 0 stand for true and false. Raises `Unsupported` where that is
    not plain to see."""
    value = _defined(program, value)
    if _is_truth(program, value):
        if comparisons != 1:
            raise Unsupported("a truth value that several comparisons decide")
        return 0, e.Number(Fraction(1)), e.Number(Fraction(0))
    tests: list[e.Expression] = []
    tree = _tree(program, value, tests)
    if len(tests) != comparisons:
        raise Unsupported("a value that other things than comparisons decide")
    return tree


def _tree(program: p.Program, value: e.Expression, tests: list[e.Expression]) -> Tree:
    """The comparisons are numbered in the order in which they are written, equal ones alike."""
    value = _defined(program, value)
    match value:
        case e.Choice(test, yes, no) if _is_private(program, test):
            if test not in tests:
                tests.append(test)
            return tests.index(test), _tree(program, yes, tests), _tree(program, no, tests)
        case e.Number() | e.ParameterValue() | e.StepNumber() | e.Label():
            return value
        case e.Apply(operator) if operator not in e.COMPARISONS | e.LOGIC and not _is_private(program, value):
            return value
    raise Unsupported("a value that comparisons decide, and more than numbers")


def _defined(program: p.Program, value: e.Expression) -> e.Expression:
    """The expression of a statistic that is named."""
    while isinstance(value, e.Local):
        name = value.name
        found = next((s.expression for s in program.body if isinstance(s, p.Define) and s.name == name), None)
        if found is None:
            break
        value = found
    return value


def _is_truth(program: p.Program, value: e.Expression) -> bool:
    match _defined(program, value):
        case e.Truth():
            return True
        case e.Apply(operator):
            return operator in e.COMPARISONS | e.LOGIC
        case e.Choice(_, yes, _):
            return _is_truth(program, yes)
    return False


def _is_private(program: p.Program, value: e.Expression) -> bool:
    inputs = {i.name for i in program.inputs if i.kind != "public"}
    return any(
        isinstance(x, e.Noised | e.Drawn | e.Records) or (isinstance(x, e.Field) and x.name in inputs)
        for x in p.expressions_read(program, (value,))
    )


def leaves(tree: Any) -> tuple[Any, ...]:
    """The values of a tree that is written out: (test, shown where it holds, shown where not)."""
    return tuple(dict.fromkeys([*leaves(tree[1]), *leaves(tree[2])])) if isinstance(tree, tuple) else (tree,)


def decided(observed: Any, tree: Any) -> Any:
    """The test that holds where this value is seen; `tree` as in `leaves`."""
    if not isinstance(tree, tuple):
        return same(observed, tree)
    test, yes, no = tree
    return ("or", ("and", test, decided(observed, yes)), ("and", ("not", test), decided(observed, no)))
