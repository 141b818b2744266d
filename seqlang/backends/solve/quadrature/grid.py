"""The quadrature nodes of all persistent noises: the axis theta of every array in this solver.

The noises of one life (drawn once, or anew after one report) are a group of their own, as the end of a life draws its
noises anew and leaves the others as they are.

For others: `grid_of(program, plan, level) -> Grid` with `values[name]`, `weights` of shape (theta,);
`first_level(plan)`: a level that is cheap.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count

import numpy as np

from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.arrays.values import CannotVectorise
from seqlang.backends.solve.quadrature.first_step_kinks import first_step_kinks
from seqlang.backends.solve.quadrature.nodes import Kink, nodes, start
from seqlang.backends.solve.quadrature.steep_planes import steep_planes
from seqlang.backends.solve.solution import Array
from seqlang.backends.solve.step.body import Given, Stage
from seqlang.backends.solve.step.comparisons import CompiledComparison, Known, Panel
from seqlang.backends.solve.step.integration_plan import IntegrationPlan
from seqlang.backends.solve.step.steady import SteadyCompiler
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.expression import CellValue, Field, MemoryValue
from seqlang.model.kinding import Kinds
from seqlang.model.kinds import NUMBER
from seqlang.model.life import EachReport, EachStep, Life
from seqlang.model.program import Cell, Define, Program
from seqlang.record import field, record, replace

GOLDEN = (5**0.5 - 1) / 2
"""The rotation of Weyl's sequence, which spreads numbers evenly."""


@record
class Group:
    """The noises of one life. `report` is None for once-noises. `weights` has one number a node of the group."""

    names: tuple[str, ...]
    report: str | None
    weights: Array


@record
class Grid:
    """The product of the groups; the last group moves fastest. Without persistent noises: one node of weight 1.
    `inner` and `inner_weights` are the nodes of fresh noises, used up in every step."""

    values: Mapping[str, Array]
    weights: Array
    groups: tuple[Group, ...]
    inner: Mapping[str, Array]
    inner_weights: Array
    exact: bool
    ends: Mapping[str, tuple[Array, Array]] = field(default_factory=dict)
    """Where nodes stand for panels: the ends of the panels of those noises, (theta,) each; of noises in `inner` too."""

    def known(self) -> Known:
        """What is known of each noise that lasts, for the comparisons."""
        return {
            name: Panel(*(end[:, None] for end in self.ends[name])) if name in self.ends else np.asarray(value)[:, None]
            for name, value in self.values.items()
        }

    def known_inner(self, place: int) -> Known:
        """The same of the fresh noises, at one of their nodes."""
        return {
            name: Panel(*(np.full((1, 1), end[place]) for end in self.ends[name]))
            if name in self.ends
            else np.full((1, 1), value[place])
            for name, value in self.inner.items()
        }


def common(grid: Grid, rare: float) -> tuple[Grid, float]:
    """The grid without the nodes of least weight, and their total weight, which is at most `rare`. In two dimensions
    they are half of the work."""
    order = np.argsort(grid.weights)
    rising = np.cumsum(grid.weights[order])
    first = int(np.searchsorted(rising, rare, side="right"))
    if first == 0:
        return grid, 0.0
    keep = np.sort(order[first:])
    values = {name: value[keep] for name, value in grid.values.items()}
    return replace(grid, values=values, weights=grid.weights[keep]), float(rising[first - 1])


def grid_of(
    program: Program,
    plan: IntegrationPlan,
    level: int,
    more: tuple[Kink, ...] = (),
    kinks: tuple[Kink, ...] | None = None,
) -> Grid:
    """The nodes of `plan.nodes` at that level of `nodes.nodes`; `more` kinks that the space knows of. `kinks` are what
    `kinks_of` says, for all levels the same."""
    kinks = (*(kinks_of(program, plan) if kinks is None else kinks), *more)
    values: dict[str, Array] = {}
    weights = np.ones(1)
    groups: list[Group] = []
    exact = True
    for names in by_life(plan):
        made = nodes({n: plan.laws[n] for n in names}, _within(kinks, names), level)
        values = {n: np.repeat(v, made.count) for n, v in values.items()}
        values |= {n: np.tile(made.values[n], len(weights)) for n in names}
        weights = np.repeat(weights, made.count) * np.tile(made.weights, len(weights))
        life = plan.lives[names[0]]
        report = life.report if isinstance(life, EachReport) else None
        groups.append(Group(names, report, np.asarray(made.weights)))
        exact &= made.exact
    inner: Mapping[str, Array] = {}
    inner_weights = np.ones(1)
    if plan.inner:
        fresh = nodes({n: plan.laws[n] for n in plan.inner}, (), level)
        inner, inner_weights, exact = fresh.values, np.asarray(fresh.weights), exact and fresh.exact
    return Grid(values, weights, tuple(groups), inner, inner_weights, exact)


def first_level(plan: IntegrationPlan) -> int:
    """A level to begin with."""
    groups = [*by_life(plan), *([plan.inner] if plan.inner else [])]
    return min((start({n: plan.laws[n] for n in names}) for names in groups), default=0)


def by_life(plan: IntegrationPlan) -> list[tuple[str, ...]]:
    """The noises of the plan that have nodes, those of one life together."""
    groups: dict[Life, list[str]] = {}
    for name in plan.nodes:
        groups.setdefault(plan.lives[name], []).append(name)
    return [tuple(names) for names in groups.values()]


def _within(kinks: tuple[Kink, ...], names: tuple[str, ...]) -> list[Kink]:
    return [k for k in kinks if set(k.factors) <= set(names)]


def kinks_of(program: Program, plan: IntegrationPlan) -> tuple[Kink, ...]:
    """Where two bounds on one fresh variable cross: the chance of a step is not smooth in the nodes there; and the
    kinks and steep planes of the first steps.

    Two bounds whose difference depends on the state cross at different nodes in different states; then no kink is
    known. The difference is tried on a few made-up states.
    """
    if not plan.nodes:
        return ()
    compiler = SteadyCompiler(program)
    scale = max(plan.laws[name].scale for name in plan.nodes)
    kinks: dict[tuple[object, ...], Kink] = {}
    for name, variable in plan.variables.items():
        if not isinstance(variable.life, EachStep):
            continue
        ends = [
            [_end(program, CompiledComparison(comparison, plan, compiler), compiler, step, scale) for step in (1, 7)]
            for comparison in plan.comparisons.values()
            if comparison.variable == name and all(t.noise in plan.nodes for t in comparison.known)
        ]
        for i, one in enumerate(ends):
            for other in ends[:i]:
                kink = _crossing(one, other, scale)
                if kink is not None:
                    kinks.setdefault(kink.place(plan.laws), kink)
    return (*kinks.values(), *first_step_kinks(program, plan), *steep_planes(program, plan))


End = tuple[Array, Mapping[str, Array]] | None


def _end(program: Program, compared: CompiledComparison, compiler: VectorCompiler, step: int, size: float) -> End:
    """A comparison's bound on made-up states: (constant, factor by node)."""
    stage = _made_up(program, compiler, step, size)
    try:
        with np.errstate(all="ignore"):
            for statement in program.body:
                if isinstance(statement, Define):
                    try:
                        stage.locals[statement.name] = stage.value(compiler.compile(statement.expression))
                    except (Unsolved, CannotVectorise, KeyError, ArithmeticError, ValueError):
                        continue
            assert compared.scale is not None
            scale = -stage.numbers(compared.scale)
            value = stage.numbers(compared.value) / scale
            factors = {name: stage.numbers(run) / scale for name, run in compared.known}
    except (Unsolved, CannotVectorise, KeyError, ArithmeticError, ValueError):
        return None
    return value, factors


def _made_up(program: Program, compiler: VectorCompiler, step: int, scale: float) -> Stage:
    stage = Stage(compiler, 5, strict=False)
    stage.step_number = step
    # five numbers between .1 and .9 scales for each quantity, all different (Weyl's sequence)
    numbers = (scale * (0.1 + 0.8 * (GOLDEN * np.arange(step + k, step + k + 5) % 1)) for k in count(1, 5))
    kinds = Kinds(program)  # no lists are made up: what reads one is not tried
    for one in program.inputs:
        if kinds.of(Field(one.name)) == NUMBER:
            stage.fields[one.name] = next(numbers)
    for cell in (s for s in program.body if isinstance(s, Cell)):
        if kinds.of(CellValue(cell.name)) == NUMBER or cell.binders:
            stage.cells[cell.name] = Given(5 * next(numbers))
    for memory in program.memories:
        if kinds.of(MemoryValue(memory.name)) == NUMBER:
            stage.memory[memory.name] = next(numbers)
    return stage


def _crossing(one: list[End], other: list[End], scale: float) -> Kink | None:
    constants: list[Array] = []
    factors: dict[str, list[Array]] = {}
    for first, second in zip(one, other, strict=True):
        if first is None or second is None:
            return None
        constants.append(np.atleast_1d(first[0] - second[0]))
        for name in {*first[1], *second[1]}:
            gap = np.atleast_1d(first[1].get(name, np.zeros(1)) - second[1].get(name, np.zeros(1)))
            factors.setdefault(name, []).append(gap)
    constant = _number(constants, scale)
    found = {name: _number(gaps, 1.0) for name, gaps in factors.items()}
    if constant is None or any(f is None for f in found.values()):
        return None
    kept = {name: f for name, f in found.items() if f is not None and f != 0}
    return Kink(kept, constant) if kept else None


def _number(values: list[Array], size: float) -> float | None:
    """The number that all these are, up to a small part of `size`; None if there is none."""
    whole = np.concatenate(values)
    middle = float(whole[0])
    if not np.all(np.abs(whole - middle) <= 1e-9 * max(size, abs(middle))):
        return None
    return 0.0 if abs(middle) < 1e-12 * size else middle
