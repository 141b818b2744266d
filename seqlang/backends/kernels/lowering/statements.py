"""The statements of a step as operations of a kernel."""

from __future__ import annotations

from typing import assert_never

from seqlang.backends.kernels.lowering.expressions import value_of
from seqlang.backends.kernels.lowering.laws.drawing import draw
from seqlang.backends.kernels.lowering.laws.expressions import law_of
from seqlang.backends.kernels.lowering.scope import Scope, array_in, array_of
from seqlang.backends.kernels.lowering.values import CannotCompile, List, Scalar, Value, scalar
from seqlang.backends.kernels.lowering.writer import Item
from seqlang.backends.kernels.operations import ZERO, Leave, Output
from seqlang.model import expression as ir
from seqlang.model.life import EachReport, EachStep, Once
from seqlang.model.program import Cell, Define, Draw, Report, Statement, Stop, Update
from seqlang.source import NOWHERE


def count_of(report: str) -> str:
    """The variable that counts how often a report was made."""
    return f"count_{report}"


class Statements:
    """Writes statements in the order of the body. `outputs` are the statistics and `released` the reported values that
    are written down when a run ends; `returns` is the number of numbers that a stop returns, `vectors`: as a vector."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.program = scope.program
        self.writer = scope.writer
        self.returns = 0
        self.vectors = False
        self.outputs: dict[str, Output] = {}
        self.released: dict[str, Output] = {}

    def write(self, statement: Statement, before: dict[str, str]) -> None:
        """`before` names, of each report, whether it was made in the step before."""
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
        w.assign(count_of(report.name), f"{count_of(report.name)} + (1.0 if {fired} else 0.0)")
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
