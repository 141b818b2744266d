"""From a program to the operations of a kernel."""

from __future__ import annotations

from functools import partial
from typing import Protocol, assert_never

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.kernels.lowering.cells.choice import cell_of
from seqlang.backends.kernels.lowering.cells.earlier_values import PreviousValue
from seqlang.backends.kernels.lowering.expressions import value_of
from seqlang.backends.kernels.lowering.laws.drawing import draw
from seqlang.backends.kernels.lowering.laws.expressions import law_of
from seqlang.backends.kernels.lowering.noises import Noises
from seqlang.backends.kernels.lowering.scope import Scope, Site, array_in, array_of
from seqlang.backends.kernels.lowering.values import CannotCompile, List, Scalar, Value, scalar
from seqlang.backends.kernels.lowering.writer import Item
from seqlang.backends.kernels.operations import ZERO, Block, Kernel, Leave, Output, Recorded
from seqlang.model import expression as ir
from seqlang.model.life import EachReport, EachStep, Once
from seqlang.model.program import Cell, Define, Draw, Program, Report, Statement, Stop, Update
from seqlang.record import record
from seqlang.source import NOWHERE


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
    not a vector."""

    kernel: Kernel
    constants: NDArray[np.float64]
    sites: tuple[Site, ...]
    outside: frozenset[int]
    returns_number: bool
    scope: Scope


def lower(program: Program, entries: Entries) -> Lowered:
    """The kernel of a program. Raises CannotCompile, and EvaluationError where a constant has no value."""
    scope = Scope(program)
    scope.value_of = partial(value_of, scope)
    lowering = _Lowering(scope)
    return lowering.whole(entries)


class _Lowering:
    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.program = scope.program
        self.writer = scope.writer
        self.returns = 0
        self.vectors = False
        self.outputs: dict[str, Output] = {}
        self.released: dict[str, Output] = {}

    def whole(self, entries: Entries) -> Lowered:
        scope, w = self.scope, self.writer
        scope.noises = noises = Noises(scope)
        self._declare()
        entries.records(scope)
        noises.start()
        start = w.take()
        before = self._open()
        entries.entry(scope)
        noises.begin(before)
        noises.subsamples()
        for cell in scope.cells.values():
            cell.begin(before)
        for statement in self.program.body:
            self._statement(statement, before)
        step = w.take()
        if scope.resets:
            start = (Block(tuple(scope.resets)), *start)
        reports = tuple(map(self._count, self.program.report_names))
        recorded = Recorded(tuple(self.outputs.values()), tuple(self.released.values()), reports, self.returns)
        header = (*scope.constants.header, *w.header)
        kernel = Kernel(header, tuple(scope.variables), start, step, recorded)
        return Lowered(
            kernel, scope.constants.array(), tuple(scope.sites), frozenset(scope.outside), not self.vectors, scope
        )

    # ---- variables

    def _count(self, report: str) -> str:
        return f"count_{report}"

    def _declare(self) -> None:
        """Memories, reports and cells."""
        scope = self.scope
        for memory in self.program.memories:
            initial = value_of(scope, memory.initial)
            if isinstance(initial, List):
                dimensions, kind, _ = scope.outline(initial)
                name = scope.buffer(dimensions, kind, "memory")
                scope.memory[memory.name] = array_of(name, dimensions, kind, False)
                scope.copy(initial, name)
            else:
                name = scope.variable(initial.text, initial.kind, f"memory_{memory.name}")
                scope.memory[memory.name] = Scalar(name, initial.kind, False)
        for statement in self.program.body:
            if isinstance(statement, Report):
                scope.fired[statement.name] = scope.variable("False", "truth", f"fired_{statement.name}")
                scope.variable("0.0", "number", self._count(statement.name))
        for statement in self.program.body:
            if isinstance(statement, Cell):
                scope.cells[statement.name] = cell = cell_of(scope, statement)
                if isinstance(cell, PreviousValue) and cell.list is not None:
                    cell.start()

    def _open(self) -> dict[str, str]:
        """What the last step's reports do at the start of a new one: name -> whether it was made."""
        w, scope = self.writer, self.scope
        before = {}
        for name, fired in scope.fired.items():
            before[name] = w.assign(w.fresh(), fired, "truth")
            w.assign(fired, "False", "truth")
            scope.released[name] = Scalar(fired, "truth")
        for statement in self.program.body:
            if isinstance(statement, Report) and statement.value is not None:
                scope.released[statement.name] = Scalar("math.nan", "number", False)
        return before

    # ---- statements

    def _statement(self, statement: Statement, before: dict[str, str]) -> None:
        match statement:
            case Define():
                self._define(statement)
            case Cell(name):
                self.scope.cells[name].tick()
            case Draw():
                self._draw(statement, before)
            case Report():
                self._report(statement)
            case Update():
                self._update(statement)
            case Stop():
                self._stop(statement)
            case _:
                assert_never(statement)

    def _define(self, define: Define) -> None:
        scope = self.scope
        value = value_of(scope, define.expression)
        if isinstance(value, List):
            if not value.grows:
                value = scope.stored(value, f"`{define.name}`", define.span)
        else:
            value = scope.named(scalar(scope.checked(value, f"`{define.name}`", define.span), "a value"))
        scope.locals[define.name] = value
        if define.kind == "statistic":
            self._output(define.name, value)

    def _output(self, name: str, value: Value) -> None:
        """A statistic is written down when the run ends; where a stop stands above it, with its last value."""
        scope, w = self.scope, self.writer
        early = self._above_stop(name)
        if isinstance(value, List):
            dimensions = scope.outline(value)[0] if not value.grows else ()
            if len(dimensions) != 1:
                return
            length = scope.constants.length(dimensions[0])
            array = array_in(value)
            kind = scalar(value.at("0"), "a coordinate").kind
            if early:
                kept = scope.buffer(dimensions)
                scope.resets.append(f"{kept}[:] = math.nan")
                scope.move(array, kept, dimensions)
                array = kept
            text = f"{array}[q]" if kind == "number" or early else f"float({array}[q])"
            self.outputs[name] = Output(name, text, length)
            return
        if value.kind == "label":
            return
        if early:
            text = w.assign(scope.variable("math.nan", "number", f"last_{name}"), value.number)
        else:
            text = w.named(value.number)
        self.outputs[name] = Output(name, text, None)

    def _above_stop(self, name: str) -> bool:
        for statement in self.program.body:
            if isinstance(statement, Define) and statement.name == name:
                return False
            if isinstance(statement, Stop):
                return True
        return False

    def _draw(self, statement: Draw, before: dict[str, str]) -> None:
        scope, w = self.scope, self.writer
        scope.purpose = "noise"
        match statement.life:
            case EachStep():
                value = draw(scope, law_of(scope, statement.law), ())
                scope.draws[statement.name] = (
                    scope.stored(value, "a draw") if isinstance(value, List) else scope.named(value)
                )
                return
            case Once():
                now = w.assign(w.fresh(), "step == 1", "truth")
            case EachReport(report):
                now = w.assign(w.fresh(), f"step == 1 or {before[report]}", "truth")
            case _:
                assert_never(statement.life)
        items, value = w.capture(lambda: draw(scope, law_of(scope, statement.law), ()))
        if isinstance(value, List):
            raise CannotCompile("a drawn vector that is kept")
        name = scope.variable(ZERO[value.kind], value.kind)
        w.guarded(now, items, name, value.text)
        scope.draws[statement.name] = Scalar(name, value.kind, value.finite)

    def _where(self, when: ir.Expression | None) -> str | None:
        """The name of a condition; None where it always holds."""
        if when is None:
            return None
        test = scalar(value_of(self.scope, when), "a condition").truth
        return None if test == "True" else self.writer.named(test, "truth")

    def _report(self, report: Report) -> None:
        scope, w = self.scope, self.writer
        where, fired = self._where(report.when), scope.fired[report.name]
        w.assign(fired, where or "True", "truth")
        w.assign(self._count(report.name), f"{self._count(report.name)} + (1.0 if {fired} else 0.0)")
        shown = report.value
        if shown is None:
            scope.released[report.name] = Scalar(fired, "truth")
            return
        items, value = w.capture(lambda: scope.checked(value_of(scope, shown), f"`{report.name}`", report.span))
        if isinstance(value, List):
            self._report_vector(report, value, items, fired)
            return
        if value.kind == "label":
            raise CannotCompile("a label as a reported value")
        kept = scope.variable("math.nan", "number", f"last_{report.name}")
        w.guarded(where and fired, items, kept, value.number)
        text = kept if where is None else w.assign(w.fresh(), f"({kept} if {fired} else math.nan)")
        scope.released[report.name] = (
            Scalar(text, "number", value.finite and where is None)
            if value.kind == "number"
            else Scalar(f"({text} == 1.0)", "truth")
        )
        self.released[report.name] = Output(report.name, kept, None)

    def _report_vector(self, report: Report, value: List, items: list[Item], fired: str) -> None:
        scope, w = self.scope, self.writer
        dimensions, kind, finite = scope.outline(value)
        name = scope.buffer(dimensions, "number", "report")
        scope.resets.append(f"{name}[:] = math.nan")
        with w.block(f"if {fired}:"):
            w.put(items)
            scope.copy(value, name, () if finite else (f"`{report.name}`", report.span))
        scope.released[report.name] = array_of(name, dimensions, "number", False)
        if kind == "number" and len(dimensions) == 1:
            length = scope.constants.length(dimensions[0])
            self.released[report.name] = Output(report.name, f"{name}[q]", length)

    def _update(self, update: Update) -> None:
        scope, w = self.scope, self.writer
        where = self._where(update.when)
        memory = scope.memory[update.memory]
        what = f"`{update.memory}`"
        if isinstance(memory, List):
            array = array_in(memory)
            dimensions = scope.outline(memory)[0]
            later = scope.buffer(dimensions, "number")
            with w.where(where):
                new = value_of(scope, update.value)
                if isinstance(new, Scalar):
                    raise CannotCompile("a number in a memory of vectors")
                scope.copy(new, later, (what, update.span))
                scope.move(later, array, dimensions)
            return
        items, found = w.capture(lambda: scope.checked(value_of(scope, update.value), what, update.span))
        value = scalar(found, "a memory")
        w.guarded(where, items, memory.text, value.text if value.kind == memory.kind else value.number)

    def _stop(self, stop: Stop) -> None:
        scope, w = self.scope, self.writer
        where = self._where(stop.when)
        if where in ("False",):
            return
        code = "-1"
        values: tuple[str, ...] = ()
        result = stop.result
        if result is not None:
            items, value = w.capture(lambda: scope.checked(value_of(scope, result), "the return value", stop.span))
            w.guarded(where, items)
            if isinstance(value, List):
                self._returned_vector(where, value)
                return
            if value.kind == "label":
                code = value.text
            else:
                values = (value.number,)
                self.returns = max(self.returns, 1)
        w.leave(Leave(where, code, values))

    def _returned_vector(self, where: str | None, value: List) -> None:
        scope, w = self.scope, self.writer
        dimensions = scope.outline(value)[0]
        if len(dimensions) != 1:
            raise CannotCompile("a list of vectors as a return value")
        length = scope.constants.length(dimensions[0])
        name = scope.buffer(dimensions)
        with w.where(where):
            scope.copy(value, name, ("the return value", NOWHERE))
        self.returns, self.vectors = length, True
        w.leave(Leave(where, "-1", (f"{name}[q]",)))
