"""Where the chances of the first steps are not smooth in the noises that persist: planes at which quadrature is split.

`bends(program, roles) -> tuple[Kink, ...]`, the strongest first. A half reads plain value + factors * persistent
noises + scale * fresh noise. Its chance jumps, or its slope bends, where the fresh noise would have to be at one of its
points, or where its density is not smooth. Plain values are taken from sampled streams of data: what a plane is worth
falls with how rare its value is, and with how far the persistent noises must go. A plane too many costs some nodes, one
too few accuracy (which the comparison of two orders shows); neither is an error.
"""

from __future__ import annotations

import math

import numpy as np

from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.arrays.values import CannotVectorise, from_constant
from seqlang.backends.interpret.values import EvaluationError
from seqlang.backends.solve.noises.scalar_law import Array
from seqlang.backends.solve.quadrature.nodes import Kink
from seqlang.backends.solve.step.body import Stage, started
from seqlang.backends.solve.step.entries import Entry, entries
from seqlang.backends.solve.step.gates import Compared
from seqlang.backends.solve.step.noise_roles import Half, Roles
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.life import EachStep
from seqlang.model.program import Cell, Define, Program, Report

STREAMS = 200
STEPS = 12
MOST = {1: 400, 2: 20, 3: 2}
"""Planes by the number of smooth persistent noises."""
WEAK = {1: 1e-9, 2: 1e-3, 3: 1e-2}
JUMP = 30.0
"""How much more a jump is worth than a bend."""


def bends(program: Program, roles: Roles) -> tuple[Kink, ...]:
    """None where the data have a density, or the first steps cannot be followed without the noises."""
    smooth = [name for name in roles.nodes if not roles.laws[name].discrete]
    if not smooth:
        return ()
    try:
        with np.errstate(all="ignore"):
            worth = _followed(program, roles)
    except (Unsolved, CannotVectorise, EvaluationError, KeyError, ArithmeticError, ValueError, TypeError):
        return ()
    size = min(len(smooth), 3)
    strong = [key for key in worth if worth[key][1] > WEAK[size]]
    best = sorted(strong, key=lambda key: -worth[key][1])[: MOST[size]]
    return tuple(Kink(dict(key[0]), worth[key][0]) for key in best)


Plane = tuple[tuple[tuple[str, float], ...], float]
Worth = dict[Plane, tuple[float, float]]
"""By plane, its constant rounded: the constant before rounding (a jump must be met exactly), and the worth."""


def _followed(program: Program, roles: Roles) -> Worth:
    compiler = VectorCompiler(program)
    halves = [Compared(half, roles, compiler) for half in roles.halves.values() if _matters(half, roles)]
    if not halves:
        return {}
    draws = _Draws(program, compiler)
    stage = started(program, compiler, roles.needed.names)
    stage.strict = False
    for cell in stage.cells.values():
        cell.begin(None)
    stage = stage.take(np.zeros(STREAMS, dtype=np.intp))
    worth: Worth = {}
    for step in range(1, STEPS + 1):
        stage.step_number = step
        stage.fields = draws.draw()
        for index, statement in enumerate(program.body):
            if index not in roles.needed.statements:
                continue
            match statement:
                case Define(name, expression):
                    stage.locals[name] = stage.value(compiler.compile(expression))
                case Cell(name):
                    stage.cells[name].tick(stage.frame())
                case Report(name):  # as if nothing were reported
                    stage.fired[name] = stage.released[name] = np.zeros(STREAMS, dtype=bool)
                case _:
                    pass
        for compared in halves:
            _add(worth, compared, stage, roles)
        for cell in stage.cells.values():
            cell.begin(None if cell.report is None else np.zeros(STREAMS, dtype=bool))
    return worth


def _matters(half: Half, roles: Roles) -> bool:
    if not half.known or any(t.noise not in roles.nodes for t in half.known):
        return False
    if half.variable is None:
        return True
    variable = roles.variables[half.variable]
    return isinstance(variable.life, EachStep) and bool(variable.law.discrete or variable.law.kinks)


def _add(worth: Worth, compared: Compared, stage: Stage, roles: Roles) -> None:
    """The planes of one half in one step."""
    value = np.broadcast_to(stage.numbers(compared.value), (stage.count,))
    names = [name for name, _ in compared.known]
    factors = [np.broadcast_to(stage.numbers(run), (stage.count,)) for _, run in compared.known]
    scale = np.zeros(1) if compared.scale is None else stage.numbers(compared.scale)
    points, chances = _points(compared, roles)
    table = np.column_stack([*factors, value, np.broadcast_to(scale, (stage.count,))])
    _, first, counts = np.unique(np.round(table, 12), axis=0, return_index=True, return_counts=True)
    table = table[first]
    spread = [roles.laws[name].scale for name in names]
    centres = [roles.laws[name].centre for name in names]
    for row, count in zip(table, counts, strict=True):
        slopes = row[: len(names)]
        width = math.sqrt(float(np.sum((slopes * spread) ** 2)))
        if not width > 0 or not np.all(np.isfinite(row)):
            continue
        constants = row[-2] + row[-1] * points
        far = np.abs(constants + float(slopes @ centres)) / width
        some = count / STREAMS * chances * np.exp(-far)
        for constant, weight in zip(constants, some, strict=True):
            # one way to write a plane
            plane = tuple((n, round(float(s / slopes[0]), 12)) for n, s in zip(names, slopes, strict=True) if s)
            if slopes[0]:
                exact = float(constant / slopes[0])
                key = (plane, round(exact, 9) + 0.0)
                _, before = worth.get(key, (exact, 0.0))
                worth[key] = (exact, before + float(weight))


def _points(compared: Compared, roles: Roles) -> tuple[Array, Array]:
    """Where the fresh noise makes the chance jump or bend, and how much."""
    if compared.half.variable is None:
        return np.zeros(1), np.full(1, JUMP)
    law = roles.variables[compared.half.variable].law
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
        self.columns = {
            name: np.concatenate(
                [_column(from_constant(e.fields[name], compiler.labels)) for e in self.listed], axis=-1
            )
            for name in self.listed[0].fields
        }

    def draw(self) -> dict[str, Array]:
        chosen = self.random.choice(len(self.listed), STREAMS, p=self.chances / self.chances.sum())
        return {name: column[..., chosen] for name, column in self.columns.items()}


def _column(value: object) -> Array:
    array = np.asarray(value, dtype=np.float64)
    return array.reshape(1) if array.ndim == 0 else array
