"""The values that the binders of a cell take together: what its keys are, and how long the window of a key is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from seqlang.backends.interpret.cells import whole_length
from seqlang.backends.interpret.code import Expressions
from seqlang.backends.interpret.state import PartialState
from seqlang.backends.interpret.values import Value, as_index
from seqlang.model import expression as ir
from seqlang.model.program import Cell, LastSteps

Key = tuple[Value, ...]


def keys_of(cell: Cell, compiler: Expressions, first: Key = ()) -> Iterator[Key]:
    """All keys that begin with `first`. A binder's set may read the binders before it."""
    if len(first) == len(cell.binders):
        yield first
        return
    for value in _at(cell.binders[len(first)][1], cell, compiler, first):
        yield from keys_of(cell, compiler, (*first, value))


def window_of(cell: Cell, compiler: Expressions, key: Key) -> int:
    """How many steps the window of this key has."""
    assert isinstance(cell.keep, LastSteps)
    return whole_length(_at(cell.keep.count, cell, compiler, key))


def _at(e: ir.Expression, cell: Cell, compiler: Expressions, key: Key) -> Any:
    names = (variable.number for variable, _ in cell.binders)
    bound = dict(zip(names, key, strict=False))
    return compiler.compile(e).run(PartialState(bound=bound, records=_records(compiler)))


def _records(compiler: Expressions) -> range:
    size = compiler.program.size
    return range(1, 1 + (0 if size is None else as_index(compiler.constant(size))))
