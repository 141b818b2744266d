"""`seqlang solve`: the exact law of (stopping step, return), without simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqlang.cli.modes.sweep import sweep
from seqlang.cli.modes.sweep_options import add_sweep, is_sweep, refuse_axes
from seqlang.cli.options import (
    PROOF_LIMIT,
    Parser,
    add_plot,
    add_settings,
    add_time_limit,
    curve,
    exact,
    refuse_plot,
    settings,
    sweeps,
    within_limit,
    write_plot,
)
from seqlang.cli.terminal.errors import show
from seqlang.cli.terminal.output import print_result, say
from seqlang.cli.terminal.waiting import working
from seqlang.diagnostics import SpecError
from seqlang.process.time_limit import lack, over

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from seqlang.driver import Loaded
    from seqlang.results.solve import SolveResult

_EXAMPLES = """\
  seqlang solve specs/zhang2022/privsprt_bernoulli.seq
  seqlang solve @michel2025/dp_sprt --model null --set eps=1/2
  seqlang solve @wald1945/sprt --model truth --curve p=0.2:0.8:41 --plot curve.png
  seqlang solve @zhang2022/privsprt_bernoulli --sweep eps=0.5,1,2 --json"""


def run(arguments: list[str]) -> int:
    """Solves under each model, along a curve or in a sweep."""
    options = parser().parse_args(arguments)
    swept = bool(options.curve) or is_sweep(options)
    with within_limit(options, None if swept else PROOF_LIMIT, elsewhere=swept):
        return _asked(options)


def _asked(options: Namespace) -> int:
    values = settings(options.set)
    grid = [*(curve(text) for text in options.curve), *sweeps(options.sweep)]
    tolerance = exact(options.tolerance, "--tolerance")
    if not 0 < tolerance < 1:
        raise SpecError.of("E0603", f"--tolerance is {options.tolerance}: it must lie between 0 and 1")
    _fits_together(options)

    from seqlang.driver import load, read

    source = read(options.file)
    with working(options.file):
        loaded = load(source, values)
    show(loaded.warnings, source)
    if grid or is_sweep(options):
        return sweep(options, loaded, values, grid, run=None, solve={"tolerance": float(tolerance)})
    results: list[SolveResult] = []
    for result in _solved(loaded, tuple(options.model), float(tolerance)):
        results.append(result)
        print_result(result, options.json)
    write_plot(options, results)
    if over() and any(r.solution.unresolved > float(tolerance) for r in results):
        say(f"ended by --time-limit: what is not resolved is unknown, {lack()}")
        return 1
    return 0


def parser() -> Parser:
    parser = Parser("solve", "The exact law of the stopping step and the return, without simulation.", _EXAMPLES)
    parser.add_argument("file", metavar="FILE", help="a .seq file, or @name from the library")
    parser.add_argument("--model", action="append", default=[], metavar="NAME", help="only this model (repeatable)")
    add_settings(parser)
    parser.add_argument("--curve", action="append", default=[], metavar="NAME=A:B:N",
                        help="N values of a parameter from A to B, both included")  # fmt: skip
    parser.add_argument("--tolerance", default="1e-11", metavar="E", help="error asked of P(return) (1e-11)")
    add_plot(parser, "a picture: the law of the stopping step, or the curve")
    parser.add_argument("--json", action="store_true", help="one JSON object a model, in a sweep a cell and model")
    add_sweep(parser)
    add_time_limit(parser, f"{PROOF_LIMIT:g}; of a sweep or a curve none")
    return parser


def _fits_together(options: Namespace) -> None:
    refuse_plot(options)
    if not (options.curve or is_sweep(options)):
        refuse_axes(options)


def _solved(cell: Loaded, models: tuple[str, ...], tolerance: float) -> Iterator[SolveResult]:
    from seqlang.driver import solve

    for name in models or tuple(m.name for m in cell.program.models) or ("",):
        with working(f"{cell.program.name} under {name}" if name else cell.program.name):
            results = solve(cell, models=(name,) if name else (), tolerance=tolerance, partly=True)
        yield from results
