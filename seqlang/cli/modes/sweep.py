"""Sweeps of `seqlang run` and `seqlang solve`: the table while it fills and when it is done."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from seqlang.cli.modes.sweep_options import AXES, fits_together, refuse_twice
from seqlang.cli.options import ended_early, whole, write_plot
from seqlang.cli.terminal.output import print_document, print_json, say
from seqlang.diagnostics import SpecError

if TYPE_CHECKING:
    from seqlang.driver import Loaded
    from seqlang.source import Source
    from seqlang.sweeps.cells import Cell
    from seqlang.sweeps.gather import Gathered


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
    workers = None if options.workers is None else whole(options.workers, "--workers")
    given = getattr(options, "threads", None)  # solve has no such option
    threads = None if given is None else whole(given, "--threads")
    fits_together(options)
    everything = combined(cells, grid)
    refuse_twice(options, settings, everything)
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
    note_unused(threads, (row.run["engine"] for row in gathered.result().rows if row.run is not None))
    return ended_early()[0] if interrupted else 0


def _cases(options: Namespace, loaded: Loaded) -> tuple[Source | None, tuple[Cell, ...]]:
    if options.cases is None:
        return None, ()
    from seqlang.driver import read
    from seqlang.sweeps.cases import cases

    listed = read(options.cases)
    return listed, cases(listed, loaded.program)


def _refuse_files(options: Namespace, loaded: Loaded, names: Mapping[str, None]) -> None:
    """Files that could not be written, and pictures that could not be drawn, before minutes are spent."""
    if options.output is not None:
        from seqlang.report.writable import refuse_unwritable_table

        refuse_unwritable_table(options.output)
    if options.plot is not None:
        from seqlang.report.pictures.quantities import quantities_of, quantity, refuse_pair
        from seqlang.report.writable import refuse_unwritable_picture

        refuse_unwritable_picture(options.plot)
        known = quantities_of(loaded.program, names or {p.name: None for p in loaded.program.parameters})
        for name in AXES:
            if getattr(options, name) is not None:
                quantity(getattr(options, name), known, f"--{name}")
        if options.x is None and not names:
            message, remedy = "--plot of a sweep needs an axis, and no parameter varies", "vary one with --sweep"
            raise SpecError.of("E0644", message, help=remedy)
        refuse_pair(
            quantity(options.x or next(iter(names)), known, "--x"),
            quantity(options.y or "steps", known, "--y"),
            options.colour,
        )


def _compute(options: Namespace, gathered: Gathered, workers: int | None, threads: int | None) -> None:
    from seqlang.cli.terminal.live import Watched, live
    from seqlang.cli.terminal.waiting import waiting_for
    from seqlang.sweeps.carry_out import carry_out
    from seqlang.sweeps.executors.choose import executor
    from seqlang.sweeps.store import Store

    units = gathered.plan.units
    with ExitStack() as stack:
        store = None if options.store is None else stack.enter_context(Store(options.store))
        with waiting_for(options.cluster):
            chosen = executor(units, workers, options.cluster, threads)
        where = stack.enter_context(chosen)
        watched = Watched(gathered, where.title)
        stack.enter_context(live(watched, options.json and sys.stdout.isatty()))
        printed = 0
        for number, answer in carry_out(units, where, store, watched.told):
            watched.answered(number, answer, gathered.put(number, answer))
            printed = _print_rows(gathered, printed) if options.json else 0


def _print_rows(gathered: Gathered, printed: int) -> int:
    """JSON lines in the order of the cells, as far as it is unbroken; how many are out now."""
    while printed < len(gathered.plan.rows) and (row := gathered.row(printed)) is not None:
        print_json(row.to_dict())
        printed += 1
    return printed


def _show(options: Namespace, gathered: Gathered, interrupted: bool) -> None:
    result = gathered.result()
    if options.json and result.missing:
        first = next(i for i in range(len(gathered.plan.rows)) if gathered.row(i) is None)
        for row in result.rows[first:]:  # those behind the first gap
            print_json(row.to_dict())
    if not options.json and result.rows:
        print_document(result.document())
    if interrupted:
        kept = f"; go on with the same command: what is finished is in {options.store}" if options.store else ""
        say(f"\n{ended_early()[1]}{kept}")
    if interrupted:
        return  # half a table in a file looks like a whole one
    if options.output is not None:
        result.save(options.output)
        say(f"wrote {options.output}")
    write_plot(options, (result,), **{name: getattr(options, name) for name in AXES})


def note_unused(threads: int | None, engines: Iterable[str]) -> None:
    """Says on stderr that so many `threads` were asked for and which of the `engines` had no use for them."""
    others = [name for name in dict.fromkeys(engines) if name != "compiled"]
    if threads is not None and others:
        ran = " and ".join(f"the {name} engine" if name == "numpy" else f"the {name}" for name in others)
        say(f"note: --threads is for the compiled engine: {ran} ran, in one thread")
