"""The interpreter as an engine: any program, one run after the other."""

from __future__ import annotations

from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.arrays.record import Record
from seqlang.backends.montecarlo.by_numpy import chunk_of, largest_block
from seqlang.backends.montecarlo.chunks import Chunk, Engine, Watch
from seqlang.backends.montecarlo.interpreted import run_interpreted
from seqlang.model.program import Model, Program


class ByInterpreter(Engine):
    """`why`: why no faster engine runs the program."""

    name = "interpreter"
    batch = 64

    def __init__(self, program: Program, model: Model, seed: int, why: str | None) -> None:
        self.program, self.model, self.seed, self.why = program, model, seed, why
        self.labels = VectorCompiler(program).labels
        self.block = largest_block(program)

    def run(self, first: int, count: int, cap: int | None, watch: Watch) -> Chunk:
        """See `chunks.Engine`."""
        record = Record(first, count, self.program.report_names)
        done = 0

        def tell(runs_done: int, steps_done: int) -> None:
            nonlocal done
            done = runs_done
            watch.done[:] = runs_done, steps_done
            watch.look()

        try:
            run_interpreted(self.program, self.model, record, self.labels, self.seed, cap, tell)
        except KeyboardInterrupt:
            watch.leave()
        chunk = chunk_of(record)
        return chunk.part(0, done + 1) if watch.leaving else chunk
