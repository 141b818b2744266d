"""`seqlang design FILE.seq --free a,b --minimise OBJECTIVE`: parameters of any spec."""

from __future__ import annotations

from seqlang.cli.options import Parser, add_settings, add_time_limit, seconds, settings
from seqlang.cli.terminal.errors import show
from seqlang.cli.terminal.output import print_result, say
from seqlang.cli.terminal.waiting import working
from seqlang.diagnostics import SpecError

_EXAMPLES = """\
  seqlang design @michel2025/dp_sprt --free s --minimise "expected(step) under alternative"
  seqlang design @zhang2022/privsprt_bernoulli --free A,a,b --minimise "expected(step) under alternative"
  seqlang design trial.seq --set eps=1/2 --free a,b --minimise "expected(step)" --time-limit 60 --output tuned.seq"""


_FROM_HYPOTHESES = frozenset(
    "--null --alternative --alpha --beta --privacy --max --looks --every --smallest --unit --no-coin --pure --horizon "
    "--certify --compare --plot --style --size --report".split()
)
"""Options of a design from hypotheses."""


def asks_for_tuning(arguments: list[str]) -> bool:
    """Whether these arguments of `design` name a spec, or parameters to be free."""
    return bool(arguments) and (not arguments[0].startswith("-") or any(a.split("=")[0] == "--free" for a in arguments))


def run(arguments: list[str]) -> int:
    """Tunes, shows what was found, and writes it. 1: at no values that were tried are all claims proved; 130: the
    search was interrupted."""
    from seqlang.designs.tuning.tune import tune
    from seqlang.driver import load, read
    from seqlang.report.writable import refuse_unwritable_text, write_text

    _refuse_both(arguments)
    options = parser().parse_args(arguments)
    if options.output is not None:
        refuse_unwritable_text(options.output, "spec")
    free = [name.strip() for name in options.free.split(",")]
    limit = seconds(options.time_limit, "--time-limit")
    loaded = load(read(options.file), settings(options.set))
    show(loaded.warnings, loaded.source)
    with working(options.file):
        found = tune(loaded, free, options.minimise, time_limit=limit)
    if options.output is not None and found.found:
        write_text(options.output, found.spec)
        say(f"wrote {options.output}")
    print_result(found, options.json)
    if found.cut_short == "an interrupt":
        return 130
    return 0 if found.found else 1


def _refuse_both(arguments: list[str]) -> None:
    """Raises SpecError E0601 where options speak of a design from hypotheses, and others of a FILE."""
    wrong = next((a.split("=")[0] for a in arguments if a.split("=")[0] in _FROM_HYPOTHESES), None)
    if wrong is not None:
        message = f"{wrong} is for a design from hypotheses; a FILE whose parameters are searched has its own"
        raise SpecError.of("E0601", message, help=f"leave {wrong} out, or FILE and --free")


def parser() -> Parser:
    about = "Parameters of a spec at which its claims are proved and an expression in its exact law is least."
    parser = Parser("design", about, _EXAMPLES)
    parser.add_argument("file", metavar="FILE", help="a .seq file, or @name from the library")
    parser.add_argument("--free", required=True, metavar="NAME,NAME,..",
                        help="the parameters to be chosen; the search begins at the values that they have")  # fmt: skip
    parser.add_argument("--minimise", "--minimize", required=True, metavar="OBJECTIVE",
                        help="as a claim has it on its left: 'expected(step) under M', '-probability(reject) under M'; "
                             "without a model the largest over all models")  # fmt: skip
    add_settings(parser)
    parser.add_argument("--output", metavar="FILE.seq", help="where the spec is written with these values as defaults")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    add_time_limit(parser)
    return parser
