"""Planes near which chances turn from 0 to 1 on a length that is small for the persistent noises.

Next to a threshold noise of sd 1000 a test with fresh noise of sd 1 is a step. Rules whose nodes all lie beside that
step agree with each other and are wrong. Where that noise is not too narrow, short panels everywhere resolve every
turn. Where it is, or there is none, panels must end near the turns: streams are drawn from every model, and where plain
values of a step lie close together, compared with the persistent noises, their planes are cuts, with further cuts
around them at distances that grow geometrically.

`narrow(program, roles) -> tuple[Kink, ...]`. A plane too many costs nodes, and is no error.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

import numpy as np

from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.arrays.values import CannotVectorise, from_constant
from seqlang.backends.interpret.code import Code
from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.state import PartialState
from seqlang.backends.interpret.values import EvaluationError
from seqlang.backends.solve.noises.scalar_law import Array
from seqlang.backends.solve.quadrature.nodes import Kink
from seqlang.backends.solve.step.body import Stage, started
from seqlang.backends.solve.step.distinct import distinct
from seqlang.backends.solve.step.entries import entries
from seqlang.backends.solve.step.gates import Compared
from seqlang.backends.solve.step.noise_roles import Half, Roles
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.life import EachStep
from seqlang.model.program import Cell, Define, Model, Program, Report

STREAMS = 24
STEPS = {1: 12, 2: 1, 3: 1}
"""Steps that are followed, by the number of smooth persistent noises."""
NARROW = 0.45
"""Of the persistent noises' scale: below it the few nodes of the first levels do not resolve a turn."""
RESOLVED = {1: 0.04, 2: 0.25, 3: 0.4}
"""Fresh noise of at least this part of it is resolved by short panels everywhere; by number of persistent noises."""
FINE, RARE = 2.0, 1e-12
"""Length of those panels, in scales of the fresh noise; how far out they go."""
MOST = {1: 1500, 2: 60, 3: 12}
"""Cuts by the number of persistent noises."""
MOST_CLUSTERS = 12
FLANK = 8.0
"""A step of fresh noise ends this many scales from its middle."""
INSIDE = (0.2, 0.4, 0.65)
GROWTH, LATER = 4.0, 4
"""A turn is cut at these parts of its reach. Beyond it cuts lie GROWTH times as far out as the ones before; after the
first step there are LATER on each side."""
LEAST = 1e-7
"""The first cuts beside a step are at least this part of the scale away."""


def narrow(program: Program, roles: Roles) -> tuple[Kink, ...]:
    smooth = sum(not roles.laws[name].discrete for name in roles.nodes)
    halves = [half for half in roles.halves.values() if _matters(half, roles)]
    if not smooth or not halves:
        return ()
    compiler = VectorCompiler(program)
    compared = [Compared(half, roles, compiler) for half in halves]
    found: dict[tuple[Any, ...], Kink] = {}
    for model in program.models:
        try:
            with np.errstate(all="ignore"):
                for step, stage in _followed(program, roles, compiler, model, STEPS[min(smooth, 3)]):
                    for one in compared:
                        for kink in _planes(one, stage, roles, step == 1, smooth):
                            found.setdefault((tuple(kink.factors.items()), round(kink.constant, 12)), kink)
        except (Unsolved, CannotVectorise, EvaluationError, KeyError, ArithmeticError, ValueError, TypeError):
            continue
    return tuple(found.values())[: MOST[min(smooth, 3)]]


def _matters(half: Half, roles: Roles) -> bool:
    if not half.known or any(t.noise not in roles.nodes for t in half.known):
        return False
    return half.variable is None or isinstance(roles.variables[half.variable].life, EachStep)


def _followed(
    program: Program, roles: Roles, compiler: VectorCompiler, model: Model, steps: int
) -> Iterator[tuple[int, Stage]]:
    """The streams after each step, as if nothing were reported and nobody stopped."""
    random = Random(7)
    stage = started(program, compiler, roles.needed.names)
    stage.strict = False
    for cell in stage.cells.values():
        cell.begin(None)
    stage = stage.take(np.zeros(STREAMS, dtype=np.intp))
    for step in range(1, steps + 1):
        stage.step_number = step
        stage.fields = _drawn(program, compiler, model, step, random)
        for index, statement in enumerate(program.body):
            if index not in roles.needed.statements:
                continue
            match statement:
                case Define(name, expression):
                    stage.locals[name] = stage.value(compiler.compile(expression))
                case Cell(name):
                    stage.cells[name].tick(stage.frame())
                case Report(name):
                    stage.fired[name] = stage.released[name] = np.zeros(STREAMS, dtype=bool)
                case _:
                    pass
        yield step, stage
        for cell in stage.cells.values():
            cell.begin(None if cell.report is None else np.zeros(STREAMS, dtype=bool))


def _drawn(program: Program, compiler: VectorCompiler, model: Model, step: int, random: Random) -> dict[str, Array]:
    """An entry for every stream; of few values each is among them, however rare it is."""
    exact = Compiler(program)
    laws = [(name, exact.compile(law)) for name, law in model.laws]
    drawn = [_sampled(laws, step, random) for _ in range(STREAMS)]
    try:
        listed = [dict(entry.fields) for entry in entries(program, model.name, step)[0]]
    except Unsolved:
        listed = []
    if 0 < len(listed) <= STREAMS:
        drawn[: len(listed)] = listed
        random.shuffle(drawn)
    return {
        name: np.concatenate([_column(from_constant(entry[name], compiler.labels)) for entry in drawn], axis=-1)
        for name, _ in model.laws
    }


def _sampled(laws: Sequence[tuple[str, Code]], step: int, random: Random) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    state = PartialState(fields=fields, step_number=step)
    for name, law in laws:
        fields[name] = law.run(state).sample(random)
    return fields


def _column(value: object) -> Array:
    array = np.asarray(value, dtype=np.float64)
    return array.reshape(1) if array.ndim == 0 else array[..., None]


def _planes(compared: Compared, stage: Stage, roles: Roles, first: bool, smooth: int) -> Iterator[Kink]:
    """The cuts of one half in one step; none where its values are as spread as the persistent noises."""
    factors: Mapping[str, Array] = {name: stage.numbers(run) for name, run in compared.known}
    if any(np.ptp(f) > 1e-9 * np.abs(f).max() or not np.isfinite(f).all() for f in factors.values()):
        return
    slopes = {name: float(np.ravel(f)[0]) for name, f in factors.items()}
    width = float(np.sqrt(sum((f * roles.laws[name].scale) ** 2 for name, f in slopes.items())))
    values = stage.numbers(compared.value) * np.ones(1)
    fresh = 0.0
    if compared.scale is not None and compared.half.variable is not None:
        law = roles.variables[compared.half.variable].law
        if law.discrete:
            return  # its points are bends
        scale = stage.numbers(compared.scale)
        fresh, values = float(np.abs(scale).max()) * law.scale, values + scale * law.centre
    values = values[distinct(values)[0]]
    if not np.isfinite(values).all() or not width > 0 or not fresh < NARROW * width:
        return
    if first and fresh >= RESOLVED[min(smooth, 3)] * width:
        yield from _everywhere(slopes, float(values.mean()), fresh, roles)
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
            reach *= GROWTH if smooth == 1 else GROWTH**2  # in a plane each cut is paid for many times


def _everywhere(slopes: Mapping[str, float], centre: float, fresh: float, roles: Roles) -> Iterator[Kink]:
    """Cuts so close that every turn is resolved, wherever it is."""
    reach = sum(abs(f) * max(map(abs, roles.laws[name].reach(RARE))) for name, f in slopes.items())
    middle = round(centre / (FINE * fresh)) * FINE * fresh if abs(centre) < 1e6 * fresh else centre
    for k in range(-math.ceil(reach / (FINE * fresh)), math.ceil(reach / (FINE * fresh)) + 1):
        yield Kink(dict(slopes), k * FINE * fresh + middle % (FINE * fresh))


def _clusters(values: Array, gap: float) -> list[Array]:
    """Values in rising order, parted where two lie further apart; the whole if there are many parts."""
    parts = np.split(values, np.flatnonzero(np.diff(values) > gap) + 1)
    return parts if len(parts) <= MOST_CLUSTERS else [values]
