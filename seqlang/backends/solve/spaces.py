"""Which space of states fits a program under a model: the first of several that takes it.

`space_of(program, model, watch) -> Space`; raises Unsolved with the reason of the space that came nearest.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np

from seqlang.backends.arrays.values import CannotVectorise
from seqlang.backends.interpret.values import EvaluationError
from seqlang.backends.solve.chain import Chain
from seqlang.backends.solve.lattice.increments import lattice_of
from seqlang.backends.solve.lattice.lattice_chain import LatticeChain
from seqlang.backends.solve.memoryless import MemorylessChain, Points
from seqlang.backends.solve.noises import standard_normal
from seqlang.backends.solve.quadrature.fresh_noise_kinks import fresh_kinks
from seqlang.backends.solve.quadrature.grid import Grid, common, first_level, grid_of, kinks_of
from seqlang.backends.solve.quadrature.nodes import LAST, Kink
from seqlang.backends.solve.step.entries import entries, model_of, reads_step
from seqlang.backends.solve.step.entries_as_noise import absorbed
from seqlang.backends.solve.step.noise_roles import Roles, roles_of
from seqlang.backends.solve.stops.chances import Chances
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model import expression as ir
from seqlang.model.program import Cell, Program
from seqlang.record import record

Watch = tuple[ir.Expression, ...]
MESH_LEVELS = 6
PLANE_LEVELS = 2
"""With several persistent noises: each level costs three times as much as the one before."""
LATTICE_KINKS = 150
SPARE = 0.25
"""Rare states of this total mass, times the tolerance, may be dropped where states are many."""
RARE, RARE_IN_PLANE = 1e-7, 1e-6
"""Nodes of this total weight, times the tolerance, are left out."""


@record
class Space:
    """`make(level)` for level 0 .. last; `exact`: every level gives the same. Nodes of the persistent noises reach to
    draws of total chance `rarest`. `sees_all`: what is watched is summed over states, and not integrated over a density
    in which it jumps at places that nobody knows of."""

    name: str
    make: Callable[[int], Chain]
    last: int
    exact: bool
    rarest: float = 1e-19
    unforced: Callable[[int], Chain] | None = None
    """A faster chain where no entry is forced."""
    sees_all: bool = True


def space_of(program: Program, model: str, watch: Watch = (), tolerance: float = 1e-9) -> Space:
    standard_normal.count_anew()
    model_of(program, model)
    if any(i.kind == "dataset" for i in program.inputs):
        raise Unsolved("a dataset: all records are there from the start")
    try:
        roles = roles_of(program, watch)
        return _fitting(program, model, watch, roles, tolerance)
    except CannotVectorise as error:
        raise Unsolved(str(error)) from None
    except EvaluationError as error:
        raise Unsolved(error.diagnostics[0].message) from None


def _fitting(program: Program, model: str, watch: Watch, roles: Roles, tolerance: float) -> Space:
    reasons: list[str] = []
    cells = [i for i in roles.needed.statements if 0 <= i < len(program.body) and isinstance(program.body[i], Cell)]
    tries: list[Callable[[Program, str, Watch, Roles], Space]] = []
    if roles.simple:
        tries.append(partial(_lattice, tolerance=tolerance) if cells else _queries)
    tries.append(partial(_explored, tolerance=tolerance))
    if not roles.simple and not cells:
        tries.append(_continuous_queries)
    if cells:
        tries.append(partial(_mesh, tolerance=tolerance))
    for attempt in tries:
        try:
            return attempt(program, model, watch, roles)
        except (Unsolved, CannotVectorise) as unsolved:
            reasons.append(str(unsolved))
    raise Unsolved(_nearest(reasons, discrete=_discrete(program, model)))


def _nearest(reasons: list[str], discrete: bool) -> str:
    """What is missing: for data with a density the last space is the one meant for it."""
    distinct = list(dict.fromkeys(r for r in reasons if not r.startswith("data with a density")))
    if not distinct:
        return reasons[-1]
    return distinct[0 if discrete and len(distinct) == 1 else -1]


def _discrete(program: Program, model: str) -> bool:
    try:
        entries(program, model)
    except Unsolved:
        return False
    return True


def _grids(program: Program, roles: Roles, more: tuple[Kink, ...] = ()) -> tuple[Callable[[int], Grid], int, bool]:
    """Grids by level from 0, the last level, and whether all are the same."""
    kinks = kinks_of(program, roles)
    first = first_level(program, roles, kinks)

    @cache
    def grid(level: int) -> Grid:
        return grid_of(program, roles, first + level, more, kinks)

    return grid, LAST - first, grid(0).exact


def _lattice(program: Program, model: str, watch: Watch, roles: Roles, tolerance: float) -> Space:
    lattice = lattice_of(program, model, roles.needed)
    rare = RARE * tolerance
    kinks: tuple[Kink, ...] = ()
    if lattice.again and len(roles.nodes) == 1 and not reads_step_in(roles):
        whole = np.arange(-LATTICE_KINKS, LATTICE_KINKS + 1)
        kinks = fresh_kinks(program, roles, lattice.of_whole(whole), dict(lattice.fields[0]))
    grid, last, exact = _grids(program, roles, kinks)

    def make(level: int) -> Chain:
        made, lost = common(grid(level), rare)
        chances = Chances(program, roles, made, watch)
        return LatticeChain(program, lattice, chances, made.weights, watch, rare / 10, lost)

    make(0)
    return Space("lattice", make, last, exact, rare)


def _queries(program: Program, model: str, watch: Watch, roles: Roles) -> Space:
    """Nothing is remembered: entries one by one, or taken as fresh noise where they have a density."""
    if reads_step(model_of(program, model)):
        raise Unsolved("the model depends on the step")
    try:
        found, missing = entries(program, model)
    except Unsolved as unsolved:
        if not str(unsolved).startswith("data with a density"):
            raise
        return _continuous_queries(program, model, watch, roles)
    names = list(found[0].fields)
    fields = {n: np.array([float(e.fields[n]) for e in found]) for n in names if _is_number(found[0].fields[n])}
    points = Points(fields, np.array([e.chance for e in found]), missing)
    kinks = fresh_kinks(program, roles, {}, fields) if not reads_step_in(roles) else ()
    grid, last, exact = _grids(program, roles, kinks)

    def make(level: int) -> Chain:
        made = grid(level)
        return MemorylessChain(points, Chances(program, roles, made, watch), made.weights, watch)

    return Space("queries", make, last, exact)


def reads_step_in(roles: Roles) -> bool:
    """Whether what the stops read depends on the step."""
    return any(isinstance(e, ir.StepNumber) for _, part in roles.needed.readings for e in ir.walk(part))


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, bool))


def _continuous_queries(program: Program, model: str, watch: Watch, roles: Roles) -> Space:
    if reads_step(model_of(program, model)):
        raise Unsolved("the model depends on the step")
    changed = absorbed(program, model, watch)
    if changed is None:
        raise Unsolved("data with a density, read in another way than by comparing a multiple of them")
    inner = roles_of(changed, watch)
    if not inner.simple:
        raise Unsolved("data with a density in a program that does more than compare and stop")
    fields = {name: np.zeros(1) for name, _ in model_of(program, model).laws}
    kinks = fresh_kinks(changed, inner, {}, fields) if not reads_step_in(inner) else ()
    grid, last, exact = _grids(changed, inner, kinks)

    def make(level: int) -> Chain:
        made = grid(level)
        plain = None
        if roles.simple and set(roles.nodes) == set(inner.nodes):
            plain = Chances(program, roles, made, watch)
        chances = Chances(changed, inner, made, watch)
        return MemorylessChain(Points(fields, np.ones(1)), chances, made.weights, watch, plain, plain is None)

    return Space("queries", make, last, exact)


def _explored(program: Program, model: str, watch: Watch, roles: Roles, tolerance: float) -> Space:
    from seqlang.backends.solve.states.explored_chain import explored_chain
    from seqlang.backends.solve.states.kinks import state_kinks

    entries(program, model)
    grid, last, exact = _grids(program, roles, state_kinks(program, model, watch, roles))

    def make(level: int) -> Chain:
        return explored_chain(program, model, level, watch, roles, grid(level), SPARE * tolerance)

    make(0)
    return Space("states", make, last, exact)


def _mesh(program: Program, model: str, watch: Watch, roles: Roles, tolerance: float) -> Space:
    from seqlang.backends.solve.mesh.mesh_chain import mesh_for
    from seqlang.backends.solve.mesh.nystroem import sharp_walk
    from seqlang.backends.solve.mesh.private_number import cells_of, read

    grid, last, _ = _grids(program, roles)
    rare = (RARE if len(grid(0).values) < 2 else RARE_IN_PLANE) * tolerance

    def make(level: int, unforced: bool = False) -> Chain:
        return mesh_for(program, model, roles, grid(level), level, watch, unforced, rare)

    reading = read(program, model, cells_of(program, roles))
    walk = sharp_walk(reading, roles, grid(0)) if reading.program is program and not watch else None
    if walk is not None:
        return Space("density at nodes", make, min(last, MESH_LEVELS), False, rare, walk)
    make(0)
    last = min(last, MESH_LEVELS if len(grid(0).values) < 2 else PLANE_LEVELS)
    return Space("density on panels", make, last, False, rare, partial(make, unforced=True))
