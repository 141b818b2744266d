"""A sweep from beginning to end for who has no terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path
from typing import Any

from seqlang.diagnostics import SpecError
from seqlang.driver import Loaded
from seqlang.results.sweep import SweepResult
from seqlang.source import Source
from seqlang.sweeps.carry_out import carry_out
from seqlang.sweeps.cases import cases
from seqlang.sweeps.cells import Cell, combined
from seqlang.sweeps.executors.choose import executor
from seqlang.sweeps.gather import Gathered
from seqlang.sweeps.plan import plan
from seqlang.sweeps.store import Store


def requested(
    loaded: Loaded,
    *,
    grid: Mapping[str, Sequence[Fraction]],
    listed: Source | tuple[Cell, ...],
    models: Sequence[str],
    run: Mapping[str, Any] | None,
    solve: Mapping[str, Any] | None,
    store: str | Path | None,
    workers: int | None,
    cluster: str | None,
    progress: Callable[[int, int], None] | None,
) -> SweepResult:
    """See `seqlang.sweep`. The values that the spec was loaded with stay, where the sweep does not vary them."""
    runs = 1 if run is None else run["runs"]
    if runs < 1:
        raise SpecError.of("E0603", f"runs is {runs}: it must be a whole number of at least 1")
    source = listed if isinstance(listed, Source) else None
    given = cases(listed, loaded.program) if isinstance(listed, Source) else listed
    everything = combined(given, tuple(grid.items()))
    planned = plan(loaded.source, loaded.settings, everything, models, run=run, solve=solve, listed=source)
    gathered = Gathered(planned)
    done = 0
    with ExitStack() as stack:
        kept = None if store is None else stack.enter_context(Store(store))
        where = stack.enter_context(executor(planned.units, workers, cluster))
        for number, answer in carry_out(planned.units, where, kept, lambda number, state: None):
            if gathered.put(number, answer) is not None:
                done += 1
                if progress is not None:
                    progress(done, len(planned.rows))
    return gathered.result()
