"""Streams of data sampled side by side, for finding out which values the comparisons of the first steps meet.

Nothing is reported and nobody stops on these streams: they show where kinks of the integrand may lie, and no number of
the law is taken from them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.solve.noises.scalar_law import Array
from seqlang.backends.solve.step.body import Stage, started
from seqlang.backends.solve.step.integration_plan import IntegrationPlan, NoisyComparison
from seqlang.model.life import EachStep
from seqlang.model.program import Cell, Define, Program, Report


def followed(
    program: Program,
    plan: IntegrationPlan,
    compiler: VectorCompiler,
    streams: int,
    steps: int,
    draw: Callable[[int], dict[str, Array]],
) -> Iterator[tuple[int, Stage]]:
    """(step, state of all streams) after the body of each step. `draw(step)` gives the entries of all streams."""
    stage = started(program, compiler, plan.needed.names)
    stage.strict = False
    for cell in stage.cells.values():
        cell.begin(None)
    stage = stage.take(np.zeros(streams, dtype=np.intp))
    for step in range(1, steps + 1):
        stage.step_number = step
        stage.fields = draw(step)
        for index, statement in enumerate(program.body):
            if index not in plan.needed.statements:
                continue
            match statement:
                case Define(name, expression):
                    stage.locals[name] = stage.value(compiler.compile(expression))
                case Cell(name):
                    stage.cells[name].tick(stage.frame())
                case Report(name):
                    stage.fired[name] = stage.released[name] = np.zeros(streams, dtype=bool)
                case _:
                    pass
        yield step, stage
        for cell in stage.cells.values():
            cell.begin(None if cell.report is None else np.zeros(streams, dtype=bool))


def on_nodes(comparison: NoisyComparison, plan: IntegrationPlan) -> bool:
    """Whether the comparison reads persistent noises that have nodes, no other known noise, and beside them fresh noise
    or none."""
    if not comparison.known or any(t.noise not in plan.nodes for t in comparison.known):
        return False
    return comparison.variable is None or isinstance(plan.variables[comparison.variable].life, EachStep)
