"""Planes in the persistent noises at which the chances of the first steps have kinks: quadrature is split there.

`first_step_kinks(program, plan) -> tuple[Kink, ...]`, the strongest first. A comparison reads plain value + factors *
persistent noises + scale * fresh noise. Its chance jumps where the fresh noise would have to be at one of its points,
and has a kink where its density is not smooth. Plain values are taken from sampled streams of data: what a plane is
worth falls with how rare its value is, and with how far the persistent noises must go. A plane too many costs some
nodes, one too few accuracy (which the comparison of two orders shows); neither is an error.
"""

from __future__ import annotations

import math

import numpy as np

from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.arrays.values import CannotVectorise
from seqlang.backends.interpret.values import EvaluationError
from seqlang.backends.solve.noises.scalar_law import Array
from seqlang.backends.solve.quadrature.nodes import Kink
from seqlang.backends.solve.quadrature.sampled_streams import followed, on_nodes
from seqlang.backends.solve.step.body import Stage
from seqlang.backends.solve.step.comparisons import CompiledComparison
from seqlang.backends.solve.step.entries import Entry, columns_of, entries
from seqlang.backends.solve.step.integration_plan import IntegrationPlan, NoisyComparison
from seqlang.backends.solve.step.steady import SteadyCompiler
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.program import Program

STREAMS = 200
"""Sampled streams: a value that fewer than one run in 200 meets is mostly missed."""
STEPS = 12
"""Steps that are followed: later values are spread so that each is rare."""
LATER_STEPS = 160
"""Steps that are followed where a comparison reads the step: what it compares may first be near in a later one."""
LATER_SHARE = 0.01
"""What is first met after STEPS steps counts by this part: of so many values each one hardly matters."""
MOST = {1: 400, 2: 20, 3: 2}
"""Planes that are kept, by the number of persistent noises with a density: each plane splits every axis."""
WEAK = {1: 1e-9, 2: 1e-3, 3: 1e-2}
"""The worth below which a plane is left out, by the number of persistent noises with a density."""
JUMP = 30.0
"""How much more a jump is worth than a kink."""


def first_step_kinks(program: Program, plan: IntegrationPlan) -> tuple[Kink, ...]:
    """None where the data have a density, or the first steps cannot be followed without the noises."""
    smooth = [name for name in plan.nodes if not plan.laws[name].discrete]
    if not smooth:
        return ()
    try:
        with np.errstate(all="ignore"):
            worth = _worth(program, plan)
    except (Unsolved, CannotVectorise, EvaluationError, KeyError, ArithmeticError, ValueError, TypeError):
        return ()
    size = min(len(smooth), 3)
    strong = [found for found in worth.values() if found[1] > WEAK[size]]
    return tuple(kink for kink, _ in sorted(strong, key=lambda found: -found[1])[: MOST[size]])


Worth = dict[tuple[object, ...], tuple[Kink, float]]
"""By the place of a plane: the plane (a jump must be met exactly), and its worth."""


def _worth(program: Program, plan: IntegrationPlan) -> Worth:
    compiler = SteadyCompiler(program)
    comparisons = [CompiledComparison(c, plan, compiler) for c in plan.comparisons.values() if _matters(c, plan)]
    if not comparisons:
        return {}
    draws = _Draws(program, compiler)
    worth: Worth = {}
    steps = LATER_STEPS if plan.needed.reads_step else STEPS
    for step, stage in followed(program, plan, compiler, STREAMS, steps, draws.draw):
        for compared in comparisons:
            _add(worth, compared, stage, plan, 1.0 if step <= STEPS else LATER_SHARE)
    return worth


def _matters(comparison: NoisyComparison, plan: IntegrationPlan) -> bool:
    if not on_nodes(comparison, plan) or comparison.variable is None:
        return on_nodes(comparison, plan)
    law = plan.variables[comparison.variable].law
    return bool(law.discrete or law.kinks)


def _add(worth: Worth, compared: CompiledComparison, stage: Stage, plan: IntegrationPlan, share: float) -> None:
    """The planes of one comparison in one step, whose worth counts by this share."""
    value = np.broadcast_to(stage.numbers(compared.value), (stage.count,))
    names = [name for name, _ in compared.known]
    factors = [np.broadcast_to(stage.numbers(run), (stage.count,)) for _, run in compared.known]
    scale = np.zeros(1) if compared.scale is None else stage.numbers(compared.scale)
    points, chances = _points(compared, plan)
    table = np.column_stack([*factors, value, np.broadcast_to(scale, (stage.count,))])
    sizes = np.abs(table).max(axis=0, initial=0.0, where=np.isfinite(table))
    parts = np.round(table / np.where(sizes > 0, sizes, 1.0), 12)
    _, first, counts = np.unique(parts, axis=0, return_index=True, return_counts=True)
    table = table[first]
    spread = [plan.laws[name].scale for name in names]
    centres = [plan.laws[name].centre for name in names]
    for row, count in zip(table, counts, strict=True):
        slopes = row[: len(names)]
        width = math.hypot(*(slopes * spread))
        if not width > 0 or not np.all(np.isfinite(row)):
            continue
        constants = row[-2] + row[-1] * points
        far = np.abs(constants + float(slopes @ centres)) / width
        some = share * count / STREAMS * chances * np.exp(-far)
        for constant, weight in zip(constants, some, strict=True):
            if slopes[0]:
                # one way to write a plane
                one = {n: float(s / slopes[0]) for n, s in zip(names, slopes, strict=True) if s}
                plane = Kink(one, float(constant / slopes[0]))
                kink, before = worth.get(plane.place(plan.laws), (plane, 0.0))
                worth[plane.place(plan.laws)] = (kink, before + float(weight))


def _points(compared: CompiledComparison, plan: IntegrationPlan) -> tuple[Array, Array]:
    """The values of the fresh noise at which the chance jumps or has a kink, and what each is worth."""
    if compared.comparison.variable is None:
        return np.zeros(1), np.full(1, JUMP)
    law = plan.variables[compared.comparison.variable].law
    if law.discrete:
        points, chances = law.atoms(1e-12)
        return points, JUMP * chances
    kinks = np.asarray(law.kinks)
    return kinks, np.ones(len(kinks))


class _Draws:
    """Entries of the first model whose laws are discrete."""

    def __init__(self, program: Program, compiler: VectorCompiler) -> None:
        self.listed: tuple[Entry, ...] = ()
        for model in program.models:
            try:
                self.listed, _ = entries(program, model.name)
                break
            except (Unsolved, EvaluationError):
                continue
        if not self.listed:
            raise Unsolved("no data with listed values")
        self.chances = np.array([e.chance for e in self.listed])
        self.random = np.random.default_rng(7)
        self.columns = columns_of((e.fields for e in self.listed), self.listed[0].fields, compiler.labels)

    def draw(self, step: int) -> dict[str, Array]:
        chosen = self.random.choice(len(self.listed), STREAMS, p=self.chances / self.chances.sum())
        return {name: values[..., chosen] for name, values in self.columns.items()}
