"""Which space of states fits a program under a model: the first of several that takes it.

`space_of(program, model, watch) -> Space`; raises Unsolved with the reason of the space that came nearest.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from seqlang.backends.arrays.values import CannotVectorise
from seqlang.backends.interpret.values import FOR_OTHERS, UNDECIDED
from seqlang.backends.solve.chain import Chain
from seqlang.backends.solve.lattice.increments import lattice_of
from seqlang.backends.solve.lattice.lattice_chain import LatticeChain
from seqlang.backends.solve.noises import standard_normal
from seqlang.backends.solve.quadrature.grid import Grid, common, first_level, grid_of, kinks_of
from seqlang.backends.solve.quadrature.nodes import LAST, Kink
from seqlang.backends.solve.step.entries import entries, model_named, model_of, reads_step
from seqlang.backends.solve.step.integration_plan import IntegrationPlan, integration_plan
from seqlang.backends.solve.step.known_data import known
from seqlang.backends.solve.stops.chances import Chances
from seqlang.backends.solve.unsolved import Unsolved, refusals_are_unsolved
from seqlang.model import expression as ir
from seqlang.model.program import Cell, Program
from seqlang.record import record, replace

if TYPE_CHECKING:
    from seqlang.backends.solve.states.explored_chain import ExploredChain

Watch = tuple[ir.Expression, ...]
MESH_LEVELS = 6
"""Levels of quadrature for a density on panels, with at most one persistent noise."""
PLANE_LEVELS = 2
"""The same with several persistent noises: each level costs three times as much as the one before."""
LATTICE_KINKS = 150
"""Lattice points on each side of 0 whose kinks the quadrature knows of; most mass lies there."""
TRIMMED = 1e-13
"""Of an enclosed law: rare states of this total mass may be given up where states are many."""
SPARE = 0.25
"""Rare states of this total mass, times the tolerance, may be dropped where states are many."""
RARE, RARE_IN_PLANE = 1e-7, 1e-6
"""Nodes of this total weight, times the tolerance, are left out."""


@record
class Space:
    """`make(level)` for level 0 .. last; `exact`: every level gives the same. Draws of the persistent noises that no
    node stands for have the total probability `rarest`. `sees_all`: what is watched is summed over states, and not
    integrated over a density in which it jumps at places that nobody knows of."""

    name: str
    make: Callable[[int], Chain]
    last: int
    exact: bool
    rarest: float = 1e-19
    unforced: Callable[[int], Chain] | None = None
    """A faster chain where no entry is forced."""
    sees_all: bool = True
    bounds_never: bool = False
    """Whether the faster chain bounds by an inequality how many runs never stop."""


def space_of(
    program: Program, model: str, watch: Watch = (), tolerance: float = 1e-9, by_double: bool = False
) -> Space:
    """The space in which `solve` computes. `by_double`: see `OutcomePlaces`. Raises Unsolved."""
    standard_normal.count_anew()
    program = known(program, model)
    memories = model_named(program, model).memories
    if any(i.kind == "dataset" for i in program.inputs):
        raise Unsolved("a dataset: all records are there from the start")
    with refusals_are_unsolved():
        return _fitting(program, model, watch, integration_plan(program, watch, memories), tolerance, by_double)


def enclosing_space(
    program: Program, model: str, watch: Watch, panels: int, favoured: frozenset[int] | None = None
) -> tuple[Space, IntegrationPlan]:
    """A space whose chances are surely at least so large, with about so many panels for the noises that persist, and
    its plan. It has one level. `favoured`: see `IntegrationPlan`. Raises Unsolved."""
    program = known(program, model)
    if any(i.kind == "dataset" for i in program.inputs):
        raise Unsolved("a dataset: all records are there from the start")
    plan = _certain(integration_plan(program, watch, model_named(program, model).memories), panels)
    if favoured is not None:
        if not plan.only_stops:
            raise Unsolved("a program that does more than stop")
        plan = replace(plan, favoured=favoured)
    return _fitting(program, model, watch, plan, TRIMMED), plan


def explored(program: Program, model: str, plan: IntegrationPlan) -> ExploredChain:
    """The chain that lists the states of the program, and leaves out none but those of a chance below 1e-15 in a step
    (which it counts). Raises Unsolved."""
    from seqlang.backends.solve.states.explored_chain import ExploredChain

    made = _explored(program, model, (), plan, 0.0).make(0)
    assert isinstance(made, ExploredChain)
    return made


def _fitting(
    program: Program, model: str, watch: Watch, plan: IntegrationPlan, tolerance: float, by_double: bool = False
) -> Space:
    reasons: list[str] = []
    cells = [i for i in plan.needed.statements if 0 <= i < len(program.body) and isinstance(program.body[i], Cell)]
    tries: list[Callable[[Program, str, Watch, IntegrationPlan], Space]] = []
    if plan.simple:
        tries.append(partial(_lattice, tolerance=tolerance) if cells else _queries)
    if plan.favoured is None:
        tries.append(partial(_explored, tolerance=tolerance, by_double=by_double))
    if not plan.simple and not cells:
        tries.append(_continuous_queries)
    if cells:
        tries.append(partial(_mesh, tolerance=tolerance) if plan.panels is None else _walk)
    for attempt in tries:
        try:
            return attempt(program, model, watch, plan)
        except (Unsolved, CannotVectorise) as unsolved:
            reasons.append(str(unsolved))
    raise Unsolved(_nearest(reasons, discrete=_discrete(program, model)))


def _certain(plan: IntegrationPlan, panels: int | None) -> IntegrationPlan:
    """The plan of a space whose chances are surely at least so large. Raises Unsolved where a distribution function is
    computed by quadrature."""
    if panels is None:
        return plan
    laws = [*(v.law for v in plan.variables.values()), *(plan.laws[name] for name in (*plan.nodes, *plan.inner))]
    if not all(law.closed for law in laws):
        raise Unsolved("a sum of noises without a closed form")
    return replace(plan, panels=panels)


def _nearest(reasons: list[str], discrete: bool) -> str:
    """What is missing: for data with a density the last space is the one meant for it. No space can tell numbers apart
    that are too near to each other."""
    too_near = [reason for reason in reasons if reason in (UNDECIDED, FOR_OTHERS)]
    if too_near:
        return too_near[0]
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


def _grids(
    program: Program, plan: IntegrationPlan, more: tuple[Kink, ...] = ()
) -> tuple[Callable[[int], Grid], int, bool]:
    """Grids by level from 0, the last level, and whether all are the same."""
    if plan.panels is not None:
        from seqlang.backends.solve.enclosed.panel_grid import panel_grid

        panels = panel_grid(plan, plan.panels)
        return lambda level: panels, 0, True
    kinks = kinks_of(program, plan)
    first = first_level(plan)

    @cache
    def grid(level: int) -> Grid:
        return grid_of(program, plan, first + level, more, kinks)

    return grid, LAST - first, grid(0).exact


def _lattice(program: Program, model: str, watch: Watch, plan: IntegrationPlan, tolerance: float) -> Space:
    lattice = lattice_of(program, model, plan.needed)
    rare = RARE * tolerance
    kinks: tuple[Kink, ...] = ()
    if lattice.again and len(plan.nodes) == 1 and not plan.needed.reads_step and plan.panels is None:
        from seqlang.backends.solve.quadrature.fresh_noise_kinks import fresh_noise_kinks

        whole = np.arange(-LATTICE_KINKS, LATTICE_KINKS + 1)
        kinks = fresh_noise_kinks(program, plan, lattice.of_whole(whole), dict(lattice.fields[0]))
    grid, last, exact = _grids(program, plan, kinks)

    def make(level: int) -> Chain:
        made, lost = common(grid(level), rare) if plan.panels is None else (grid(level), 0.0)
        chances = Chances(program, plan, made, watch)
        return LatticeChain(program, lattice, chances, made.weights, watch, rare / 10, lost)

    make(0)
    return Space("lattice", make, last, exact, rare)


def _queries(program: Program, model: str, watch: Watch, plan: IntegrationPlan) -> Space:
    """Nothing is remembered: entries one by one, or taken as fresh noise where they have a density."""
    from seqlang.backends.solve.memoryless import DrawnEntries, MemorylessChain
    from seqlang.backends.solve.quadrature.fresh_noise_kinks import fresh_noise_kinks

    if reads_step(model_of(program, model)):
        raise Unsolved("the model depends on the step")
    try:
        found, missing = entries(program, model)
    except Unsolved as unsolved:
        if not str(unsolved).startswith("data with a density"):
            raise
        return _continuous_queries(program, model, watch, plan)
    numbers = [n for n, value in found[0].fields.items() if isinstance(value, (int, float))]
    fields = {n: np.array([float(e.fields[n]) for e in found]) for n in numbers}
    points = DrawnEntries(fields, np.array([e.chance for e in found]), missing)
    kinks: tuple[Kink, ...] = ()
    if plan.panels is None and not plan.needed.reads_step:
        kinks = fresh_noise_kinks(program, plan, {}, fields)
    grid, last, exact = _grids(program, plan, kinks)

    def make(level: int) -> Chain:
        made = grid(level)
        return MemorylessChain(points, Chances(program, plan, made, watch), made.weights, watch)

    return Space("queries", make, last, exact)


def _continuous_queries(program: Program, model: str, watch: Watch, plan: IntegrationPlan) -> Space:
    from seqlang.backends.solve.memoryless import DrawnEntries, MemorylessChain
    from seqlang.backends.solve.quadrature.fresh_noise_kinks import fresh_noise_kinks
    from seqlang.backends.solve.step.entries_as_noise import entries_as_noise

    if reads_step(model_of(program, model)):
        raise Unsolved("the model depends on the step")
    changed = entries_as_noise(program, model, watch)
    if changed is None:
        raise Unsolved("data with a density, read in another way than by comparing a multiple of them")
    inner = replace(_certain(integration_plan(changed, watch), plan.panels), favoured=plan.favoured)
    if not inner.simple:
        raise Unsolved("data with a density in a program that does more than compare and stop")
    fields = {name: np.zeros(1) for name, _ in model_of(program, model).laws}
    kinks: tuple[Kink, ...] = ()
    if plan.panels is None and not inner.needed.reads_step:
        kinks = fresh_noise_kinks(changed, inner, {}, fields)
    grid, last, exact = _grids(changed, inner, kinks)

    def make(level: int) -> Chain:
        made = grid(level)
        plain = None
        if plan.panels is None and plan.simple and set(plan.nodes) == set(inner.nodes):
            plain = Chances(program, plan, made, watch)
        chances = Chances(changed, inner, made, watch)
        return MemorylessChain(DrawnEntries(fields, np.ones(1)), chances, made.weights, watch, plain, plain is None)

    return Space("queries", make, last, exact)


def _explored(
    program: Program, model: str, watch: Watch, plan: IntegrationPlan, tolerance: float, by_double: bool = False
) -> Space:
    from seqlang.backends.solve.states.drawn_entries import DrawnEntries
    from seqlang.backends.solve.states.explored_chain import ExploredChain
    from seqlang.backends.solve.states.kinks import state_kinks
    from seqlang.backends.solve.states.returned import OutcomePlaces
    from seqlang.backends.solve.step.stepped_data import stepped

    program = stepped(program, model, plan.needed)
    DrawnEntries(program, model, plan.needed.fields, {})  # Unsolved now, if the data have a density
    if plan.panels is not None and any(not plan.laws[name].discrete for name in plan.inner):
        raise Unsolved("a fresh noise with a density that two comparisons of one step share")
    kinks = state_kinks(program, model, watch, plan) if plan.panels is None else ()
    grid, last, exact = _grids(program, plan, kinks)
    places = OutcomePlaces(by_double)

    def make(level: int) -> ExploredChain:
        return ExploredChain(program, model, watch, plan, grid(level), SPARE * tolerance, places)

    made = make(0)
    blocks = None if watch else _blocks(made, SPARE * tolerance)
    if blocks is not None:
        return Space("blocks of steps", make, last, True, unforced=blocks, bounds_never=True)
    return Space("states", make, last, exact)


def _blocks(made: ExploredChain, spare: float) -> Callable[[int], Chain] | None:
    """The chain of a program that looks at its data in blocks; None for others."""
    from seqlang.backends.solve.blocks.block_chain import BlockChain
    from seqlang.backends.solve.blocks.block_moves import BlockMoves
    from seqlang.backends.solve.blocks.block_plan import block_plan
    from seqlang.backends.solve.blocks.far_out import FarOutScores

    try:
        plan, memories = block_plan(made.program, made.plan), made.begin().states.stage.memory
        moves = BlockMoves(made, plan, made.model)
        chain = BlockChain(moves, lambda: made.outcomes, memories, spare, FarOutScores(made, plan, tuple(memories)))
        chain.learn(np.zeros(1, dtype=np.intp))
    except (Unsolved, CannotVectorise):
        return None
    return lambda level: chain


def _walk(program: Program, model: str, watch: Watch, plan: IntegrationPlan) -> Space:
    from seqlang.backends.solve.enclosed.walk import walk_chain

    assert plan.panels is not None
    chain = walk_chain(program, model, plan, plan.panels, watch)
    return Space("sums rounded to whole numbers", lambda level: chain, 0, False)


def _mesh(program: Program, model: str, watch: Watch, plan: IntegrationPlan, tolerance: float) -> Space:
    from seqlang.backends.solve.mesh.mesh_chain import mesh_for
    from seqlang.backends.solve.mesh.nystroem import nystroem_chain
    from seqlang.backends.solve.mesh.private_number import cells_of, read

    grid, last, _ = _grids(program, plan)
    rare = (RARE if len(grid(0).values) < 2 else RARE_IN_PLANE) * tolerance

    def make(level: int, unforced: bool = False) -> Chain:
        return mesh_for(program, model, plan, grid(level), level, watch, unforced, rare)

    reading = read(program, model, cells_of(program, plan))
    walk = nystroem_chain(reading, plan, grid(0)) if reading.program is program and not watch else None
    if walk is not None:
        return Space("density at nodes", make, min(last, MESH_LEVELS), False, rare, walk)
    make(0)
    last = min(last, MESH_LEVELS if len(grid(0).values) < 2 else PLANE_LEVELS)
    return Space("density on panels", make, last, False, rare, partial(make, unforced=True))
