"""Where a chance is not smooth in the persistent noises, on the states that are really met.

`state_kinks(program, model, watch, roles, level)` follows the states for a few steps with few nodes, and collects the
planes on which a bound on a fresh noise meets a kink (or a point) of its law. Planes of states that are met later are
missing; comparing two orders shows what that does.
"""

from __future__ import annotations

import numpy as np

from seqlang.backends.solve.quadrature.fresh_noise_kinks import marks_of
from seqlang.backends.solve.quadrature.nodes import Kink
from seqlang.backends.solve.states.explored_chain import ExploredChain
from seqlang.backends.solve.step.gates import Compared
from seqlang.backends.solve.step.noise_roles import Roles
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model import expression as ir
from seqlang.model.program import Program

MOST = 400
MOST_TOGETHER = 12
STEPS = 40
WORK = 2e8
ENOUGH = 1e-6


def state_kinks(
    program: Program, model: str, watch: tuple[ir.Expression, ...], roles: Roles, level: int = 0
) -> tuple[Kink, ...]:
    """No planes where they are too many, or everything is smooth."""
    smooth = [name for name in roles.nodes if not roles.laws[name].discrete]
    if not smooth:
        return ()
    chain = ExploredChain(program, model, level, watch, roles)
    found: dict[tuple[object, ...], Kink] = {}
    watched = [
        leaf for s in chain.statements if s.gate is not None for leaf in s.gate.leaves if isinstance(leaf, Compared)
    ]
    watched = [w for w in watched if w.half.known and all(t.noise in roles.nodes for t in w.half.known)]
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
            marks = marks_of(compared.half, roles)
            for value, factors in compared.seen or ():
                names = tuple(factors)
                rows = np.unique(np.round(np.broadcast_arrays(value, *factors.values()), 10), axis=1)
                for row in rows.T:
                    slopes = dict(zip(names, (float(v) for v in row[1:]), strict=True))
                    if not any(slopes.values()):
                        continue
                    for mark in marks:
                        constant = round(float(row[0] - mark), 9)
                        if np.isfinite(constant):
                            found.setdefault((tuple(row[1:]), names, constant), Kink(slopes, constant))
                if len(found) > MOST:
                    return ()
            compared.seen = []
    return () if len(smooth) > 1 and len(found) > MOST_TOGETHER else tuple(found.values())
