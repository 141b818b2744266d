"""Reads the one private number of a program and the way in which it moves.

The number is a sum over all steps (`mean` is the sum / step), or the value g of a recursion
`g = max(low, previous(g, start) + increment)`, also with `min`, `clip` or no bound at all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction

import numpy as np

from seqlang.backends.solve.mesh.increments import Constants, Increments, increments_of
from seqlang.backends.solve.solution import Array
from seqlang.backends.solve.step.integration_plan import IntegrationPlan, NoisyComparison
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model import expression as ir
from seqlang.model import program as p
from seqlang.model.life import EachReport, Once
from seqlang.operators.groups import ADDED
from seqlang.record import record, replace


@record
class Reading:
    """`program` is the program to ask for chances: there the cell holds the number *after* the step.

    `start`, `floor` and `ceiling` are those of the number. `increment` is the expression of one entry.
    """

    program: p.Program
    increments: Increments
    increment: ir.Expression
    start: float
    floor: float
    ceiling: float
    sums: tuple[str, ...]
    means: tuple[str, ...]
    counts: tuple[tuple[str, float, float], ...]
    constants: Constants

    def cells(self, numbers: Array, step: int) -> dict[str, Array]:
        """The cells when the private number is one of these."""
        found = dict.fromkeys(self.sums, numbers) | dict.fromkeys(self.means, numbers / step)
        for name, once, each in self.counts:
            found[name] = np.full(numbers.shape, once + each * step)
        return found

    def forced(self, entry: Mapping[str, float]) -> float:
        """The increment of a given entry."""
        body = self.increment

        def given(e: ir.Expression) -> ir.Expression:
            if isinstance(e, ir.Field):
                return ir.Number(Fraction(entry[e.name]))
            return ir.rebuild(e, given)

        return float(self.constants(given(body)))


def inlined(program: p.Program, e: ir.Expression, keep: str | None = None) -> ir.Expression:
    """The expression with definitions put in for their names (except `keep`)."""

    def change(x: ir.Expression) -> ir.Expression:
        if isinstance(x, ir.Local) and x.name != keep:
            return change(program.define(x.name).expression)
        return ir.rebuild(x, change)

    return change(e)


def cells_of(program: p.Program, plan: IntegrationPlan) -> list[str]:
    """The cells that the stops depend on."""
    return [s.name for i, s in enumerate(program.body) if i in plan.needed.statements and isinstance(s, p.Cell)]


def read(program: p.Program, model: str, needed: Iterable[str] | None = None) -> Reading:
    """Raises Unsolved where the private state is something else. `needed`: the cells that the stops depend on."""
    cells = [s for s in program.body if isinstance(s, p.Cell) and (needed is None or s.name in set(needed))]
    if any(isinstance(s, (p.Report, p.Update, p.Draw)) for s in program.body):
        raise Unsolved("reports, memories or draws beside a sum of continuous data")
    if any(c.binders or c.where is not None for c in cells):
        raise Unsolved("a sum of continuous data over chosen steps or several elements")
    if any(isinstance(c.keep, p.Previous) for c in cells):
        return _recursion(program, model, cells)
    return _sum(program, model, cells)


def _sum(program: p.Program, model: str, cells: list[p.Cell]) -> Reading:
    constants = Constants(program)
    sums: list[str] = []
    means: list[str] = []
    counts: list[tuple[str, float, float]] = []
    bodies: dict[ir.Expression, None] = {}
    for cell in cells:
        if not isinstance(cell.keep, p.AllSteps) or cell.operator not in ADDED:
            raise Unsolved(f"{cell.operator} of continuous data, which is not a sum over all steps")
        body = inlined(program, cell.body)
        if any(isinstance(x, ir.StepNumber) for x in ir.walk(body)):
            raise Unsolved("increments that depend on the step")
        if not any(isinstance(x, ir.Field) for x in ir.walk(body)):
            counts.append(_count(cell, constants(body)))
            continue
        if cell.operator == "count":
            raise Unsolved("a count beside continuous data")
        bodies[body] = None
        (sums if cell.operator == "sum" else means).append(cell.name)
    if len(bodies) != 1:
        raise Unsolved("several sums of continuous data" if bodies else "no sum of continuous data")
    (body,) = bodies
    found = increments_of(program, model, body, constants)
    return Reading(
        program, found, body, 0.0, -math.inf, math.inf, tuple(sums), tuple(means), tuple(counts), constants
    )  # fmt: skip


def _recursion(program: p.Program, model: str, cells: list[p.Cell]) -> Reading:
    constants = Constants(program)
    (cell, *others) = [c for c in cells if isinstance(c.keep, p.Previous)]
    counts: list[tuple[str, float, float]] = []
    for other in cells:
        if other is cell:
            continue
        body = inlined(program, other.body)
        if (
            others
            or not isinstance(other.keep, p.AllSteps)
            or any(isinstance(x, (ir.Field, ir.StepNumber, ir.CellValue)) for x in ir.walk(body))
        ):
            raise Unsolved("a recursion beside other statistics")
        counts.append(_count(other, constants(body)))
    old = ir.CellValue(cell.name)
    if not isinstance(cell.body, ir.Local):
        raise Unsolved("a recursion whose value has no name")
    name = cell.body.name
    floor, ceiling, increment = _folded(inlined(program, cell.body), old, constants)
    if any(isinstance(x, ir.StepNumber) for x in ir.walk(increment)):
        raise Unsolved("increments that depend on the step")
    for statement in program.body:
        if isinstance(statement, p.Stop):
            for e in (statement.when, statement.result):
                if e is not None and old in ir.walk(inlined(program, e, name)):
                    raise Unsolved("a stop that reads the value before the step")
    statements = tuple(
        replace(s, expression=old) if isinstance(s, p.Define) and s.name == name else s for s in program.body
    )
    assert isinstance(cell.keep, p.Previous)
    return Reading(
        replace(program, body=statements), increments_of(program, model, increment, constants), increment,
        float(constants(cell.keep.initial)), floor, ceiling, (cell.name,), (), tuple(counts), constants,
    )  # fmt: skip


def _count(cell: p.Cell, value: float) -> tuple[str, float, float]:
    """A cell that takes this constant in each step: its name, and a and b of its value a + b * step."""
    return (cell.name, float(value), 0.0) if cell.operator == "mean" else (cell.name, 0.0, float(value))


def _folded(e: ir.Expression, old: ir.Expression, constants: Constants) -> tuple[float, float, ir.Expression]:
    """(floor, ceiling, increment) of max(floor, min(ceiling, old + increment)), the bounds in any order."""

    def reads(x: ir.Expression) -> bool:
        return old in ir.walk(x)

    def constant(x: ir.Expression) -> float:
        if any(isinstance(y, (ir.Field, ir.StepNumber)) for y in ir.walk(x)):
            raise Unsolved("a recursion with a bound that changes")
        return float(constants(x))

    match e:
        case ir.Apply("max" | "min" as operator, (_, _, *_)):
            inner = [a for a in e.arguments if reads(a)]
            if len(inner) != 1:
                raise Unsolved("a recursion that reads its value twice")
            bounds = [constant(a) for a in e.arguments if not reads(a)]
            floor, ceiling, increment = _folded(inner[0], old, constants)
            if operator == "max":
                return max(floor, *bounds), max(ceiling, *bounds), increment
            return min(floor, *bounds), min(ceiling, *bounds), increment
        case ir.Apply("clip", (a, low, high)) if reads(a):
            floor, ceiling, increment = _folded(a, old, constants)
            least, most = constant(low), constant(high)
            return min(max(floor, least), most), min(max(ceiling, least), most), increment
        case _:
            return -math.inf, math.inf, _without(e, old)


def _without(e: ir.Expression, old: ir.Expression) -> ir.Expression:
    """The increment i of an expression old + i."""
    if e == old:
        return ir.Number(Fraction(0))
    match e:
        case ir.Apply("+" | "-" as operator, (a, b)) if old in ir.walk(a) and old not in ir.walk(b):
            return ir.Apply(operator, (_without(a, old), b))
        case ir.Apply("+", (a, b)) if old in ir.walk(b) and old not in ir.walk(a):
            return ir.Apply("+", (a, _without(b, old)))
        case _:
            raise Unsolved("a recursion that is not its value plus an increment, bounded")


def with_nodes(plan: IntegrationPlan, program: p.Program) -> IntegrationPlan:
    """The plan with nodes for every noise that is drawn once, also where it is the only noise of a comparison."""
    kept = {name: v for name, v in plan.variables.items() if isinstance(v.life, Once)}
    if not kept or not plan.only_stops or plan.enumerated or program.memories:
        raise Unsolved("continuous data in a program that does more than stop")
    if any(isinstance(plan.lives[name], EachReport) for name in plan.nodes):
        raise Unsolved("noise that is drawn again beside continuous data")
    comparisons = {}
    for margin, comparison in plan.comparisons.items():
        if comparison.variable in kept and comparison.scale is not None:
            terms = tuple(
                ir.Term(name, ir.Apply("*", (comparison.scale, ir.Number(Fraction(factor)))))
                for name, factor in kept[comparison.variable].terms
            )
            comparison = NoisyComparison(margin, comparison.known + terms, None, None)
        comparisons[margin] = comparison
    nodes = tuple(dict.fromkeys((*plan.nodes, *(name for v in kept.values() for name, _ in v.terms))))
    variables = {name: v for name, v in plan.variables.items() if name not in kept}
    return replace(plan, nodes=nodes, variables=variables, comparisons=comparisons, simple=True)
