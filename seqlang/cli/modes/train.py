"""`seqlang run --data` with rows held out, permutations, checkpoints or a twin."""

from __future__ import annotations

import re
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from seqlang.cli.options import whole, write_plot
from seqlang.cli.terminal.output import print_document, print_json
from seqlang.diagnostics import SpecError

if TYPE_CHECKING:
    from seqlang.backends.interpret.data.reading import Reading
    from seqlang.driver import Loaded

TRAINING = ("test", "rows", "test_rows", "predict", "truth", "track", "permutations", "checkpoints", "twin")
"""Options that make a run on data a training."""


def add_layout(group: Any) -> None:
    """Options for files without a header."""
    group.add_argument("--skip", metavar="N", help="lines before the header, or before the first row")
    group.add_argument("--names", metavar="a,b,.. | V1..V42", help="the columns' names, if the file has no header")


def add_training(parser: Any) -> None:
    """Options of a training."""
    group = parser.add_argument_group("training on real data (with --data)")
    group.add_argument("--rows", metavar="A:B", help="train on rows A to B (after --where, counted from 1)")
    group.add_argument("--test", metavar="FILE", help="score on the rows of this file, read in the same way")
    group.add_argument("--test-rows", metavar="A:B", help="hold out rows A to B, and score on them")
    group.add_argument(
        "--predict",
        metavar="CONDITION",
        help='what is predicted: "dot(w, x) > 0", or of what is returned "dot(return, x) > 0"',
    )
    group.add_argument("--truth", metavar="CONDITION", help='when a row is whole ("y > 0", if it is clear)')
    group.add_argument("--track", action="append", default=[], metavar="NAME=EXPRESSION", help="also at checkpoints")
    group.add_argument("--permutations", metavar="K", help="K runs, each on the rows in a random order")
    group.add_argument("--checkpoints", metavar="C", help="score after C steps, evenly spaced (1: at the end)")
    group.add_argument("--twin", action="store_true", help="and the same spec without its noise")


def reading_of(options: Namespace) -> Reading:
    """What `--column`, `--where`, `--clip`, `--skip` and `--names` say."""
    from seqlang.backends.interpret.data.reading import Reading

    skip = 0 if options.skip is None else whole(options.skip, "--skip")
    names = None if options.names is None else _names(options.names)
    return Reading.of(_columns(options), options.where, options.clip, skip, names)


def _columns(options: Namespace) -> dict[str, str]:
    """`--column FIELD=COLUMN`, several of them."""
    columns = {}
    for text in options.column:
        field, equals, column = text.partition("=")
        if not equals or not column.strip():
            raise SpecError.of("E0602", f"`--column {text}` is not of the form FIELD=COLUMN")
        columns[field.strip()] = column.strip()
    return columns


def _names(text: str) -> list[str]:
    run = re.fullmatch(r"\s*([A-Za-z_]\w*?)(\d+)\.\.\1(\d+)\s*", text)
    if run:
        first, last = int(run[2]), int(run[3])
        if first > last or last - first > 100_000:
            raise SpecError.of("E0602", f"`--names {text}`: no such run of names")
        return [f"{run[1]}{i}" for i in range(first, last + 1)]
    names = [name.strip() for name in text.split(",")]
    if "" in names:
        raise SpecError.of("E0602", f"`--names {text}` has an empty name", help="a,b,c or V1..V42")
    return names


def train(options: Namespace, loaded: Loaded, seed: int, cap: int | None) -> int:
    """Trains, and prints the result and the twin's, or one JSON object each."""
    from seqlang import driver
    from seqlang.backends.train import Passes

    asked: dict[str, Any] = {
        "rows": _span(options.rows, "--rows"),
        "test_rows": _span(options.test_rows, "--test-rows"),
        "track": _tracked(options.track),
    }
    passes = Passes(
        permutations=None if options.permutations is None else whole(options.permutations, "--permutations"),
        seed=seed,
        checkpoints=1 if options.checkpoints is None else whole(options.checkpoints, "--checkpoints"),
        cap=cap,
        engine=options.engine,
    )
    if options.test is not None and options.test_rows is not None:
        raise SpecError.of("E0601", "--test and --test-rows: the rows held out are given twice")
    if options.test is None and options.test_rows is None and (options.predict or options.truth):
        message = "--predict and --truth ask something of rows held out"
        raise SpecError.of("E0601", message, help="--test FILE, or --test-rows A:B")
    with _progress() as tell:
        results = driver.train(
            loaded, options.data, reading_of(options), passes, test=options.test, predict=options.predict,
            truth=options.truth, **asked, twin=options.twin, tell=tell,
        )  # fmt: skip
    if options.json:
        for result in results:
            print_json(result.to_dict())
    else:
        from seqlang.report.text.train import train_document

        print_document(train_document(results))
    write_plot(options, results)
    return 0


def _span(text: str | None, option: str) -> tuple[int, int] | None:
    if text is None:
        return None
    first, colon, last = text.partition(":")
    if not colon:
        raise SpecError.of("E0602", f"`{option} {text}` is not of the form A:B", help=f"{option} 1:1000")
    return whole(first, option), whole(last, option)


def _tracked(texts: list[str]) -> dict[str, str]:
    found = {}
    for text in texts:
        name, equals, expression = text.partition("=")
        if not equals or not name.strip().isidentifier() or not expression.strip():
            help = "--track 'labels=count(selected over steps)'"
            raise SpecError.of("E0602", f"`--track {text}` is not of the form NAME=EXPRESSION", help=help)
        found[name.strip()] = expression.strip()
    return found


@contextmanager
def _progress() -> Iterator[Callable[[str, int, int], None] | None]:
    """A bar for each thing that is being done, on stderr, while somebody looks."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed:,}"), TimeElapsedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=Console(file=sys.stderr), transient=True) as bar:
        tasks: dict[str, Any] = {}

        def tell(what: str, done: int, of: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what, total=of or None)
            bar.update(tasks[what], completed=done)

        yield tell
