"""What is estimated: a program under a model, the return that is looked for, and what proposals may change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.arrays.frame import Frame
from seqlang.backends.arrays.runs import Runs
from seqlang.backends.arrays.streams import Source
from seqlang.backends.rare.bins import Bins
from seqlang.backends.rare.fields import Shape, shape_of_law
from seqlang.backends.rare.plan import Plan, plan_of
from seqlang.backends.solve.stops.outcomes import chances_of_return
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model import expression as ir
from seqlang.model.print import names_of
from seqlang.model.program import Model, Program, Stop
from seqlang.record import record

ANY = "stops"
"""The name of the event that a run stops, whatever it returns."""
Array = NDArray[np.float64]
Matches = Callable[[Runs, NDArray[np.intp]], Any]


@record
class Setting:
    """`shapes`: the fields whose laws are tilted; `bins`: the noises whose draws are moved."""

    plan: Plan
    model: Model
    target: str
    shapes: Mapping[str, Shape]
    bins: Mapping[str, Bins]

    def matches(self, stop: Stop, compiler: VectorCompiler) -> Matches | None:
        """The chance that this stop returns what is looked for: a number or an array (all runs); None: never."""
        if self.target == ANY:
            return lambda runs, rows: 1.0
        result = stop.result
        if result is None:
            return None
        chance = _of_flips(result, self.target, self.plan.program, compiler)
        if chance is not None:
            return None if chance == 0 else lambda runs, rows: chance
        wanted = _wanted(self.target, compiler.is_label(result), compiler)
        if wanted is None:
            return None
        run = compiler.compile(result)

        def share(runs: Runs, rows: NDArray[np.intp]) -> Array:
            found = np.zeros(runs.count)
            found[rows] = np.equal(run(Frame(runs, rows)), wanted)
            return found

        return share


def setting_of(program: Program, model: Model, target: str, *, data: bool = True, noise: bool = True) -> Setting:
    """`data`, `noise`: whether proposals may tilt the data, and move the noises that are drawn once."""
    plan = plan_of(program)
    shapes = _shapes(plan.program, model) if data else {}
    bins = {name: Bins(law) for name, law in plan.shiftable.items()} if noise else {}
    return Setting(plan, model, target, shapes, {name: b for name, b in bins.items() if b.count > 1})


def _wanted(target: str, is_label: bool, compiler: VectorCompiler) -> float | None:
    if is_label:
        return compiler.labels.get(target)
    try:
        return float(target)
    except ValueError:
        return None


def _of_flips(result: ir.Expression, target: str, program: Program, compiler: VectorCompiler) -> float | None:
    """The chance that a constant, flipped some times, is the target; None where the return is no such thing."""
    try:
        law = chances_of_return(result, compiler, [n.name for n in program.noises if n.flips])
    except Unsolved:
        return None
    return sum(p for outcome, p in law.items() if _named(outcome) == target or outcome == target)


def _named(outcome: str | float | None) -> str:
    return outcome if isinstance(outcome, str) else "" if outcome is None else names_of((outcome,))[outcome]


def _shapes(program: Program, model: Model) -> dict[str, Shape]:
    """What the laws of the fields look like in the first step."""
    compiler = VectorCompiler(program)
    runs = Runs(compiler, 1, np.arange(8, dtype=np.int64))
    runs.step_number = 1
    source, frame = Source(runs.input_streams, None), Frame(runs)
    found: dict[str, Shape] = {}
    for name, expression in model.laws:
        law = compiler.compile(expression)(frame)
        shape = shape_of_law(law)
        if shape is not None:
            found[name] = shape
        dimension = law.shape()
        runs.fields[name] = law.sample(source, dimension)
    return found
