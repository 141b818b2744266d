"""The noises whose values are listed, each value in states of its own, and the draws of the program's own `draw`s."""

from __future__ import annotations

from typing import Any

import numpy as np

from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.solve.quadrature.grid import Grid
from seqlang.backends.solve.solution import Array
from seqlang.backends.solve.step.body import Stage
from seqlang.backends.solve.step.integration_plan import IntegrationPlan
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model import expression as ir
from seqlang.model.life import EachStep, Life
from seqlang.model.program import Draw, Program

JOINT = "the nodes of fresh noises"
"""The name under which the joint nodes of all `inner` noises are drawn; no user can write it."""
TAIL = 1e-17
"""A chance. Points of an infinite discrete noise beyond which less than this lies on each side are left out. So much
counts as lost, as the chances of the others do not add up to 1 so exactly that the rest of 1 would tell."""


class EnumeratedNoises:
    """`lives` maps the name of every enumerated noise and draw to the time it stays the same. `constant_laws` are the
    names among them whose law does not depend on the state."""

    def __init__(self, program: Program, plan: IntegrationPlan, grid: Grid, compiler: VectorCompiler) -> None:
        self._program, self._compiler = program, compiler
        self.lives: dict[str, Life] = {name: plan.lives[name] for name in (*plan.enumerated, *plan.inner)}
        self.constant_laws = frozenset(self.lives)
        self.lives.update({s.name: s.life for s in program.body if isinstance(s, Draw)})
        self._points: dict[str, tuple[Array, Array, float]] = {}
        if plan.inner:  # their joint nodes are drawn at once
            self.lives[JOINT] = EachStep()
            places = np.arange(len(grid.inner_weights), dtype=np.float64)
            self._points[JOINT] = (places[:, None], grid.inner_weights[:, None], 0.0)
        for name in plan.enumerated:
            if program.noise(name).flips:
                continue  # its alphabet is known where it is read
            law = plan.laws[name]
            values, chances = law.atoms(TAIL)
            least = 0.0 if np.all(np.isfinite(law.support)) and not law.cut else 2 * TAIL
            self._points[name] = (values[:, None], chances[:, None], max(least, 1.0 - float(chances.sum())))

    def points(self, name: str, read: ir.Noised | None, stage: Stage) -> tuple[Array, Array, float]:
        """(values, chances, chance of the values left out) of an enumerated noise, all of shape (values, 1). The values
        of a flip are numbers of places by which a letter moves on the circle of its alphabet. Raises Unsolved."""
        if name not in self._points:
            law = self._program.noise(name).law
            if read is None or not isinstance(law, ir.Law):
                raise Unsolved(f"the flip `{name}` is drawn by itself")
            base: Any = stage.value(self._compiler.compile(read.base))
            size = len(stage.letters(read, base))
            truth = float(self._compiler.exact.constant(law.arguments[0]))
            chances = np.full((size, 1), (1 - truth) / max(1, size - 1))
            chances[0] = truth if size > 1 else 1.0
            self._points[name] = (np.arange(size, dtype=np.float64)[:, None], chances, 0.0)
        return self._points[name]
