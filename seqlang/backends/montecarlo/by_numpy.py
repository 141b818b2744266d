"""The numpy engine and the interpreter, a part of the runs at a time."""

from __future__ import annotations

import numpy as np

from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.arrays.endings import Recorded
from seqlang.backends.arrays.engine import Engine
from seqlang.backends.arrays.inputs import VectorInputs
from seqlang.backends.arrays.record import Record
from seqlang.backends.arrays.runs import Runs
from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.shapes import declared_records, shape_of_domain
from seqlang.backends.montecarlo import chunks
from seqlang.backends.montecarlo.chunks import LARGEST_BLOCK, Chunk, Watch
from seqlang.model.program import LastSteps, Model, Program
from seqlang.record import field_names

LARGEST_BATCH = 1 << 14
"""Runs at once: their arrays stay in the processor's cache, and a step's fixed cost is spread thin."""
MEMORY = 1 << 28
"""Bytes that one batch may take, about."""


class ByNumpy(chunks.Engine):
    """All runs of a part step by step, side by side."""

    name = "numpy"

    def __init__(self, program: Program, model: Model, seed: int, batch: int | None) -> None:
        self.program, self.model, self.seed = program, model, seed
        self.batch = batch or runs_in_memory(program)
        self.block = largest_block(program)

    def run(self, first: int, count: int, cap: int | None, watch: Watch) -> Chunk:
        """See `chunks.Engine`."""
        record = Record(first, count, self.program.report_names)
        compiler = VectorCompiler(self.program)
        inputs = VectorInputs(self.program, self.model, compiler)
        runs = Runs(compiler, self.seed, np.arange(first, first + count, dtype=np.int64))
        engine = Engine(runs, inputs, Recorded(record))

        def tell(engine: Engine) -> None:
            watch.done[0] = count - np.count_nonzero(runs.alive)
            watch.done[1] = engine.steps_done
            watch.look()

        try:
            engine.run(cap, tell)
        except KeyboardInterrupt:
            watch.leave()
        chunk = chunk_of(record)
        engine.forget()
        return chunk


def chunk_of(record: Record) -> Chunk:
    """What is written down; `VectorCompiler.labels` numbers the labels as a chunk does."""
    return Chunk(**{name: getattr(record, name) for name in field_names(Chunk)})


def largest_block(program: Program) -> int:
    """See `chunks.Engine.block`."""
    return 1 << (runs_in_memory(program, LARGEST_BLOCK).bit_length() - 1)


def runs_in_memory(program: Program, most: int = LARGEST_BATCH) -> int:
    """As many runs as fit the memory: counted are records, vectors and windows."""
    compiler = Compiler(program)
    width = 1
    numbers = 64
    for declared in program.inputs:
        d = int(np.prod(shape_of_domain(compiler, declared.domain)))
        width = max(width, d)
        numbers += d * (len(declared_records(compiler)) if declared.kind == "dataset" else 1)
    for statement in program.body:
        keep = getattr(statement, "keep", None)
        if isinstance(keep, LastSteps) and not compiler.compile(keep.count).reads:
            numbers += 3 * width * int(compiler.constant(keep.count))
    numbers += 40 * width
    return int(min(most, max(16, MEMORY // (8 * numbers))))
