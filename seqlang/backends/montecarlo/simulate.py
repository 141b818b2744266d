"""Many runs of a program under a model."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Literal

import numpy as np

from seqlang.backends.arrays.record import returned_labels
from seqlang.backends.arrays.values import CannotVectorise
from seqlang.backends.montecarlo.by_interpreter import ByInterpreter
from seqlang.backends.montecarlo.by_numpy import ByNumpy
from seqlang.backends.montecarlo.chunks import (
    SMALLEST_BLOCK,
    Chunk,
    Engine,
    Part,
    Watch,
    block_end,
    blocks,
    broken_off,
)
from seqlang.backends.montecarlo.drive import Drive
from seqlang.backends.montecarlo.interval import Z95
from seqlang.backends.montecarlo.progress import Estimate, Progress, Teller
from seqlang.backends.montecarlo.samples import Runs, Samples
from seqlang.backends.montecarlo.stopping import chosen_model, require_end
from seqlang.backends.montecarlo.tally import Tally, merged
from seqlang.backends.montecarlo.until import Until, judged, looks, wanted
from seqlang.backends.montecarlo.worth import worth_compiling
from seqlang.diagnostics import Diagnostic, SpecError
from seqlang.model.program import Model, Program
from seqlang.record import record

EngineName = Literal["auto", "compiled", "numpy", "interpreter"]
FEW = 1000
"""Fewer runs of what numpy cannot run are left to the interpreter."""
SHARES = 64
"""Into about as many blocks, or more, runs are divided."""
KEPT = 1 << 17
"""The arrays of so many runs are kept; of more runs only the tally."""


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
    threads: int | None = None,
    until_ci: float | None = None,
    keep: int = KEPT,
) -> Samples:
    """`runs` independent runs, each to its stop or to `cap` steps; with `until_ci` at most so many, until the 95 %
    interval is no wider than that (see `Until`).

    A seed gives the same numbers for any `batch` (runs computed together) and any number of `threads` (default: the
    processors that this process may use). `engine="auto"` takes numpy for little work, for more a compiled kernel, and
    the interpreter where these cannot run the program (`Samples.why_interpreted`); each draws random numbers of its
    own. Memory does not grow with the runs: beyond `keep` of them, single runs are computed again when they are
    asked for. A KeyboardInterrupt ends it early: `Samples.interrupted`, with the runs so far.

    Raises SpecError: E0606 (needs a cap), E0607 to E0609 (no such model), E0620 and E0621 (an expression or a model
    without a value), E0622 (`engine="numpy"` cannot run this).
    """
    found = chosen_model(program, model)
    require_end(program, cap)
    recipe = _Recipe(program, found, seed, cap, batch, threads)
    ends = list(looks(runs)) if until_ci is not None else [runs]
    names, why = _engines(recipe, _likely(runs, until_ci)) if engine == "auto" else ((engine,), None)
    for name in names:
        try:
            return _simulated(recipe, name, why, ends, progress, until_ci, keep)
        except CannotVectorise as reason:
            why = str(reason)
    message = f"the {engine} engine cannot run this: {why}"
    raise SpecError((Diagnostic("E0622", message, help="use the engine `auto`"),))


@record
class _Recipe:
    """All that a run's outcome depends on, except for its number and the engine."""

    program: Program
    model: Model
    seed: int
    cap: int | None
    batch: int | None
    threads: int | None

    def engine(self, name: str, why: str | None) -> Engine:
        if name == "interpreter":
            return ByInterpreter(self.program, self.model, self.seed, why)
        if name == "compiled":
            from seqlang.backends.kernels.runs import ByKernel

            return ByKernel(self.program, self.model, self.seed, self.threads, self.batch)
        return ByNumpy(self.program, self.model, self.seed, self.batch)


def _engines(recipe: _Recipe, runs: int) -> tuple[tuple[str, ...], str | None]:
    """In the order in which they are tried, and why numpy is not among them."""
    try:
        worth = worth_compiling(recipe.program, recipe.model, recipe.seed, runs, recipe.cap)
    except CannotVectorise as reason:
        return ("compiled", "interpreter") if runs >= FEW else ("interpreter",), str(reason)
    return ("compiled", "numpy") if worth else ("numpy",), None


def _likely(runs: int, until_ci: float | None) -> int:
    """How many runs there will be, about: an interval that narrow takes at most so many."""
    return runs if until_ci is None else int(min(runs, (2 * Z95 / until_ci) ** 2 / 4 + 1))


def _again(recipe: _Recipe, name: str, broken_off: Mapping[int, int], end: int) -> Iterator[Chunk]:
    """The first runs once more, those that were broken off up to the same step: they may have no end."""
    engine = recipe.engine(name, None)
    with Drive(engine, recipe.cap, Teller(None, (), lambda _estimate, runs: runs)) as drive:
        begin = 0
        for run in (*sorted(run for run in broken_off if run < end), end):
            if begin < run:
                yield from drive.chunks(begin, run)
            if drive.interrupted:
                raise KeyboardInterrupt
            if run < end:
                yield engine.run(run, 1, broken_off[run], Watch(np.zeros(1, np.int64), lambda: None))
            begin = run + 1


def _simulated(
    recipe: _Recipe,
    name: str,
    why: str | None,
    ends: list[int],
    progress: Callable[[Progress], None] | None,
    until_ci: float | None,
    keep: int,
) -> Samples:
    """`ends`: the numbers of runs after which to look whether they are enough; the last is the most."""
    began = time.perf_counter()
    gathered = _Gathered(returned_labels(recipe.program), keep, recipe.cap)
    engine = recipe.engine(name, why)
    prepared = time.perf_counter()
    until, interrupted = _gather(gathered, engine, ends, progress, until_ci)
    if gathered.tally is None:
        raise KeyboardInterrupt
    return Samples(
        algorithm=recipe.program.name,
        model=recipe.model.name,
        seed=recipe.seed,
        cap=recipe.cap,
        interrupted=interrupted,
        engine=engine.name,
        why_interpreted=engine.why,
        seconds=time.perf_counter() - began,
        preparing=prepared - began,
        tally=gathered.tally,
        all_runs=Runs(gathered.runs, gathered.kept, partial(_again, recipe, name, gathered.broken_off)),
        until=until,
    )


def _gather(
    gathered: _Gathered, engine: Engine, ends: list[int], progress: Callable[[Progress], None] | None,
    until_ci: float | None,
) -> tuple[Until | None, bool]:  # fmt: skip
    """Makes the runs, up to each of the ends until they are enough: how narrow the interval is, and whether somebody
    interrupted."""

    def runs_wanted(estimate: Estimate | None, done: int) -> int:
        return ends[-1] if until_ci is None else wanted(until_ci, estimate, done, ends[-1])

    until: Until | None = None
    interrupted = False
    keep = gathered.keep
    sizes = partial(block_end, largest=engine.block, smallest=_smallest_block(ends))
    single = sizes(keep - 1) if keep and (until_ci is not None or ends[-1] <= keep) else 0
    with Drive(engine, gathered.cap, Teller(progress, gathered.labels, runs_wanted), sizes) as drive:
        try:
            for number, end in enumerate(ends, start=1):
                for block in blocks(drive.parts(gathered.runs, end, single), sizes):
                    gathered.add(block, drive.interrupted)
                interrupted = drive.interrupted
                if until_ci is not None and gathered.tally is not None:
                    until = judged(gathered.tally, until_ci, number)
                if interrupted or (until is not None and until.reached):
                    break
        except KeyboardInterrupt:
            interrupted = True
    return until, interrupted


class _Gathered:
    """The tally of the blocks so far. `kept` are all of them while they are few, and those that an interrupt may have
    cut short; of blocks that were only counted there are none. `broken_off` are the runs that the interrupt found at
    work, with the steps that they had made."""

    def __init__(self, labels: tuple[str, ...], keep: int, cap: int | None) -> None:
        self.labels = labels
        self.keep = keep
        self.cap = cap
        self.state: tuple[Tally | None, tuple[Chunk, ...]] = (None, ())
        self.broken_off: dict[int, int] = {}

    @property
    def tally(self) -> Tally | None:
        return self.state[0]

    @property
    def kept(self) -> tuple[Chunk, ...]:
        return self.state[1]

    @property
    def runs(self) -> int:
        return 0 if self.tally is None else self.tally.runs

    def add(self, block: Part, cut: bool) -> None:
        """The next block. An interrupt comes before or after it, never between the two."""
        tally, kept = self.state
        one = Tally.of(block, self.labels, tally)
        both = one if tally is None else merged(tally, one)
        if cut:
            self.broken_off |= broken_off(block, self.cap)
        if isinstance(block, Chunk) and (cut or both.runs <= self.keep):
            self.state = (both, (*kept, block))
        else:
            self.state = (both, ())


def _smallest_block(ends: list[int]) -> int:
    """Of many runs that nobody looks at before their end even the first blocks may be large: each has its price."""
    return SMALLEST_BLOCK if len(ends) > 1 else max(SMALLEST_BLOCK, (1 << (ends[0] // SHARES).bit_length()) // 2)
