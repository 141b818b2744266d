"""`seqlang monitor`: where a test that looks at its data in blocks stands, from the sums released so far."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from seqlang.cli.options import Parser, add_settings, add_time_limit, exact, probability, settings, whole, within_limit
from seqlang.cli.terminal.output import print_result
from seqlang.cli.terminal.waiting import working
from seqlang.diagnostics import SpecError

if TYPE_CHECKING:
    from argparse import Namespace
    from fractions import Fraction

_EXAMPLES = """\
  seqlang monitor trial.seq --counts 7,5,9
  seqlang monitor trial.seq --data released.txt --at 0.5
  seqlang monitor trial.seq --counts 7 --plan 2 --json
  seqlang monitor arms.seq --counts 7:9,4:6"""


def run(arguments: list[str]) -> int:
    """Follows the released sums and says what they mean."""
    options = parser().parse_args(arguments)
    with within_limit(options):
        return _watched(options)


def _watched(options: Namespace) -> int:
    from seqlang.driver import load, read
    from seqlang.monitoring import watch

    counts = _listed(options.data) if options.data is not None else _parted(options.counts or "", "--counts")
    places = [exact(text, "--at") for text in options.at]
    plan = None if options.plan is None else whole(options.plan, "--plan")
    level = float(probability(options.level, "--level"))
    source = read(options.file)
    with working(options.file):
        loaded = load(source, settings(options.set))
        print_result(watch(loaded, counts, plan=plan, places=places, level=level), options.json)
    return 0


def parser() -> Parser:
    about = "Where a test that looks at its data in blocks stands, and what may come: from the sums released so far."
    parser = Parser("monitor", about, _EXAMPLES)
    parser.add_argument(
        "file", metavar="DESIGN.seq", help="a program that `seqlang design` wrote, or another of its kind"
    )
    given = parser.add_mutually_exclusive_group()
    given.add_argument(
        "--counts", metavar="Y1,Y2,..", help="what was released, block by block; several sums as 7:9,4:6"
    )
    given.add_argument("--data", metavar="FILE", help="the same from a file, one block a line")
    parser.add_argument("--plan", metavar="N", help="which plan the public coin chose, where the design has one")
    parser.add_argument("--at", action="append", default=[], metavar="P",
                        help="the outlook where the chance of a 1, or what else is open, is P")  # fmt: skip
    parser.add_argument("--level", default="0.95", metavar="L", help="of the interval (0.95)")
    add_settings(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    add_time_limit(parser)
    return parser


def _parted(text: str, what: str) -> list[tuple[Fraction, ...]]:
    return [_block(part, what) for part in text.split(",")] if text.strip() else []


def _block(text: str, what: str) -> tuple[Fraction, ...]:
    """What one block released: one number, or several between colons or blanks."""
    return tuple(exact(part, what) for part in (text.replace(":", " ").split() or [text]))


def _listed(name: str) -> list[tuple[Fraction, ...]]:
    try:
        text = Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError.of("E0605", f"cannot read `{name}`: {getattr(error, 'strerror', None) or error}") from None
    return [_block(line, f"{name}, line {n}") for n, line in enumerate(text.splitlines(), 1) if line.strip()]
