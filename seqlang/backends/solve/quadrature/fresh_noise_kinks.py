"""Planes in the persistent noises at which a stop's chance has a kink, for given rows of plain values.

Where the density of a fresh noise has a kink, or the noise has a point, the chance that a comparison holds is not
smooth in its bound. On the states that occur these are known planes, at which the quadrature is split.

`fresh_noise_kinks(program, plan, cells, fields)` for states that do not depend on the step.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from seqlang.backends.solve.quadrature.nodes import Kink
from seqlang.backends.solve.solution import Array
from seqlang.backends.solve.step.body import with_plain_values
from seqlang.backends.solve.step.comparisons import CompiledComparison
from seqlang.backends.solve.step.integration_plan import IntegrationPlan, NoisyComparison
from seqlang.backends.solve.step.steady import SteadyCompiler
from seqlang.model.life import EachStep
from seqlang.model.program import Define, Program

MOST = 400
"""Planes for one persistent noise. Where there are more, they lie so close that the rule need not know them."""
MOST_IN_PLANE = 12
"""The same for several persistent noises, where each plane splits every axis."""


def fresh_noise_kinks(
    program: Program, plan: IntegrationPlan, cells: Mapping[str, Array], fields: Mapping[str, Any]
) -> tuple[Kink, ...]:
    """The planes on these rows; none where they are too many."""
    smooth = [name for name in plan.nodes if not plan.laws[name].discrete]
    if not smooth:
        return ()
    compiler = SteadyCompiler(program)
    definitions = {
        s.name: compiler.compile(s.expression)
        for index, s in enumerate(program.body)
        if isinstance(s, Define) and index in plan.needed.statements
    }
    stage = with_plain_values(compiler, definitions, 1, cells, fields)
    count = stage.count
    found: dict[tuple[Any, ...], Kink] = {}
    for comparison in plan.comparisons.values():
        if comparison.variable is not None and not isinstance(plan.variables[comparison.variable].life, EachStep):
            continue
        marks = unsmooth_places(comparison, plan)
        if not len(marks) or not comparison.known or any(t.noise not in plan.nodes for t in comparison.known):
            continue
        compared = CompiledComparison(comparison, plan, compiler)
        with np.errstate(all="ignore"):
            scale = np.ones(1) if compared.scale is None else -stage.numbers(compared.scale)
            value = np.broadcast_to(stage.numbers(compared.value) / scale, (count,))
            factors = {n: np.broadcast_to(stage.numbers(run) / scale, (count,)) for n, run in compared.known}
        for row in range(count):
            slopes = {n: float(f[row]) for n, f in factors.items()}
            for kink in marks:
                plane = Kink(slopes, float(value[row]) - kink)
                if np.isfinite(plane.constant) and any(slopes.values()):
                    found.setdefault(plane.place(plan.laws), plane)
        if len(found) > MOST:
            return ()
    return few_enough(found, len(smooth))


def few_enough(found: Mapping[Any, Kink], smooth: int) -> tuple[Kink, ...]:
    """The planes, for that many persistent noises with a density; none where there are too many."""
    return () if len(found) > (MOST if smooth == 1 else MOST_IN_PLANE) else tuple(found.values())


def unsmooth_places(comparison: NoisyComparison, plan: IntegrationPlan) -> Array:
    """The values of the compared variable at which the chance of the comparison is not smooth in its bound: kinks of
    its density, or its points; 0 where the comparison reads no variable."""
    if comparison.variable is None:
        return np.zeros(1)
    law = plan.variables[comparison.variable].law
    return law.atoms(1e-9)[0] if law.discrete else np.asarray(law.kinks, dtype=np.float64)
