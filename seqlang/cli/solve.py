"""`seqlang solve`: the exact law of (stopping step, return), without simulation."""

from __future__ import annotations

import itertools
import json
import sys
from contextlib import contextmanager
from fractions import Fraction
from typing import TYPE_CHECKING

from seqlang.cli.errors import show
from seqlang.cli.options import Parser, add_settings, curve, exact, settings, sweeps
from seqlang.diagnostics import Diagnostic, SpecError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator

    from seqlang.driver import Loaded
    from seqlang.report.solve_result import SolveResult

_EXAMPLES = """\
  seqlang solve specs/zhang2022/privsprt_bernoulli.seq
  seqlang solve @michel2025/dp_sprt --model null --set eps=1/2
  seqlang solve @wald1945/sprt --model truth --curve p=0.2:0.8:41 --plot curve.png
  seqlang solve @zhang2022/privsprt_bernoulli --sweep eps=0.5,1,2 --json"""


def run(arguments: list[str]) -> int:
    """Solves under each model, along a curve or over a grid."""
    options = _parser().parse_args(arguments)
    values = settings(options.set)
    grid = [*(curve(text) for text in options.curve), *sweeps(options.sweep)]
    tolerance = exact(options.tolerance, "--tolerance")
    if not 0 < tolerance < 1:
        raise SpecError((Diagnostic("E0603", f"--tolerance is {options.tolerance}: it must lie between 0 and 1"),))
    _fits_together(options)
    swept = [name for name, _ in grid]
    if len(set(swept)) < len(swept):
        raise SpecError((Diagnostic("E0601", f"`{max(swept, key=swept.count)}` is varied twice"),))

    from seqlang.driver import load, read

    source = read(options.file)
    loaded = load(source, values)
    show(loaded.warnings, source)
    cells = [load(source, values | dict(cell)) for cell in _cells(grid)] if grid else [loaded]
    results: list[SolveResult] = []
    interrupted = False
    with _progress(loaded.program.name, len(cells) if grid else 0) as tell:
        for cell in cells:
            try:
                for result in _solved(cell, tuple(options.model), float(tolerance)):
                    results.append(result)
                    _print(result, options.json, bool(grid))
            except KeyboardInterrupt:
                interrupted = True
                break
            tell()
    names = [name for name, _ in grid]
    if grid and results and not options.json:
        from seqlang.report.rich_document import show as show_document
        from seqlang.report.solve_text import grid_document

        show_document(grid_document(results, names), sys.stdout)
    if options.plot is not None and results:
        _plot(options, loaded, results, names)
    if interrupted:
        print("\ninterrupted", file=sys.stderr)
    return 130 if interrupted else 0


def _parser() -> Parser:
    parser = Parser("solve", "The exact law of the stopping step and the return, without simulation.", _EXAMPLES)
    parser.add_argument("file", metavar="FILE", help="a .seq file, or @name from the library")
    parser.add_argument("--model", action="append", default=[], metavar="NAME", help="only this model (repeatable)")
    add_settings(parser)
    parser.add_argument("--curve", action="append", default=[], metavar="NAME=A:B:N",
                        help="N values of a parameter from A to B, both included")  # fmt: skip
    parser.add_argument("--sweep", action="append", default=[], metavar="NAME=v1,v2,..", help="a grid (repeatable)")
    parser.add_argument("--tolerance", default="1e-11", metavar="E", help="error asked of P(return) (1e-11)")
    parser.add_argument("--plot", metavar="FILE.png",
                        help="the law of the stopping step, or the curve (needs seqlang[plot])")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="one JSON object a model, in a sweep a cell and model")
    return parser


def _fits_together(options: Namespace) -> None:
    if options.plot is not None:
        if len(options.curve) + len(options.sweep) > 1:
            message = "--plot shows one law, or one parameter along --curve"
            raise SpecError((Diagnostic("E0601", message, help="give the other values with --set NAME=VALUE"),))
        from seqlang.report.picture import refuse_unwritable

        refuse_unwritable(options.plot)


def _cells(grid: list[tuple[str, list[Fraction]]]) -> Iterator[tuple[tuple[str, Fraction], ...]]:
    names = [name for name, _ in grid]
    for combination in itertools.product(*(values for _, values in grid)):
        yield tuple(zip(names, combination, strict=True))


def _solved(cell: Loaded, models: tuple[str, ...], tolerance: float) -> Iterator[SolveResult]:
    from seqlang.driver import solve

    for name in models or tuple(m.name for m in cell.program.models) or ("",):
        yield from solve(cell, models=(name,) if name else (), tolerance=tolerance)


@contextmanager
def _progress(title: str, cells: int) -> Iterator[Callable[[], None]]:
    """A bar on stderr over the cells of a grid while somebody looks; nothing otherwise."""
    if not cells or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task(title, total=cells)
        yield lambda: bar.advance(task)


def _plot(options: Namespace, loaded: Loaded, results: list[SolveResult], names: list[str]) -> None:
    from seqlang.report.solve_plot import plot_curve, plot_laws

    program = loaded.program
    title = f"{program.name}: {program.title}" if program.title else program.name
    if names:
        plot_curve(title, names[0], results, options.plot)
    else:
        plot_laws(title, results, options.plot)
    print(f"wrote {options.plot}", file=sys.stderr)


def _print(result: SolveResult, as_json: bool, quiet: bool) -> None:
    if as_json:
        print(json.dumps(result.to_dict(), ensure_ascii=False, allow_nan=False), flush=True)
    elif not quiet:
        from seqlang.report.rich_document import show as show_document

        show_document(result.document(), sys.stdout)
