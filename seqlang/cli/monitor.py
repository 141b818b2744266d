"""`seqlang monitor`: where a test that looks at its data in blocks stands, from the sums released so far."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqlang.cli.options import Parser, add_settings, add_time_limit, exact, probability, settings, whole, within_limit
from seqlang.cli.terminal.output import print_result, say
from seqlang.cli.terminal.waiting import working
from seqlang.diagnostics import SpecError
from seqlang.process.time_limit import lack, over, undisturbed

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence
    from fractions import Fraction

    from seqlang.release.ledger.book import Book
    from seqlang.release.watching import Watched
    from seqlang.results.monitor import MonitorResult

_EXAMPLES = """\
  seqlang monitor trial.seq --counts 7,5,9
  seqlang monitor trial.seq --data released.txt --at 0.5
  seqlang monitor trial.seq --counts 7 --plan 2 --json
  seqlang monitor --ledger trial.sqlite --report trial.html
  seqlang monitor arms.seq --counts 7:9,4:6"""


def run(arguments: list[str]) -> int:
    """Follows the released sums and says what they mean."""
    options = parser().parse_args(arguments)
    with within_limit(options):
        return _watched(options)


def _watched(options: Namespace) -> int:
    from seqlang.monitoring import watch
    from seqlang.release.watching import report
    from seqlang.report.writable import refuse_unwritable_text, write_text

    places = [exact(text, "--at") for text in options.at]
    level = None if options.level is None else float(probability(options.level, "--level"))
    if options.report is not None:
        refuse_unwritable_text(options.report, "report", (".html", ".md"))
    with working(options.file or options.ledger or "monitor"):
        given, book = _given(options)
        found = watch(given.loaded, given.counts, plan=given.plan, places=places, level=level,
                      arms=_arms(options.arms), rows_checked=given.rows_checked)  # fmt: skip
        with undisturbed():
            print_result(found, options.json)
    if options.report is not None:
        write_text(options.report, report(found, given, book, "html" if options.report.endswith(".html") else "md"))
        say(f"wrote {options.report}")
    if over() and _is_cut(found, places):
        say(f"ended by --time-limit: what is missing is unknown, {lack()}")
        return 1
    return 0


def _is_cut(found: MonitorResult, places: Sequence[Fraction]) -> bool:
    """Whether an outlook is missing, or an interval for lack of time."""
    after = found.after_stop
    intervals = [found.interval_at_all_looks]
    intervals += [one.interval for one in (after, after and after.given_plan) if one is not None]
    wanted = 0 if found.decision is not None else 2 + len(places)
    return len(found.outlooks) < wanted or any(one.why_not == lack() for one in intervals)


def _given(options: Namespace) -> tuple[Watched, Book | None]:
    """The program and what it released, and the ledger, if it is from there."""
    from seqlang.driver import load, read
    from seqlang.release.watching import Watched, from_transcript

    if options.ledger is not None:
        return _from_ledger(options)
    if options.file is None:
        raise SpecError.of("E0601", "a program, or a ledger, is missing", help="`seqlang monitor --help` has examples")
    if options.reference is not None:
        raise SpecError.of("E0601", "--reference is of a release in a ledger: --ledger FILE")
    loaded = load(read(options.file), settings(options.set))
    plan = None if options.plan is None else whole(options.plan, "--plan")
    if options.data is None:
        return Watched(loaded, tuple(_parted(options.counts or "", "--counts")), plan), None
    text = _text(options.data)
    if text.lstrip().startswith("{"):
        return from_transcript(loaded, _json(text, options.data), options.data), None
    return Watched(loaded, tuple(_listed(text, options.data)), plan), None


def _from_ledger(options: Namespace) -> tuple[Watched, Book]:
    from seqlang.release.ledger.places import book_at
    from seqlang.release.watching import from_ledger

    for name, value in (("DESIGN.seq", options.file), ("--set", options.set), ("--plan", options.plan)):
        if value:
            raise SpecError.of("E0601", f"{name} is not given with --ledger: the ledger has the program that ran")
    book = book_at(options.ledger)
    return from_ledger(book, options.reference), book


def parser() -> Parser:
    about = "Where a test that looks at its data in blocks stands, and what may come: from the sums released so far."
    parser = Parser("monitor", about, _EXAMPLES)
    parser.add_argument(
        "file", nargs="?", metavar="DESIGN.seq", help="a program that `seqlang design` wrote, or another of its kind"
    )
    given = parser.add_mutually_exclusive_group()
    given.add_argument(
        "--counts", metavar="Y1,Y2,..", help="what was released, block by block; several sums as 7:9,4:6"
    )
    given.add_argument(
        "--data", metavar="FILE", help="the same from a file, one block a line, or a transcript of `release`"
    )
    given.add_argument("--ledger", metavar="FILE", help="the same from a ledger, with the program that ran")
    parser.add_argument("--reference", metavar="NAME", help="which release of the ledger (the only one)")
    parser.add_argument("--arms", metavar="N:N,..", help="how many entries each arm had, block by block, as "
                        "60:60,13:13; other numbers than the test is designed for are refused")  # fmt: skip
    parser.add_argument("--plan", metavar="N", help="which plan the public coin chose, where the design has one")
    parser.add_argument("--at", action="append", default=[], metavar="P",
                        help="the outlook where the chance of a 1, or what else is open, is P")  # fmt: skip
    parser.add_argument("--level", metavar="L", help="of the intervals (1 - 2 alpha after the stop, 1 - alpha at all "
                        "looks, where the program claims alpha)")  # fmt: skip
    add_settings(parser)
    parser.add_argument("--report", metavar="FILE.html", help="all of it on one page, as HTML or Markdown (FILE.md)")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    add_time_limit(parser)
    return parser


def _parted(text: str, what: str) -> list[tuple[Fraction, ...]]:
    return [_block(part, what) for part in text.split(",")] if text.strip() else []


def _arms(text: str | None) -> list[tuple[int, ...]] | None:
    """How many entries each arm had, block by block."""
    if text is None:
        return None
    found = _parted(text, "--arms")
    if any(n.denominator != 1 or n < 0 for block in found for n in block):
        raise SpecError.of(
            "E0603",
            f"--arms: `{text[:60]}` has a number that is not 0, 1, 2, ..",
            help="write whole numbers of entries, block by block: --arms 60:60,13:13",
        )
    return [tuple(map(int, block)) for block in found]


def _block(text: str, what: str) -> tuple[Fraction, ...]:
    """What one block released: one number, or several between colons or blanks."""
    return tuple(exact(part, what) for part in (text.replace(":", " ").split() or [text]))


def _text(name: str) -> str:
    try:
        return Path(name).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError.of("E0605", f"cannot read `{name}`: {getattr(error, 'strerror', None) or error}") from None


def _json(text: str, name: str) -> Any:
    import json

    try:
        return json.loads(text)
    except ValueError:
        raise SpecError.of("E0603", f"`{name}` begins like a transcript, and is no JSON") from None


def _listed(text: str, name: str) -> list[tuple[Fraction, ...]]:
    """A block a line. An empty line between two blocks is a block that is missing: the others would be taken for those
    before them."""
    return [_block(line, f"{name}, line {n}") for n, line in enumerate(text.rstrip().splitlines(), 1)]
