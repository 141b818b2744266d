"""Planes in the persistent noises at which a chance has a kink, on the states that occur in the first steps.

`state_kinks(program, model, watch, plan)` follows the states for a few steps with few nodes, and collects the
planes on which a bound on a fresh noise meets a kink (or a point) of its law. Planes of states that are met later are
missing; comparing two orders shows what that does.
"""

from __future__ import annotations

import numpy as np

from seqlang.backends.solve.quadrature.fresh_noise_kinks import MOST, few_enough, unsmooth_places
from seqlang.backends.solve.quadrature.grid import grid_of
from seqlang.backends.solve.quadrature.nodes import Kink
from seqlang.backends.solve.states.explored_chain import ExploredChain
from seqlang.backends.solve.step.comparisons import CompiledComparison
from seqlang.backends.solve.step.integration_plan import IntegrationPlan
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model import expression as ir
from seqlang.model.program import Program

STEPS = 40
"""Steps that are followed."""
WORK = 2e8
"""Nanoseconds of work after which no further step is followed."""
ENOUGH = 1e-6
"""A probability: the states are followed until less than this is left."""


def state_kinks(
    program: Program, model: str, watch: tuple[ir.Expression, ...], plan: IntegrationPlan
) -> tuple[Kink, ...]:
    """The planes; none where they are too many, or no persistent noise has a density."""
    smooth = [name for name in plan.nodes if not plan.laws[name].discrete]
    if not smooth:
        return ()
    chain = ExploredChain(program, model, watch, plan, grid_of(program, plan, 0))
    found: dict[tuple[object, ...], Kink] = {}
    leaves = [leaf for s in chain.statements if s.gate is not None for leaf in s.gate.leaves]
    comparisons = [leaf for leaf in leaves if isinstance(leaf, CompiledComparison)]
    watched = [c for c in comparisons if c.known and all(name in plan.nodes for name, _ in c.known)]
    for compared in watched:
        compared.seen = []
    frontier, used = chain.begin(), 0
    while frontier.step < STEPS and used < WORK and frontier.survivors.sum() > ENOUGH:
        try:
            frontier, _ = chain.advance(frontier)
        except Unsolved:
            break
        used += frontier.size
        for compared in watched:
            marks = unsmooth_places(compared.comparison, plan)
            for value, factors in compared.seen or ():
                names = tuple(factors)
                for row in np.unique(np.array(np.broadcast_arrays(value, *factors.values())), axis=1).T:
                    slopes = dict(zip(names, (float(v) for v in row[1:]), strict=True))
                    if not any(slopes.values()):
                        continue
                    for mark in marks:
                        kink = Kink(slopes, float(row[0] - mark))
                        if np.isfinite(kink.constant):
                            found.setdefault(kink.place(plan.laws), kink)
                if len(found) > MOST:
                    return ()
            compared.seen = []
    return few_enough(found, len(smooth))
