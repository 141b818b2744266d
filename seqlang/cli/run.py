"""`seqlang run`: simulation, of one setting or of many, or one run on a real stream."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from seqlang.cli.modes.rare import add_rare, rare
from seqlang.cli.modes.sweep import note_unused, sweep
from seqlang.cli.modes.sweep_options import GIVEN, add_sweep, is_sweep, refuse_axes
from seqlang.cli.modes.train import TRAINING, add_layout, add_training, reading_of, train
from seqlang.cli.options import (
    Parser,
    add_plot,
    add_settings,
    add_time_limit,
    ended_early,
    exact,
    is_given,
    refuse_given,
    refuse_plot,
    settings,
    sweeps,
    whole,
    within_limit,
    write_plot,
)
from seqlang.cli.terminal.errors import show
from seqlang.cli.terminal.output import print_result
from seqlang.cli.terminal.progress import progress_line
from seqlang.cli.terminal.waiting import working
from seqlang.diagnostics import SpecError

if TYPE_CHECKING:
    from seqlang.driver import Loaded
    from seqlang.results.run import RunResult

_EXAMPLES = """\
  seqlang run @wald1945/sprt --runs 100000 --seed 7
  seqlang run @wald1945/sprt --until-ci 0.001
  seqlang run @zhang2022/privsprt_bernoulli --model null --set a=100 --set b=100 --rare reject
  seqlang run @zhang2022/privsprt_bernoulli --model null --sweep eps=0.5,1,2 --sweep A=0.2,0.5
  seqlang run @zhang2022/privsprt_bernoulli --cases settings.csv --store done.sqlite --output table.csv --exact
  seqlang run @tight/two_sided --plot two_sided.png
  seqlang run @michel2025/dp_sprt --data trial.csv.gz --column x=outcome --where arm=1
  seqlang run @bittner2020/flmb --set d=36 --set n=4435 --data sat.trn.gz --test sat.tst.gz --names V1..V37 \\
      --column 'x=project(V1..V36/255)' --column 'y=V37{1=1|*=-1}' --permutations 10 --checkpoints 10 --twin"""


def run(arguments: list[str]) -> int:
    """Simulates under each model, sweeps, or runs once on a file."""
    options = parser().parse_args(arguments)
    with within_limit(options, elsewhere=is_sweep(options)):
        return _asked(options)


def _asked(options: Namespace) -> int:
    from seqlang.driver import load, read

    values = settings(options.set)
    grid = sweeps(options.sweep)
    simulation = _simulation(options)
    seed, cap = simulation["seed"], simulation["cap"]
    _fits_together(options)
    source = read(options.file)
    with working(options.file):
        loaded = load(source, values)
    show(loaded.warnings, source)
    if options.rare:
        return rare(options, loaded, runs=simulation["runs"], seed=seed, cap=cap, swept=is_sweep(options))
    if options.data is not None:
        return _on_data(options, loaded, seed, cap)
    if is_sweep(options):
        return sweep(options, loaded, values, grid, run=simulation, solve={} if options.exact else None)
    if options.threads is not None:
        simulation["threads"] = whole(options.threads, "--threads")
    results: list[RunResult] = []
    interrupted = False
    for result in _simulate(loaded, tuple(options.model), simulation):
        results.append(result)
        print_result(result, options.json)
        interrupted = result.samples.interrupted
        if interrupted:
            break
    note_unused(simulation.get("threads"), (result.samples.engine for result in results))
    write_plot(options, results)
    return ended_early()[0] if interrupted else 0


def _simulation(options: Namespace) -> dict[str, Any]:
    """How many runs there are, and which."""
    from seqlang.driver import MOST_RUNS, RARE_RUNS, RUNS

    until_ci = _width(options.until_ci)
    default = RARE_RUNS if options.rare else RUNS if until_ci is None else MOST_RUNS
    cap = None if options.cap is None else whole(options.cap, "--cap")
    return {
        "seed": whole(options.seed, "--seed", least=0),
        "cap": cap,
        "runs": default if options.runs is None else whole(options.runs, "--runs"),
        **({} if until_ci is None else {"until_ci": until_ci}),
        **({} if options.engine == "auto" else {"engine": options.engine}),
    }


def _fits_together(options: Namespace) -> None:
    """Says so where an option would be passed over, or a picture could not be written, before minutes are spent."""
    if options.data is None:
        others = ("column", "where", "clip", "skip", "names", *TRAINING)
        refuse_given(options, others, "belongs to --data, which is not given")
    if not is_sweep(options):
        refuse_axes(options)
    refuse_plot(options)


def _engines() -> tuple[str, ...]:
    from seqlang.driver import ENGINES

    return ENGINES


def parser() -> Parser:
    parser = Parser("run", "Simulate a spec under its models, or run it once on a real stream.", _EXAMPLES)
    parser.add_argument("file", metavar="FILE", help="a .seq file, or @name from the library")
    parser.add_argument("--model", action="append", default=[], metavar="NAME", help="only this model (repeatable)")
    parser.add_argument("--runs", metavar="N", help="runs under each model (10000)")
    parser.add_argument(
        "--until-ci", metavar="W", help="go on until 95 %% intervals are that narrow; --runs: at most (100000000)"
    )
    parser.add_argument("--seed", default="1", metavar="S", help="the same seed gives the same numbers (1)")
    add_settings(parser)
    parser.add_argument("--cap", metavar="N", help="leave a run after N steps, and say how many were left")
    parser.add_argument(
        "--engine", choices=_engines(), default="auto", help="auto compiles a kernel for long work, else takes numpy"
    )
    parser.add_argument(
        "--threads", metavar="N", help="of the compiled engine (one a processor); no number depends on it"
    )
    add_plot(parser, "a picture: stopping steps and sample paths, or the sweep")
    parser.add_argument("--json", action="store_true", help="one JSON object a model, in a sweep a cell and model")
    parser.add_argument("--exact", action="store_true", help="solve it too: exact values beside, and z-scores")
    add_rare(parser)
    add_sweep(parser)
    add_time_limit(parser)
    data = parser.add_argument_group("one run on real data instead of a model")
    data.add_argument("--data", metavar="FILE", help="CSV (or gzip), Parquet, or sklearn:NAME")
    data.add_argument("--column", action="append", default=[], metavar="x=outcome", help="where a field is found")
    data.add_argument("--where", action="append", default=[], metavar="arm=1", help="rows to read (repeatable)")
    data.add_argument("--clip", action="store_true", help="move values outside a domain to its nearest end")
    add_layout(data)
    add_training(parser)
    return parser


def _on_data(options: Namespace, loaded: Loaded, seed: int, cap: int | None) -> int:
    refuse_given(options, ("model", *GIVEN, "exact"), "does not go with --data: the rows take the model's place")
    many = "does not go with --data: it is about many runs"
    refuse_given(options, ("until_ci",), many)
    refuse_given(options, ("runs",), many, help="--permutations K reads the rows in K random orders")
    refuse_given(options, ("threads",), many)
    if is_given(options, TRAINING):
        return train(options, loaded, seed, cap)
    if options.plot is not None:
        message = "--plot of one run on data shows a learning curve"
        raise SpecError.of("E0601", message, help="say where to look: --checkpoints 10")
    from seqlang.driver import run_data

    with working(f"{loaded.program.name} on {options.data}"):
        result = run_data(loaded, options.data, reading_of(options), seed=seed, cap=cap)
    print_result(result, options.json)
    return 0


def _simulate(loaded: Loaded, models: tuple[str, ...], options: dict[str, Any]) -> Iterator[RunResult]:
    from seqlang.driver import run as simulate

    names = models or tuple(m.name for m in loaded.program.models)
    for name in names or ("",):
        with progress_line(f"{loaded.program.name} under {name}") as progress:
            results = simulate(loaded, models=(name,) if name else (), progress=progress, **options)
        yield from results


def _width(text: str | None) -> float | None:
    if text is None:
        return None
    width = float(exact(text, "--until-ci"))
    if width <= 0:
        raise SpecError.of("E0603", f"--until-ci is {text}: it must be above 0, the width of an interval")
    return width
