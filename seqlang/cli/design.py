"""`seqlang design`: the best private sequential test of two hypotheses, as a program that proves what it claims."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from seqlang.cli.modes import tune
from seqlang.cli.options import Parser, add_plot, add_time_limit, exact, refuse_plot, whole, within_limit, write_plot
from seqlang.cli.terminal.output import print_result, say
from seqlang.cli.terminal.waiting import working

if TYPE_CHECKING:
    from argparse import Namespace

    from seqlang.designs.problem.criterion import Course
    from seqlang.results.design import DesignResult

_EXAMPLES = """\
  seqlang design --null "x ~ bernoulli(0.3)" --alternative "x ~ bernoulli(0.7)" --privacy "pure(1)" --output trial.seq
  seqlang design --null "x ~ bernoulli(0.45)" --alternative "x ~ bernoulli(0.55)" --alpha 0.01 --privacy "pure(1/2)"
  seqlang design --null "x ~ normal(0, 1)" --alternative "x ~ normal(0.5, 1)" --privacy "zcdp(0.5)"
  seqlang design --null "control ~ bernoulli(0.4), treatment ~ bernoulli(0.4)" \\
      --alternative "control ~ bernoulli(0.3), treatment ~ bernoulli(0.5)" --privacy "pure(1)"
  seqlang design --null "x ~ bernoulli(0.1)" --alternative "x ~ bernoulli(0.2)" --privacy none --json
  seqlang design @michel2025/dp_sprt --free s --minimise "expected(step) under alternative"
      (parameters of any spec; `seqlang design FILE --free NAME --help` tells more)"""


def run(arguments: list[str]) -> int:
    """Designs, checks what it designed, and writes it. 1: nothing keeps the constraints. With a FILE: tunes it."""
    if tune.asks_for_tuning(arguments):
        return tune.run(arguments)
    options = parser().parse_args(arguments)
    with within_limit(options):
        return _designed(options, shlex.join(["seqlang", "design", *arguments]))


def _designed(options: Namespace, command: str) -> int:
    from seqlang.designs.find import find
    from seqlang.designs.problem.infeasible import Infeasible
    from seqlang.designs.problem.request import problem_of
    from seqlang.designs.problem.request_limits import limits_of
    from seqlang.report.writable import refuse_unwritable_text, refuse_without_matplotlib, write_text

    limits = limits_of(options.max, options.looks, options.every, options.smallest, options.unit)
    problem = problem_of(
        options.null, options.alternative, exact(options.alpha, "--alpha"), exact(options.beta, "--beta"),
        options.privacy, options.minimise or ("alternative" if options.one_sided else "average"), not options.no_coin,
        limits, _course(options),
    )  # fmt: skip
    draw = options.plot is not None or options.report is not None
    if options.output is not None:
        refuse_unwritable_text(options.output, "program")
    if options.report is not None:
        refuse_unwritable_text(options.report, "protocol", (".html", ".md"))
        refuse_without_matplotlib()
    refuse_plot(options)
    try:
        with working("design"):
            horizon = None if options.horizon is None else whole(options.horizon, "--horizon")
            found = find(problem, horizon=horizon, certify=options.certify, draw=draw, compare=options.compare)
    except Infeasible as why:
        say(f"no design: {why}")
        return 1
    if options.output is not None:
        write_text(options.output, found.spec)
        say(f"wrote {options.output}")
    if options.plot is not None and found.curves is None:
        say(f"no picture: the time limit ended {' and '.join(found.cut_short)}")
    else:
        write_plot(options, (found,))
    if options.report is not None:
        _report(found, command, options.report)
    print_result(found, options.json)
    return 1 if found.cut_short else 0


def _course(options: Namespace) -> Course:
    from seqlang.diagnostics import SpecError

    if options.one_sided and options.futility:
        raise SpecError.of("E0603", "--one-sided never ends for futility, and --futility asks when to: leave one out")
    return "one-sided" if options.one_sided else "futility" if options.futility else "both ends"


def _report(found: DesignResult, command: str, name: str) -> None:
    from seqlang.driver import check, load
    from seqlang.report.protocol import protocol
    from seqlang.report.writable import write_text
    from seqlang.source import Source

    checked = check(load(Source("the designed program", found.spec)))
    write_text(name, protocol(found, checked, command, "html" if name.endswith(".html") else "md"))
    say(f"wrote {name}")


def parser() -> Parser:
    about = "The best sequential test of two hypotheses that keeps both errors and a privacy budget."
    parser = Parser("design", about, _EXAMPLES)
    parser.also = (tune.parser(),)
    parser.add_argument("--null", required=True, metavar="'x ~ LAW'", help="what holds where nothing is to be found")
    parser.add_argument("--alternative", required=True, metavar="'x ~ LAW'", help="what is to be found")
    parser.add_argument("--alpha", default="0.05", metavar="A", help="chance to reject where the null holds (0.05)")
    parser.add_argument("--beta", default="0.05", metavar="B", help="chance to accept where it does not (0.05)")
    parser.add_argument(
        "--privacy",
        required=True,
        metavar="NOTION",
        help="pure(EPS), zcdp(RHO), dp(EPS, DELTA), rdp(ORDER, EPS), or none",
    )
    parser.add_argument("--minimise", "--minimize", metavar="WHAT",
                        help="average (default), null, alternative (default with --one-sided): expected entries there; "
                             "minimax: the most between them; 'at p=0.5'; 'quantile 0.95 under null'")  # fmt: skip
    parser.add_argument("--max", metavar="N", help="never more than N entries")
    parser.add_argument("--looks", metavar="N,N,..", help="look after these numbers of entries, and at no other time")
    parser.add_argument("--every", metavar="N", help="look after every N entries")
    parser.add_argument("--smallest", metavar="N", help="no block of fewer entries")
    parser.add_argument("--unit", metavar="N", help="sizes of blocks are multiples of N")
    parser.add_argument("--no-coin", "--pure", action="store_true", help="a single schedule: no public coin before the "
                        "first entry, and errors that hold given all that is seen")  # fmt: skip
    parser.add_argument("--one-sided", action="store_true", help="stops to reject only, else at --max or the last "
                        "look; without them it is a test of power one, which may go on for ever")  # fmt: skip
    parser.add_argument("--futility", action="store_true", help="ends for futility are not binding: --alpha is kept "
                        "also where they are ignored")  # fmt: skip
    parser.add_argument("--horizon", metavar="N",
                        help="entries that the bound on all private tests follows; more make it larger")  # fmt: skip
    parser.add_argument("--certify", action="store_true",
                        help="enclose errors and expected entries by outward rounding, even if it is long")  # fmt: skip
    parser.add_argument("--compare", nargs="?", const="quick", default="nothing", choices=("quick", "all"),
                        help="beside other designs: one block, blocks of one size, group-sequential tests, "
                             "e-processes, no privacy; all: also DP-SPRT and PrivSPRT, tuned (minutes)")  # fmt: skip
    parser.add_argument("--output", metavar="FILE.seq", help="where the program is written")
    add_plot(parser, "a picture: schedule, durations, operating characteristics")
    parser.add_argument("--report", metavar="FILE.html", help="a protocol on one page, as HTML or Markdown (FILE.md)")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    add_time_limit(parser)
    return parser
