"""The same records as the numpy engine's, from the interpreter: slower, and for any program."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.record import Record
from seqlang.backends.interpret.inputs import InputSampler
from seqlang.backends.interpret.machine import Machine
from seqlang.backends.interpret.randomness import SeededRandomness
from seqlang.backends.interpret.shapes import UNKNOWN, shape_of_expression
from seqlang.backends.interpret.values import EvaluationError, Value
from seqlang.model.program import Model, Program, Report


def run_interpreted(
    program: Program,
    model: Model,
    record: Record,
    labels: dict[str, int],
    seed: int,
    cap: int | None,
    tell: Callable[[int, int], None],
) -> None:
    """Runs the runs of `record` one after the other. `tell(runs done, steps done)` is called after every step.

    Raises EvaluationError (with the run's number), KeyboardInterrupt (the present run is recorded as unstopped).
    """
    sampler = InputSampler(program, model)
    valued = {s.name for s in program.body if isinstance(s, Report) and s.value is not None}
    steps_done = 0
    for i in range(record.count):
        run = record.first + i
        randomness = SeededRandomness(seed, run)
        machine = Machine(program, randomness)
        last: dict[str, Value] = {}
        finished = 0
        try:
            dataset = sampler.dataset(randomness)
            if dataset:
                machine.load(dataset)
            while not machine.stopped and (cap is None or finished < cap):
                shown = machine.step(sampler.entry(randomness, finished + 1))
                last.update((name, value) for name, value in shown.reports if name in valued)
                finished += 1
                steps_done += 1
                tell(i, steps_done)
        except EvaluationError as error:
            raise error.noting(f"in run {run}") from None
        except KeyboardInterrupt:
            _close(record, run, finished, machine, last, labels, stopped=False)
            raise
        _close(record, run, finished, machine, last, labels, stopped=machine.stopped)


def _close(
    record: Record,
    run: int,
    steps: int,
    machine: Machine,
    last: dict[str, Value],
    labels: dict[str, int],
    *,
    stopped: bool,
) -> None:
    runs = np.array([run])
    result = machine.result
    is_label = isinstance(result, str)
    value = None if result is None else _column(labels.setdefault(result, len(labels)) if is_label else result)
    record.close(runs, steps, stopped, value, is_label)
    for name, statistic in machine.statistics().items():
        found = _column(statistic)
        if found is not None and _fixed_length(machine, name):
            record.statistic(name, runs, found)
    for name, released in last.items():
        found = _column(released)
        if found is not None and 0 not in found.shape:
            record.release(name, runs, found)
    counts = dict(machine.report_counts)
    for name in machine.reported:
        counts[name] = counts.get(name, 0) + 1
    for name, counted in counts.items():
        record.reports[name][run - record.first] = counted


def _column(value: Value) -> NDArray[np.float64] | None:
    """A number or vector as an array with a last axis of one run; None for labels, laws and ragged lists."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return array[..., None]


def _fixed_length(machine: Machine, name: str) -> bool:
    """Whether a statistic's shape is the same in every run: a list that grows has no mean."""
    statistic = machine.program.define(name)
    return UNKNOWN not in shape_of_expression(machine.compiler, statistic.expression)
