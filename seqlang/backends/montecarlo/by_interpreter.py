"""The interpreter as an engine: any program, one run after the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.arrays.record import Record
from seqlang.backends.interpret.inputs.drawn import InputSampler
from seqlang.backends.interpret.machine import Machine
from seqlang.backends.interpret.randomness import SeededRandomness
from seqlang.backends.interpret.rationals import compiler_of
from seqlang.backends.interpret.shapes import UNKNOWN, shape_of_expression
from seqlang.backends.interpret.values import EvaluationError, Value
from seqlang.backends.montecarlo.by_numpy import chunk_of, largest_block
from seqlang.backends.montecarlo.chunks import Chunk, Engine, Watch
from seqlang.model.program import Model, Program, Report


class ByInterpreter(Engine):
    """`why`: why no faster engine runs the program."""

    name = "interpreter"
    batch = 64

    def __init__(self, program: Program, model: Model, seed: int, why: str | None) -> None:
        self.program, self.model, self.seed, self.why = program, model, seed, why
        self.labels = VectorCompiler(program).labels
        self.compiler = compiler_of(program)
        self.block = largest_block(program)
        self._valued = {s.name for s in program.body if isinstance(s, Report) and s.value is not None}

    def run(self, first: int, count: int, cap: int | None, watch: Watch) -> Chunk:
        """See `chunks.Engine`. Raises EvaluationError with the run's number."""
        record = Record(first, count, self.program.report_names)
        sampler = InputSampler(self.program, self.model)
        steps = 0
        for run in range(first, first + count):
            randomness = SeededRandomness(self.seed, run)
            machine = Machine(self.program, randomness, compiler=self.compiler)
            last: dict[str, Value] = {}
            finished = 0
            try:
                records = sampler.dataset(randomness)
                if records:
                    machine.load(records)
                while not machine.stopped and (cap is None or finished < cap):
                    shown = machine.step(sampler.entry(randomness, finished + 1, machine.memory))
                    last.update((name, value) for name, value in shown.reports if name in self._valued)
                    finished += 1
                    steps += 1
                    watch.done[:] = run - first, steps
                    watch.look()
            except EvaluationError as error:
                raise error.noting(f"in run {run}") from None
            except KeyboardInterrupt:
                watch.leave()
                self._close(record, run, finished, machine, last, stopped=False)
                break
            self._close(record, run, finished, machine, last, machine.stopped)
        chunk = chunk_of(record)
        return chunk.part(0, int(watch.done[0]) + 1) if watch.leaving else chunk

    def _close(
        self, record: Record, run: int, steps: int, machine: Machine, last: dict[str, Value], stopped: bool
    ) -> None:
        runs, result = np.array([run]), machine.result
        is_label = isinstance(result, str)
        if is_label:
            result = self.labels.setdefault(result, len(self.labels))
        record.close(runs, steps, stopped, None if result is None else _column(result), is_label)
        for name, statistic in machine.statistics().items():
            found = _column(statistic)
            if found is not None and _fixed_length(machine, name):
                record.last(record.statistics, name, runs, found)
        for name, released in last.items():
            found = _column(released)
            if found is not None and 0 not in found.shape:
                record.last(record.released, name, runs, found)
        for name, times in machine.times_reported().items():
            record.reports[name][run - record.first] = times


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
