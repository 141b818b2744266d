"""`seqlang run`: simulation, or one run on a real stream."""

from __future__ import annotations

import itertools
import json
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from seqlang.cli.errors import show
from seqlang.cli.options import Parser, add_settings, exact, positive, settings, sweeps
from seqlang.cli.train import TRAINING, add_layout, add_training, columns_of, layout_of, train
from seqlang.diagnostics import Diagnostic, SpecError

if TYPE_CHECKING:
    from collections.abc import Callable

    from seqlang.driver import Loaded
    from seqlang.report.run_result import RunResult

_EXAMPLES = """\
  seqlang run @wald1945/sprt --runs 100000 --seed 7
  seqlang run @zhang2022/privsprt_bernoulli --model null --sweep eps=0.5,1,2 --sweep A=0.2,0.5
  seqlang run @tight/two_sided --plot two_sided.png
  seqlang run @michel2025/dp_sprt --data trial.csv.gz --column x=outcome --where arm=1
  seqlang run @bittner2020/flmb --set d=36 --set n=4435 --data sat.trn.gz --test sat.tst.gz --names V1..V37 \\
      --column 'x=project(V1..V36/255)' --column 'y=V37{1=1|*=-1}' --permutations 10 --checkpoints 10 --twin"""


def run(arguments: list[str]) -> int:
    """Simulates under each model, sweeps a grid, or runs once on a file."""
    options = _parser().parse_args(arguments)
    values = settings(options.set)
    grid = sweeps(options.sweep)
    runs = positive(options.runs, "--runs")
    cap = None if options.cap is None else positive(options.cap, "--cap")
    seed = exact(options.seed, "--seed")
    if seed.denominator != 1 or seed < 0:
        raise SpecError((Diagnostic("E0603", f"--seed is {options.seed}: it must be a whole number of at least 0"),))

    _fits_together(options)

    from seqlang.driver import load, read

    source = read(options.file)
    loaded = load(source, values)
    show(loaded.warnings, source)
    if options.data is not None:
        return _on_data(options, loaded, int(seed), cap)
    cells = [load(source, values | dict(cell)) for cell in _cells(grid)] if grid else [loaded]
    results: list[RunResult] = []
    interrupted = False
    for done, cell in enumerate(cells):
        title = f"{done + 1} of {len(cells)} cells" if grid else loaded.program.name
        for result in _simulate(cell, tuple(options.model), runs, int(seed), cap, title):
            results.append(result)
            _print(result, options.json, bool(grid))
            interrupted = result.samples.interrupted
            if interrupted:
                break
        if interrupted:
            break
    if grid and not options.json:
        from seqlang.report.rich_document import show as show_document
        from seqlang.report.run_text import sweep_document

        show_document(sweep_document(results, [name for name, _ in grid]), sys.stdout)
    if options.plot is not None:
        from seqlang.report.plot import plot_runs

        plot_runs(loaded.program, results, options.plot, int(seed))
        print(f"wrote {options.plot}", file=sys.stderr)
    if interrupted and grid and not options.json:
        print("\ninterrupted: the last row holds unfinished runs", file=sys.stderr)
    return 130 if interrupted else 0


def _fits_together(options: Namespace) -> None:
    """Says so where an option would be passed over, or a picture could not be written, before minutes are spent."""
    if options.data is None:
        for name in ("column", "where", "clip", "skip", "names", *TRAINING):
            if getattr(options, name) not in (None, [], False):
                flag = name.replace("_", "-")
                raise SpecError((Diagnostic("E0601", f"--{flag} belongs to --data, which is not given"),))
    if options.plot is not None:
        if options.sweep:
            message = "--plot does not go with --sweep: a picture shows one setting"
            raise SpecError((Diagnostic("E0601", message, help="give the values with --set NAME=VALUE"),))
        from seqlang.report.picture import refuse_unwritable

        refuse_unwritable(options.plot)


def _parser() -> Parser:
    parser = Parser("run", "Simulate a spec under its models, or run it once on a real stream.", _EXAMPLES)
    parser.add_argument("file", metavar="FILE", help="a .seq file, or @name from the library")
    parser.add_argument("--model", action="append", default=[], metavar="NAME", help="only this model (repeatable)")
    parser.add_argument("--runs", default="10000", metavar="N", help="runs under each model (10000)")
    parser.add_argument("--seed", default="1", metavar="S", help="the same seed gives the same numbers (1)")
    add_settings(parser)
    parser.add_argument("--sweep", action="append", default=[], metavar="NAME=v1,v2,..", help="a grid (repeatable)")
    parser.add_argument("--cap", metavar="N", help="leave a run after N steps, and say how many were left")
    parser.add_argument("--plot", metavar="FILE.png", help="stopping steps and sample paths (needs seqlang[plot])")
    parser.add_argument("--json", action="store_true", help="one JSON object a model, in a sweep a cell and model")
    data = parser.add_argument_group("one run on real data instead of a model")
    data.add_argument("--data", metavar="FILE.csv[.gz]")
    data.add_argument("--column", action="append", default=[], metavar="x=outcome", help="where a field is found")
    data.add_argument("--where", action="append", default=[], metavar="arm=1", help="rows to read (repeatable)")
    data.add_argument("--clip", action="store_true", help="move values outside a domain to its nearest end")
    add_layout(data)
    add_training(parser)
    return parser


def _cells(grid: list[tuple[str, list[Fraction]]]) -> Iterator[tuple[tuple[str, Fraction], ...]]:
    names = [name for name, _ in grid]
    for combination in itertools.product(*(values for _, values in grid)):
        yield tuple(zip(names, combination, strict=True))


def _on_data(options: Namespace, loaded: Loaded, seed: int, cap: int | None) -> int:
    for name, given in (("--model", options.model), ("--sweep", options.sweep)):
        if given:
            raise SpecError((Diagnostic("E0601", f"{name} does not go with --data: the rows take the model's place"),))
    if any(getattr(options, name) not in (None, [], False) for name in TRAINING):
        return train(options, loaded, seed, cap)
    if options.plot is not None:
        message = "--plot of one run on data shows a learning curve"
        raise SpecError((Diagnostic("E0601", message, help="say where to look: --checkpoints 10"),))
    from seqlang.driver import run_data

    result = run_data(
        loaded, options.data, seed=seed, columns=columns_of(options), where=options.where, clip=options.clip, cap=cap,
        **layout_of(options),
    )  # fmt: skip
    _print(result, options.json, False)
    return 0


def _simulate(
    cell: Loaded, models: tuple[str, ...], runs: int, seed: int, cap: int | None, title: str
) -> Iterator[RunResult]:
    from seqlang.driver import run as simulate

    names = models or tuple(m.name for m in cell.program.models)
    for name in names or ("",):
        with _progress(f"{title} under {name}", runs) as progress:
            yield from simulate(cell, models=(name,) if name else (), runs=runs, seed=seed, cap=cap, progress=progress)


@contextmanager
def _progress(title: str, runs: int) -> Iterator[Callable[[Any], None] | None]:
    """A bar on stderr while somebody looks; nothing otherwise."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,} of {task.total:,} runs  {task.fields[rate]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task(title, total=runs, rate="")

        def tell(state: Any) -> None:
            rate = f"{state.steps_done / state.seconds:,.0f} steps/s" if state.seconds > 0 else ""
            bar.update(task, completed=state.runs_done, rate=rate)

        yield tell


def _print(result: Any, as_json: bool, quiet: bool) -> None:
    if as_json:
        print(json.dumps(result.to_dict(), ensure_ascii=False, allow_nan=False), flush=True)
    elif not quiet:
        from seqlang.report.rich_document import show as show_document

        show_document(result.document(), sys.stdout)
