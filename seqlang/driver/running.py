"""Runs of a spec: simulated, weighted, and on real data."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from seqlang.diagnostics import SpecError
from seqlang.diagnostics.suggest import hint
from seqlang.driver.loading import Loaded, shown_in

if TYPE_CHECKING:
    from seqlang.backends.interpret.data.reading import Reading
    from seqlang.backends.interpret.data.source import Data
    from seqlang.backends.montecarlo.progress import Progress
    from seqlang.backends.montecarlo.samples import Samples
    from seqlang.backends.montecarlo.simulate import EngineName
    from seqlang.results.rare import RareResult
    from seqlang.results.run import DataResult, RunResult

ENGINES = ("auto", "compiled", "numpy", "interpreter")
RUNS = 10_000
"""Simulated under each model unless more or fewer are asked for."""
RARE_RUNS = 20_000
"""Weighted runs for the chance of a rare return."""
MOST_RUNS = 100_000_000
"""The same, where they end when an interval is narrow enough."""


def run(
    loaded: Loaded,
    *,
    models: tuple[str, ...] = (),
    runs: int | None = None,
    seed: int = 1,
    cap: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    until_ci: float | None = None,
    engine: EngineName = "auto",
    threads: int | None = None,
) -> tuple[RunResult, ...]:
    """Simulates under the named models, or under every model of the file: one result a model, in file order.

    `runs` is 10,000 unless given; with `until_ci` it is the most runs, 100 million unless given, and fewer are made if
    the 95 % interval is that narrow before (see `backends.montecarlo.until`). Raises SpecError E0603 for a width that
    is not above 0.
    """
    from seqlang.backends.montecarlo.simulate import simulate
    from seqlang.results.origin import Origin
    from seqlang.results.run import RunResult

    program = loaded.program
    names: tuple[str | None, ...] = models or tuple(m.name for m in program.models) or (None,)
    values = {p.name: float(p.value) for p in program.parameters}
    if until_ci is not None and not 0 < until_ci < math.inf:
        raise SpecError.of("E0603", f"until_ci is {until_ci}: it must be above 0, the width of an interval")
    if engine not in ENGINES:
        remedy = hint(engine, ENGINES) or "engines are " + ", ".join(ENGINES)
        raise SpecError.of("E0601", f"there is no engine `{engine}`", help=remedy)
    many = runs if runs is not None else RUNS if until_ci is None else MOST_RUNS

    def simulated(name: str | None) -> Samples:
        return simulate(
            program, name, runs=many, seed=seed, cap=cap, progress=progress, until_ci=until_ci, engine=engine,
            threads=threads,
        )  # fmt: skip

    origin = Origin(loaded.source, program)
    with shown_in(loaded.source):
        return tuple(RunResult(program.name, values, simulated(name), origin) for name in names)


def rare(
    loaded: Loaded,
    labels: Sequence[str],
    *,
    models: tuple[str, ...] = (),
    runs: int = RARE_RUNS,
    seed: int = 1,
    cap: int | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> tuple[RareResult, ...]:
    """The chances of rare returns by weighted runs under the named models, or under every model of the file.
    `progress` is told the runs done for a return, and the estimate so far."""
    from seqlang.backends.rare import estimate
    from seqlang.results.rare import RareResult

    program = loaded.program
    if not labels:
        raise SpecError.of("E0601", "which return is rare? none is named", help='rare(spec, "reject")')
    values = {p.name: float(p.value) for p in program.parameters}
    results = []
    with shown_in(loaded.source):
        for name in models or tuple(m.name for m in program.models) or (None,):
            found = tuple(
                estimate(program, name, label, runs=runs, seed=seed, cap=cap, progress=progress) for label in labels
            )
            results.append(RareResult(program.name, found[0].model, values, found))
    return tuple(results)


def run_data(
    loaded: Loaded,
    file: Data,
    reading: Reading,
    *,
    seed: int = 1,
    cap: int | None = None,
) -> DataResult:
    """Runs the spec once on a file or a data frame: one row a step for a stream, all rows at once for a dataset."""
    from seqlang.backends.interpret import data
    from seqlang.backends.interpret.data.source import name_of
    from seqlang.results.run import DataResult

    with shown_in(loaded.source):
        done = data.run_data(loaded.program, file, reading=reading, seed=seed, cap=cap)
    return DataResult(loaded.program.name, name_of(file), done)
