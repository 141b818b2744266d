"""Whether it is worth to compile a kernel for a simulation.

To compile one takes seconds, and numpy answers small questions before. What is looked at is the work alone, as a short
pilot finds it, never a clock or what the cache holds: the two engines draw different random numbers, and the same
command must give the same ones.
"""

from __future__ import annotations

import numpy as np

from seqlang.backends.arrays.record import UNSTOPPED
from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.shapes import shape_of_domain
from seqlang.backends.montecarlo.by_numpy import LARGEST_BATCH, ByNumpy
from seqlang.backends.montecarlo.chunks import Watch
from seqlang.backends.montecarlo.stopping import latest_end
from seqlang.model import expression as ir
from seqlang.model.program import Model, Program, nodes_in

PILOT_RUNS = 64
PILOT_NUMBERS = 2048
"""Runs times coordinates of the pilot, if that leaves eight runs."""
PILOT_STEPS = 256
WORTH = 1.5
"""Seconds of numpy, estimated, from which on a kernel is compiled."""
A_NUMBER = 2e-9
"""Seconds for an operation of numpy on one number, about;"""
A_CALL = 3e-6
"""and on an array of any length."""


def worth_compiling(program: Program, model: Model, seed: int, runs: int, cap: int | None) -> bool:
    """Whether numpy would need long for so many runs. Raises CannotVectorise if numpy cannot run the program."""
    pilot = max(8, min(PILOT_RUNS, PILOT_NUMBERS // _width(program)))
    steps = _mean_steps(program, model, seed, min(runs, pilot), cap)
    return numpy_seconds(program, runs, steps, model) > WORTH


def numpy_seconds(program: Program, runs: int, steps: float, model: Model | None = None) -> float:
    """About how long numpy takes, without a model for given inputs."""
    batches = -(-runs // LARGEST_BATCH)
    return operations(program, model) * steps * (batches * A_CALL + runs * A_NUMBER * _width(program))


def _mean_steps(program: Program, model: Model, seed: int, runs: int, cap: int | None) -> float:
    """From a few runs that are left early: all their steps over the number of those that stopped."""
    watch = Watch(np.zeros(1, dtype=np.int64), lambda: None)
    left = PILOT_STEPS if cap is None else min(cap, PILOT_STEPS)
    chunk = ByNumpy(program, model, seed, PILOT_RUNS).run(0, runs, left, watch)
    if watch.leaving:
        raise KeyboardInterrupt
    stopped = int(np.count_nonzero(chunk.codes != UNSTOPPED))
    mean = float(chunk.steps.sum()) / max(stopped, 0.5)
    ends = (cap, latest_end(program))
    return min([mean, *(end for end in ends if end is not None)])


def operations(program: Program, model: Model | None) -> int:
    """The expressions that a step evaluates, counted as they stand in the program."""
    found = sum(1 for _, law in (() if model is None else model.laws) for _ in ir.walk(law))
    return found + sum(1 for _ in nodes_in(program.body))


def _width(program: Program) -> int:
    """The coordinates of the longest vector of an entry."""
    compiler = Compiler(program)
    return max((int(np.prod(shape_of_domain(compiler, i.domain))) for i in program.inputs), default=1)
