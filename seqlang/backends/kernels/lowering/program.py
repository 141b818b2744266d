"""From a program to the operations of a kernel."""

from __future__ import annotations

from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.kernels.lowering.cells.choice import cell_of
from seqlang.backends.kernels.lowering.cells.earlier_values import PreviousValue
from seqlang.backends.kernels.lowering.expressions import value_of
from seqlang.backends.kernels.lowering.noises import Noises
from seqlang.backends.kernels.lowering.scope import Last, Scope, Site, array_of
from seqlang.backends.kernels.lowering.statements import Statements, count_of
from seqlang.backends.kernels.lowering.values import List, Scalar
from seqlang.backends.kernels.operations import Block, Kernel, Recorded
from seqlang.model.program import Cell, Program, Report
from seqlang.record import record


class Entries(Protocol):
    """Where a kernel takes its inputs from."""

    def records(self, scope: Scope) -> None:
        """Writes what is done before the first step."""

    def entry(self, scope: Scope) -> None:
        """Writes what is done at the start of every step."""


@record
class Lowered:
    """`constants` are the numbers of this program for its kernel; `sites` name the faults that the kernel reports by
    number (from 1), `outside` those where a field left its domain. `returns_number`: what is returned is one number,
    not a vector. `last`: the last step that it makes; None: there is none."""

    kernel: Kernel
    constants: NDArray[np.float64]
    sites: tuple[Site, ...]
    outside: frozenset[int]
    returns_number: bool
    scope: Scope
    last: Last | None


def lower(program: Program, entries: Entries) -> Lowered:
    """The kernel of a program. Raises CannotCompile, and EvaluationError where a constant has no value."""
    scope = Scope(program)
    scope.value_of = partial(value_of, scope)
    w = scope.writer
    scope.noises = noises = Noises(scope)
    _declare(scope)
    entries.records(scope)
    noises.start()
    start = w.take()
    before = _open(scope)
    entries.entry(scope)
    noises.begin(before)
    noises.subsamples()
    for cell in scope.cells.values():
        cell.begin(before)
    statements = Statements(scope)
    for statement in program.body:
        statements.write(statement, before)
    step = w.take()
    if scope.resets:
        start = (Block(tuple(scope.resets)), *start)
    reports = tuple(map(count_of, program.report_names))
    recorded = Recorded(
        tuple(statements.outputs.values()), tuple(statements.released.values()), reports, statements.returns
    )
    header = (*scope.constants.header, *w.header)
    kernel = Kernel(header, tuple(scope.variables), start, step, recorded)
    return Lowered(
        kernel,
        scope.constants.array(),
        tuple(scope.sites),
        frozenset(scope.outside),
        not statements.vectors,
        scope,
        scope.last,
    )


def _declare(scope: Scope) -> None:
    """Memories, reports and cells."""
    for memory in scope.program.memories:
        initial = value_of(scope, memory.initial)
        if isinstance(initial, List):
            dimensions, kind, _ = scope.outline(initial)
            name = scope.buffer(dimensions, kind, "memory")
            scope.memory[memory.name] = array_of(name, dimensions, kind, False)
            scope.copy(initial, name)
        else:
            name = scope.variable(initial.text, initial.kind, f"memory_{memory.name}")
            scope.memory[memory.name] = Scalar(name, initial.kind, False)
    for statement in scope.program.body:
        if isinstance(statement, Report):
            scope.fired[statement.name] = scope.variable("False", "truth", f"fired_{statement.name}")
            scope.variable("0.0", "number", count_of(statement.name))
    for statement in scope.program.body:
        if isinstance(statement, Cell):
            scope.cells[statement.name] = cell = cell_of(scope, statement)
            if isinstance(cell, PreviousValue) and cell.list is not None:
                cell.start()


def _open(scope: Scope) -> dict[str, str]:
    """What the last step's reports do at the start of a new one: name -> whether it was made."""
    w = scope.writer
    before = {}
    for name, fired in scope.fired.items():
        before[name] = w.assign(w.fresh(), fired, "truth")
        w.assign(fired, "False", "truth")
        scope.released[name] = Scalar(fired, "truth")
    for statement in scope.program.body:
        if isinstance(statement, Report) and statement.value is not None:
            scope.released[statement.name] = Scalar("math.nan", "number", False)
    return before
