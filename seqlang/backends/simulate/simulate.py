"""Many runs of a program under a model."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.shapes import shape_of_domain
from seqlang.backends.interpret.values import as_index
from seqlang.backends.simulate.arrays import CannotVectorise
from seqlang.backends.simulate.engine import Engine
from seqlang.backends.simulate.interpreted import run_interpreted
from seqlang.backends.simulate.progress import Progress, Teller
from seqlang.backends.simulate.record import Record
from seqlang.backends.simulate.samples import Samples
from seqlang.backends.simulate.stopping import chosen_model, require_end
from seqlang.backends.simulate.vectorised import VectorCompiler
from seqlang.diagnostics import Diagnostic, SpecError
from seqlang.model.program import LastSteps, Model, Program, Report, Stop

EngineName = Literal["auto", "numpy", "interpreter"]
LARGEST_BATCH = 1 << 14
"""Runs at once: their arrays stay in the processor's cache, and a step's fixed cost is spread thin."""
MEMORY = 1 << 28
"""Bytes that one batch may take, about."""


def simulate(
    program: Program,
    model: Model | str | None,
    *,
    runs: int,
    seed: int,
    cap: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    engine: EngineName = "auto",
    batch: int | None = None,
) -> Samples:
    """`runs` independent runs, each to its stop or to `cap` steps.

    A seed gives the same numbers for any `batch` (runs computed together). `engine="auto"` takes numpy, and the
    interpreter where numpy cannot (`Samples.why_interpreted`); the two draw different random numbers. A
    KeyboardInterrupt ends it early: `Samples.interrupted`, with the runs so far.

    Raises SpecError: E0606 (needs a cap), E0607 to E0609 (no such model), E0620 and E0621 (an expression or a model
    without a value), E0622 (`engine="numpy"` cannot run this).
    """
    found = chosen_model(program, model)
    require_end(program, cap)
    simulation = _Simulation(program, found, runs, seed, cap, progress)
    if engine == "interpreter":
        return simulation.interpreted(None)
    try:
        return simulation.vectorised(batch or _batch(program))
    except CannotVectorise as reason:
        if engine == "numpy":
            message = f"the numpy engine cannot run this: {reason}"
            raise SpecError((Diagnostic("E0622", message, help="use the engine `auto`"),)) from None
        return simulation.interpreted(str(reason))


class _Simulation:
    def __init__(
        self,
        program: Program,
        model: Model,
        runs: int,
        seed: int,
        cap: int | None,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self.program, self.model, self.runs, self.seed, self.cap = program, model, runs, seed, cap
        self.teller = Teller(progress, runs)
        self.labels = VectorCompiler(program).labels
        self.reports = tuple(s.name for s in program.body if isinstance(s, Report))

    def interpreted(self, why: str | None) -> Samples:
        record = Record(0, self.runs, self.reports)
        began, interrupted, done = time.perf_counter(), False, 0

        def tell(runs_done: int, steps_done: int) -> None:
            nonlocal done
            done = runs_done
            mean = float(record.steps[:runs_done].mean()) if runs_done else None
            self.teller.tell(lambda: (runs_done, steps_done, mean))

        try:
            run_interpreted(self.program, self.model, record, self.labels, self.seed, self.cap, tell)
        except KeyboardInterrupt:
            interrupted = True
            done += 1
        return self._samples([record], done if interrupted else self.runs, interrupted, "interpreter", why, began)

    def vectorised(self, batch: int) -> Samples:
        records: list[Record] = []
        began, interrupted, steps_before = time.perf_counter(), False, 0
        # Equal batches: a short one at the end would cost as many numpy calls as a full one.
        parts = -(-self.runs // batch)
        ends = [self.runs * (i + 1) // parts for i in range(parts)]
        first = 0
        for end in ends:
            record = Record(first, end - first, self.reports)
            runs = np.arange(first, end, dtype=np.int64)
            engine = Engine(self.program, self.model, record, self.seed, runs)
            records.append(record)

            def tell(engine: Engine, first: int = first, size: int = end - first, before: int = steps_before) -> None:
                self.teller.tell(lambda: _so_far(engine, records, first, size, before))

            try:
                engine.run(self.cap, tell)
            except KeyboardInterrupt:
                interrupted = True
                break
            finally:
                steps_before += engine.steps_done
            first = end
        done = sum(r.count for r in records)
        return self._samples(records, done, interrupted, "numpy", None, began)

    def _samples(
        self, records: list[Record], runs: int, interrupted: bool, engine: str, why: str | None, began: float
    ) -> Samples:
        statistics = _tables([r.statistics for r in records], records, runs)
        released = _tables([r.released for r in records], records, runs)
        values = [r.values for r in records]
        joined = None if all(v is None for v in values) else _joined(values, [r.count for r in records])[..., :runs]
        codes = np.concatenate([r.codes for r in records])[:runs]
        returned = _returnable(self.program)
        return Samples(
            algorithm=self.program.name,
            model=self.model.name,
            runs=runs,
            seed=self.seed,
            cap=self.cap,
            interrupted=interrupted,
            engine=engine,
            why_interpreted=why,
            seconds=time.perf_counter() - began,
            steps=np.concatenate([r.steps for r in records])[:runs],
            codes=_renumbered(codes, self.labels, returned),
            labels=returned,
            values=joined,
            statistics=statistics,
            released=released,
            reports={name: np.concatenate([r.reports[name] for r in records])[:runs] for name in self.reports},
        )


def _returnable(program: Program) -> tuple[str, ...]:
    """The labels that stops may return, in the file's order (a flipped return may be any of them)."""
    from seqlang.model import expression as ir

    found: dict[str, None] = {}
    for stop in program.body:
        if isinstance(stop, Stop) and stop.result is not None:
            for e in ir.walk(stop.result):
                if isinstance(e, ir.Label):
                    found.setdefault(e.name)
                if isinstance(e, (ir.Drawn, ir.Local)):
                    found.update(dict.fromkeys(program.labels))
    flipped = any(n.target == "return" for n in program.noises)
    return tuple(dict.fromkeys((*found, *program.labels))) if flipped else tuple(found)


def _renumbered(codes: NDArray[Any], labels: dict[str, int], returned: tuple[str, ...]) -> NDArray[Any]:
    """Labels' numbers in the compiler's table to their places in `returned`."""
    result: NDArray[Any] = np.minimum(codes, -1)
    for place, name in enumerate(returned):
        result[codes == labels[name]] = place
    return result


def _tables(parts: list[dict[str, NDArray[Any]]], records: list[Record], runs: int) -> dict[str, NDArray[Any]]:
    return {
        name: _joined([part.get(name) for part in parts], [r.count for r in records])[..., :runs]
        for name in dict.fromkeys(n for part in parts for n in part)
    }


def _joined(parts: list[NDArray[Any] | None], counts: list[int]) -> NDArray[Any]:
    shape = next(p.shape[:-1] for p in parts if p is not None)
    filled = [np.full((*shape, n), np.nan) if p is None else p for p, n in zip(parts, counts, strict=True)]
    joined: NDArray[Any] = np.concatenate(filled, axis=-1)
    return joined


def _so_far(engine: Engine, records: list[Record], first: int, size: int, before: int) -> tuple[int, int, float | None]:
    living = int(np.count_nonzero(engine.alive))
    finished = np.concatenate([r.steps[r.steps > 0] for r in records])
    mean = float(finished.mean()) if len(finished) else None
    return first + size - living, before + engine.steps_done, mean


def _batch(program: Program) -> int:
    """As many runs as fit the memory: counted are records, vectors and windows."""
    compiler = Compiler(program)
    size = 0 if program.size is None else as_index(compiler.constant(program.size))
    width = 1
    numbers = 64
    for declared in program.inputs:
        d = int(np.prod(shape_of_domain(compiler, declared.domain)))
        width = max(width, d)
        numbers += d * (size if declared.kind == "dataset" else 1)
    for statement in program.body:
        keep = getattr(statement, "keep", None)
        if isinstance(keep, LastSteps) and not compiler.compile(keep.count).reads:
            numbers += 3 * width * int(compiler.constant(keep.count))
    numbers += 40 * width
    return int(min(LARGEST_BATCH, max(16, MEMORY // (8 * numbers))))
