"""Planes near which chances rise from 0 to 1 on a length that is small beside the persistent noises.

Next to a threshold noise of standard deviation 1000, a test with fresh noise of standard deviation 1 is nearly a step.
Rules whose nodes all lie beside that step agree with each other and are wrong. Where the fresh noise is not too small,
short panels everywhere resolve every such step. Where it is, or there is none, panels must end near the steps: streams
are drawn from every model, and where plain values of a step lie close together, compared with the persistent noises,
their planes are cuts, with further cuts around them at distances that grow geometrically.

`steep_planes(program, plan) -> tuple[Kink, ...]`. A plane too many costs nodes, and is no error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

import numpy as np

from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.arrays.values import CannotVectorise
from seqlang.backends.interpret.code import Code
from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.state import PartialState
from seqlang.backends.interpret.values import EvaluationError
from seqlang.backends.solve.noises.scalar_law import Array
from seqlang.backends.solve.quadrature.nodes import Kink
from seqlang.backends.solve.quadrature.sampled_streams import followed, on_nodes
from seqlang.backends.solve.step.body import Stage
from seqlang.backends.solve.step.comparisons import CompiledComparison
from seqlang.backends.solve.step.distinct import distinct
from seqlang.backends.solve.step.entries import columns_of, entries
from seqlang.backends.solve.step.integration_plan import IntegrationPlan
from seqlang.backends.solve.step.steady import SteadyCompiler
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.program import Model, Program

STREAMS = 24
STEPS = {1: 12, 2: 1, 3: 1}
"""Steps that are followed, by the number of persistent noises with a density."""
NARROW = 0.45
"""As a part of the persistent noises' scale: the few nodes of the first levels do not resolve a rise that is
steeper."""
RESOLVED = {1: 0.04, 2: 0.25, 3: 0.4}
"""As a part of the persistent noises' scale, by their number: fresh noise of at least this scale is resolved by short
panels everywhere."""
FINE, RARE = 2.0, 1e-12
"""The length of those panels in scales of the fresh noise; they cover all but this probability on each side."""
MOST = {1: 1500, 2: 60, 3: 12}
"""Planes that are kept, by the number of persistent noises with a density."""
MOST_CLUSTERS = 12
"""Groups of neighbouring values that are treated one by one; where there are more, they are one group."""
FLANK = 8.0
"""In scales of the fresh noise: so far from its middle the rise is over."""
INSIDE = (0.2, 0.4, 0.65)
GROWTH, LATER = 4.0, 4
"""Panels end at these parts of the length on which the rise happens. Beyond it each panel ends GROWTH times as far out
as the one before; after the first step of the program there are LATER of them on each side."""
LEAST = 1e-7
"""As a part of the persistent noises' scale: the ends nearest to a rise are at least this far from it."""


def steep_planes(program: Program, plan: IntegrationPlan) -> tuple[Kink, ...]:
    smooth = sum(not plan.laws[name].discrete for name in plan.nodes)
    comparisons = [comparison for comparison in plan.comparisons.values() if on_nodes(comparison, plan)]
    if not smooth or not comparisons:
        return ()
    compiler = SteadyCompiler(program)
    compared = [CompiledComparison(comparison, plan, compiler) for comparison in comparisons]
    found: dict[tuple[Any, ...], Kink] = {}
    for model in program.models:
        try:
            with np.errstate(all="ignore"):
                draw = _drawn(program, compiler, model)
                for step, stage in followed(program, plan, compiler, STREAMS, STEPS[min(smooth, 3)], draw):
                    for one in compared:
                        for kink in _planes(one, stage, plan, step == 1, smooth):
                            found.setdefault(kink.place(plan.laws), kink)
        except (Unsolved, CannotVectorise, EvaluationError, KeyError, ArithmeticError, ValueError, TypeError):
            continue
    return tuple(found.values())[: MOST[min(smooth, 3)]]


def _drawn(program: Program, compiler: VectorCompiler, model: Model) -> Callable[[int], dict[str, Array]]:
    """An entry for every stream, by step; of few values each is among them, however rare it is."""
    random = Random(7)
    exact = Compiler(program)
    laws = [(name, exact.compile(law)) for name, law in model.laws]

    def draw(step: int) -> dict[str, Array]:
        drawn = [_sampled(laws, step, random) for _ in range(STREAMS)]
        try:
            listed = [dict(entry.fields) for entry in entries(program, model.name, step)[0]]
        except Unsolved:
            listed = []
        if 0 < len(listed) <= STREAMS:
            drawn[: len(listed)] = listed
            random.shuffle(drawn)
        return columns_of(drawn, (name for name, _ in model.laws), compiler.labels)

    return draw


def _sampled(laws: Sequence[tuple[str, Code]], step: int, random: Random) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    state = PartialState(fields=fields, step_number=step)
    for name, law in laws:
        fields[name] = law.run(state).sample(random)
    return fields


def _planes(
    compared: CompiledComparison, stage: Stage, plan: IntegrationPlan, first: bool, smooth: int
) -> Iterator[Kink]:
    """The planes of one comparison in one step; none where its values are spread as widely as the persistent noises."""
    factors: Mapping[str, Array] = {name: stage.numbers(run) for name, run in compared.known}
    if any(np.ptp(f) > 1e-9 * np.abs(f).max() or not np.isfinite(f).all() for f in factors.values()):
        return
    slopes = {name: float(np.ravel(f)[0]) for name, f in factors.items()}
    width = float(np.sqrt(sum((f * plan.laws[name].scale) ** 2 for name, f in slopes.items())))
    values = stage.numbers(compared.value) * np.ones(1)
    fresh = 0.0
    if compared.scale is not None and compared.comparison.variable is not None:
        law = plan.variables[compared.comparison.variable].law
        if law.discrete:
            return  # its points are known kinks
        scale = stage.numbers(compared.scale)
        fresh, values = float(np.abs(scale).max()) * law.scale, values + scale * law.centre
    values = values[distinct(values)[0]]
    if not np.isfinite(values).all() or not width > 0 or not fresh < NARROW * width:
        return
    if first and fresh >= RESOLVED[min(smooth, 3)] * width:
        yield from _everywhere(slopes, float(values.mean()), fresh, plan)
        return
    for cluster in _clusters(values, 2 * FLANK * fresh):
        low, high = float(cluster[0]), float(cluster[-1])
        if (high - low) / 4 + fresh > NARROW * width:
            continue
        reach = max((high - low) / 2 + FLANK * fresh, LEAST * width)
        centre = (low + high) / 2
        yield Kink(slopes, centre)
        for inner in (reach * share for share in (INSIDE if smooth == 1 else ())):
            yield Kink(slopes, centre - inner)
            yield Kink(slopes, centre + inner)
        farthest = width if first else min(width, reach * GROWTH**LATER)
        while reach < farthest:
            yield Kink(slopes, centre - reach)
            yield Kink(slopes, centre + reach)
            reach *= GROWTH if smooth == 1 else GROWTH**2  # in a plane each split is paid for many times


def _everywhere(slopes: Mapping[str, float], centre: float, fresh: float, plan: IntegrationPlan) -> Iterator[Kink]:
    """Planes that lie so close that every rise is resolved, wherever it is."""
    reach = sum(abs(f) * max(map(abs, plan.laws[name].effective_support(RARE))) for name, f in slopes.items())
    middle = round(centre / (FINE * fresh)) * FINE * fresh if abs(centre) < 1e6 * fresh else centre
    for k in range(-math.ceil(reach / (FINE * fresh)), math.ceil(reach / (FINE * fresh)) + 1):
        yield Kink(dict(slopes), k * FINE * fresh + middle % (FINE * fresh))


def _clusters(values: Array, gap: float) -> list[Array]:
    """Values in rising order, parted where two lie further apart; the whole if there are many parts."""
    parts = np.split(values, np.flatnonzero(np.diff(values) > gap) + 1)
    return parts if len(parts) <= MOST_CLUSTERS else [values]
