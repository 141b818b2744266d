"""Where the density of a fresh noise has a kink, a stop's chance is not smooth in the persistent noises: on the states
that are met, these are known planes, at which the quadrature is split.

`fresh_kinks(program, roles, cells, fields)` for states that do not depend on the step.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.solve.quadrature.nodes import Kink
from seqlang.backends.solve.solution import Array
from seqlang.backends.solve.step.body import Given, Stage
from seqlang.backends.solve.step.gates import Compared
from seqlang.backends.solve.step.noise_roles import Half, Roles
from seqlang.model.life import EachStep
from seqlang.model.program import Define, Program

MOST = 400
"""More planes than this, and they are so dense that they need not be known."""
MOST_TOGETHER = 12
"""In two and more dimensions."""


def fresh_kinks(
    program: Program, roles: Roles, cells: Mapping[str, Array], fields: Mapping[str, Any]
) -> tuple[Kink, ...]:
    """The planes on these rows; none where they are too many."""
    smooth = [name for name in roles.nodes if not roles.laws[name].discrete]
    if not smooth:
        return ()
    compiler = VectorCompiler(program)
    count = max((len(v) for v in [*cells.values(), *fields.values()] if np.ndim(v)), default=1)
    stage = Stage(compiler, count, strict=False)
    stage.step_number = 1
    stage.fields = dict(fields)
    stage.cells = {name: Given(value) for name, value in cells.items()}
    for index, statement in enumerate(program.body):
        if isinstance(statement, Define) and index in roles.needed.statements:
            stage.locals[statement.name] = stage.value(compiler.compile(statement.expression))
    found: dict[tuple[Any, ...], Kink] = {}
    for half in roles.halves.values():
        if half.variable is not None and not isinstance(roles.variables[half.variable].life, EachStep):
            continue
        marks = marks_of(half, roles)
        if not len(marks) or not half.known or any(t.noise not in roles.nodes for t in half.known):
            continue
        compared = Compared(half, roles, compiler)
        with np.errstate(all="ignore"):
            scale = np.ones(1) if compared.scale is None else -stage.numbers(compared.scale)
            value = np.broadcast_to(stage.numbers(compared.value) / scale, (count,))
            factors = {n: np.broadcast_to(stage.numbers(run) / scale, (count,)) for n, run in compared.known}
        for row in range(count):
            slopes = {n: float(f[row]) for n, f in factors.items()}
            for kink in marks:
                constant = float(value[row]) - kink
                if np.isfinite(constant) and any(slopes.values()):
                    key = (tuple(round(s, 9) for s in slopes.values()), tuple(slopes), round(constant, 9))
                    found.setdefault(key, Kink(slopes, constant))
        if len(found) > MOST:
            return ()
    return () if len(smooth) > 1 and len(found) > MOST_TOGETHER else tuple(found.values())


def marks_of(half: Half, roles: Roles) -> Array:
    """Where the chance of a half is not smooth in its bound: kinks of a density, points, and 0 where nothing fresh is
    left in the half."""
    if half.variable is None:
        return np.zeros(1)
    law = roles.variables[half.variable].law
    return law.atoms(1e-9)[0] if law.discrete else np.asarray(law.kinks, dtype=np.float64)
