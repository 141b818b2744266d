"""Sweeps of `seqlang run` and `seqlang solve`: their options, and the table while it fills and when it is done."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from seqlang.cli.options import positive
from seqlang.diagnostics import Diagnostic, SpecError

if TYPE_CHECKING:
    from seqlang.driver import Loaded
    from seqlang.source import Source
    from seqlang.sweeps.cells import Cell
    from seqlang.sweeps.gather import Gathered

GIVEN = ("sweep", "cases", "output", "store", "workers", "cluster")
"""Options of which one is enough to make it a sweep, be it of one cell."""
AXES = ("x", "y", "colour")


def add_sweep(parser: ArgumentParser) -> None:
    """The options of a sweep."""
    group = parser.add_argument_group("sweeps: many settings, one table")
    group.add_argument("--sweep", action="append", default=[], metavar="NAME=v1,v2,..",
                       help="values of a parameter, or NAME=FROM:TO:COUNT (repeatable: a grid)")  # fmt: skip
    group.add_argument("--cases", metavar="FILE.csv", help="a list: the header names parameters, a row is a cell")
    group.add_argument("--output", metavar="FILE", help="the table as .csv or .parquet (needs seqlang[parquet])")
    group.add_argument("--store", metavar="FILE.sqlite", help="keep what is finished; go on there after an interrupt")
    group.add_argument("--workers", metavar="N", help="processes (default: one a core if there is work enough)")
    group.add_argument("--cluster", metavar="tcp://HOST:PORT", help="a dask scheduler (needs seqlang[cluster])")
    group.add_argument("--x", metavar="NAME", help="of --plot: a parameter or a quantity (the first that varies)")
    group.add_argument("--y", metavar="NAME", help="steps (default), a label, statistic, report, or a parameter: a map")
    group.add_argument("--colour", metavar="NAME", help="of a map over two parameters: the quantity shown (steps)")


def is_sweep(options: Namespace) -> bool:
    """Whether any option asks for one."""
    return any(getattr(options, name) not in (None, [], False) for name in (*GIVEN, "exact") if name in options)


def refuse_axes(options: Namespace) -> None:
    """Of what is no sweep: its pictures have no axes to choose."""
    for name in AXES:
        if getattr(options, name) is not None:
            raise SpecError((Diagnostic("E0601", f"--{name} belongs to the --plot of a sweep"),))


def sweep(
    options: Namespace,
    loaded: Loaded,
    settings: Mapping[str, Fraction],
    grid: Sequence[tuple[str, list[Fraction]]],
    *,
    run: Mapping[str, Any] | None,
    solve: Mapping[str, Any] | None,
) -> int:
    """Plans, refuses what cannot end well, computes, and shows. `run` and `solve` are the keyword arguments of the
    driver's functions, None where they are not asked for. 130 if it was interrupted."""
    from seqlang.sweeps.cells import combined
    from seqlang.sweeps.plan import plan

    listed, cells = _cases(options, loaded)
    workers = None if options.workers is None else positive(options.workers, "--workers")
    given = getattr(options, "threads", None)  # solve has no such option
    threads = None if given is None else positive(given, "--threads")
    _fits_together(options)
    everything = combined(cells, grid)
    _refuse_files(options, loaded, dict.fromkeys(name for cell in everything for name, _ in cell.values))
    planned = plan(loaded.source, settings, everything, tuple(options.model), run=run, solve=solve, listed=listed)
    from seqlang.sweeps.gather import Gathered

    gathered = Gathered(planned)
    interrupted = False
    try:
        _compute(options, gathered, workers, threads)
    except KeyboardInterrupt:
        interrupted = True
    _show(options, gathered, interrupted)
    return 130 if interrupted else 0


def _cases(options: Namespace, loaded: Loaded) -> tuple[Source | None, tuple[Cell, ...]]:
    if options.cases is None:
        return None, ()
    from seqlang.driver import read
    from seqlang.sweeps.cases import cases

    listed = read(options.cases)
    return listed, cases(listed, loaded.program)


def _fits_together(options: Namespace) -> None:
    for name in ("workers", "threads"):
        if options.cluster is not None and getattr(options, name, None) is not None:
            message = f"--{name} does not go with --cluster: it has workers of its own"
            raise SpecError((Diagnostic("E0601", message),))
    for name in AXES:
        if options.plot is None and getattr(options, name) is not None:
            raise SpecError((Diagnostic("E0601", f"--{name} belongs to --plot, which is not given"),))


def _refuse_files(options: Namespace, loaded: Loaded, names: Mapping[str, None]) -> None:
    """Files that could not be written, and pictures that could not be drawn, before minutes are spent."""
    if options.output is not None:
        from seqlang.report.table_file import refuse_unwritable_table

        refuse_unwritable_table(options.output)
    if options.plot is not None:
        from seqlang.report.picture import refuse_unwritable
        from seqlang.report.quantities import quantities_of, quantity, refuse_pair

        refuse_unwritable(options.plot)
        known = quantities_of(loaded.program, names or {p.name: None for p in loaded.program.parameters})
        for name in AXES:
            if getattr(options, name) is not None:
                quantity(getattr(options, name), known, f"--{name}")
        if options.x is None and not names:
            message, remedy = "--plot of a sweep needs an axis, and no parameter varies", "vary one with --sweep"
            raise SpecError((Diagnostic("E0644", message, help=remedy),))
        refuse_pair(
            quantity(options.x or next(iter(names)), known, "--x"),
            quantity(options.y or "steps", known, "--y"),
            options.colour,
        )


def _compute(options: Namespace, gathered: Gathered, workers: int | None, threads: int | None) -> None:
    from seqlang.cli.live import Watched, live
    from seqlang.sweeps.carry_out import carry_out
    from seqlang.sweeps.executors.choose import executor
    from seqlang.sweeps.store import Store

    units = gathered.plan.units
    with ExitStack() as stack:
        store = None if options.store is None else stack.enter_context(Store(options.store))
        where = stack.enter_context(executor(units, workers, options.cluster, threads))
        watched = Watched(gathered, where.title)
        stack.enter_context(live(watched, options.json and sys.stdout.isatty()))
        printed = 0
        for number, answer in carry_out(units, where, store, watched.told):
            watched.answered(number, answer, gathered.put(number, answer))
            printed = _print_rows(gathered, printed) if options.json else 0


def _print_rows(gathered: Gathered, printed: int) -> int:
    """JSON lines in the order of the cells, as far as it is unbroken; how many are out now."""
    while printed < len(gathered.plan.rows) and (row := gathered.row(printed)) is not None:
        print(json.dumps(row.to_dict(), ensure_ascii=False, allow_nan=False), flush=True)
        printed += 1
    return printed


def _show(options: Namespace, gathered: Gathered, interrupted: bool) -> None:
    result = gathered.result()
    if options.json and result.missing:
        first = next(i for i in range(len(gathered.plan.rows)) if gathered.row(i) is None)
        for row in result.rows[first:]:  # those behind the first gap
            print(json.dumps(row.to_dict(), ensure_ascii=False, allow_nan=False), flush=True)
    if not options.json and result.rows:
        from seqlang.report.rich_document import show as show_document

        show_document(result.document(), sys.stdout)
    if interrupted:
        kept = f"; go on with the same command: what is finished is in {options.store}" if options.store else ""
        print(f"\ninterrupted{kept}", file=sys.stderr)
    if interrupted:
        return  # half a table in a file looks like a whole one
    if options.output is not None:
        result.save(options.output)
        print(f"wrote {options.output}", file=sys.stderr)
    if options.plot is not None:
        axes = {name: getattr(options, name) for name in AXES}
        if result.simulated or any(axes.values()) or len(result.names) > 1:
            result.plot(options.plot, **axes)
        else:
            from seqlang.report.solve_plot import plot_curve

            plot_curve(result, options.plot)
        print(f"wrote {options.plot}", file=sys.stderr)
