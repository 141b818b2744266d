"""Many settings of one spec."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqlang.api.specs import AnySpec, as_spec, named, width_of
from seqlang.diagnostics import SpecError
from seqlang.source import Source

if TYPE_CHECKING:
    from seqlang.backends.montecarlo.simulate import EngineName
    from seqlang.driver import Loaded
    from seqlang.driver.given import Number
    from seqlang.results.sweep import SweepResult
    from seqlang.sweeps.cells import Cell


def sweep(
    spec: AnySpec,
    *,
    grid: Mapping[str, Sequence[Number]] | None = None,
    cases: Sequence[Mapping[str, Any]] | str | Path | None = None,
    model: str | Sequence[str] | None = None,
    runs: int = 10_000,
    seed: int = 1,
    cap: int | None = None,
    until_ci: Number | None = None,
    engine: EngineName = "auto",
    exact: bool = False,
    simulate: bool = True,
    store: str | Path | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> SweepResult:
    """Simulates the spec at many settings, under its models (default: all): a row a setting and model.

    `grid` maps parameters to values, and every combination is a cell; `cases` is a list of cells, each a mapping from
    parameters to values (`model`, `seed` and `runs` are those of its simulation) or a CSV file of them. With both, each
    case is combined with the grid. `exact` solves each cell too; with `simulate=False` it is only solved.

    `store` is a SQLite file of what is finished: the same call goes on where an interrupted one was. `workers`
    processes (default: one a core if there is work enough), or the dask scheduler `cluster`, compute the cells; the
    numbers are the same. `progress(done, rows)` is called after each row. Ctrl-C raises KeyboardInterrupt.

        >>> import seqlang
        >>> grid = {"p": [0.3, 0.5]}
        >>> table = seqlang.sweep("@wald1945/sprt", grid=grid, model="truth", simulate=False, workers=1)
        >>> table
        <SweepResult sprt: 2 rows over p>
        >>> [round(row["exact.steps"], 3) for row in table.frame()]
        [9.347, 16.0]
    """
    from seqlang.driver.given import numbers, whole
    from seqlang.sweeps.requested import requested

    loaded = as_spec(spec).loaded
    simulation: dict[str, Any] = {
        "runs": whole(runs, "runs"),
        "seed": whole(seed, "seed", 0),
        "cap": whole(cap, "cap"),
    }
    if until_ci is not None:
        simulation["until_ci"] = width_of(until_ci)
    if engine != "auto":
        simulation["engine"] = engine
    return requested(
        loaded,
        grid={name: numbers(values, f"parameter {name}") for name, values in (grid or {}).items()},
        listed=_cases(cases, loaded),
        models=named(model),
        run=simulation if simulate else None,
        solve={} if exact or not simulate else None,
        store=store,
        workers=whole(workers, "workers"),
        cluster=cluster,
        progress=progress,
    )


def _cases(given: Sequence[Mapping[str, Any]] | str | Path | None, loaded: Loaded) -> Source | tuple[Cell, ...]:
    from seqlang import driver
    from seqlang.driver.given import number, whole
    from seqlang.sweeps.cases import own_columns
    from seqlang.sweeps.cells import Cell

    if isinstance(given, str | Path):
        return driver.read(os.fspath(given))
    own = own_columns(loaded.program)

    def cell(case: Mapping[str, Any]) -> Cell:
        if not hasattr(case, "items"):
            message = f"cases: {case!r:.40} is not a mapping from names to values"
            raise SpecError.of("E0602", message, help='write [{"eps": 1}, {"eps": 2}]')
        values = tuple((name, number(value, f"parameter {name}")) for name, value in case.items() if name not in own)
        least = {"seed": 0, "runs": 1}
        named = {name: case[name] for name in own if name in case}
        return Cell(values, **{n: whole(value, n, least[n]) if n in least else value for n, value in named.items()})

    return tuple(cell(case) for case in (() if given is None else given))
