"""`seqlang check`: bounds, derivations, verdicts."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from seqlang.cli.modes.certificate import refuse_certificate, write_certificate
from seqlang.cli.modes.instances import show_instances, streams_of
from seqlang.cli.modes.weak_profile import epsilons_of, write_picture
from seqlang.cli.options import (
    PROOF_LIMIT,
    Parser,
    add_plot,
    add_settings,
    add_time_limit,
    probability,
    refuse_given,
    seconds,
    settings,
    whole,
    within_limit,
)
from seqlang.cli.terminal.formats import add_format, one_format, show_findings, show_invalid
from seqlang.cli.terminal.output import print_document, print_json, print_line, say
from seqlang.cli.terminal.waiting import working
from seqlang.diagnostics import SpecError
from seqlang.process.time_limit import limited, poll, undisturbed
from seqlang.record import record

if TYPE_CHECKING:
    from argparse import Namespace

    from seqlang.diagnostics import Severity
    from seqlang.driver import Loaded
    from seqlang.results.check import CheckResult

_EXAMPLES = """\
  seqlang check specs/zhang2022/privsprt_bernoulli.seq
  seqlang check @tight/one_sided --set lz=2 --set lw=1/2 --explain
  seqlang check specs/*/*.seq --json | jq .strong.pure.upper
  seqlang check @michel2025/dp_sprt --audit 20
  seqlang check --suite @suite @lyu2017
  seqlang check @abadi2016/dp_sgd --order 1.5,3,alpha
  seqlang check @dwork2014/sparse_vector --plot curve.svg
  seqlang check @abadi2016/dp_sgd --solve-for sigma --target "dp(1, 1e-6)"
  seqlang check @wang2020/weak_sprt --weak-profile --plot profile.png
  seqlang check @wang2020/weak_sprt --instances 20 --model null
  seqlang check @tight/one_sided --certificate one_sided.cert"""


@record
class Asked:
    """What the options mean. `horizon`: steps, for bounds that need one. `audit` is in seconds; `epsilons`: where a
    weak profile is taken, none if it is not asked for. `streams`: how many are drawn from each model, and the seed.
    `value`: a value of a parameter is looked for. `orders`: of Renyi bounds, None for the usual ones; `order_formula`:
    as a formula in the order too."""

    values: dict[str, Fraction]
    delta: Fraction
    horizon: int | None
    audit: float
    epsilons: tuple[float, ...]
    streams: tuple[int, int] | None
    value: bool
    orders: tuple[Fraction, ...] | None
    order_formula: bool


def run(arguments: list[str]) -> int:
    """Checks every file; the worst exit code wins."""
    options = parser().parse_args(arguments)
    with within_limit(options):
        return _all(options, _asked(options))


def _all(options: Namespace, asked: Asked) -> int:
    from seqlang.driver import load, read, specs_under
    from seqlang.driver.contradicted import Contradicted

    worst = 0
    table: list[CheckResult] = []
    invalid: list[str] = []
    files = specs_under(options.files) if options.suite else options.files
    for number, name in enumerate(files):
        title = f"{number + 1} of {len(files)}: {name}" if len(files) > 1 else name
        try:
            if number:  # of the first file there is a report
                poll()
            with limited(None if options.time_limit else PROOF_LIMIT + asked.audit, forced=True):
                with working(title):
                    loaded = load(read(name), asked.values)
                result = _answered(loaded, title, asked, options, first=number == 0)
        except KeyboardInterrupt:
            if table:
                _print_suite(table, invalid)
            raise
        except SpecError as error:
            show_invalid(error, name, options.format)
            invalid.append(name)
            worst = max(worst, 2)
            continue
        except Contradicted as error:
            say(error.report())
            invalid.append(name)
            worst = 3
            continue
        if result is None:
            continue
        if _as_table(options):
            table.append(result)
        else:
            with undisturbed():
                _print(result, options)
        with undisturbed():
            _write(result, options)
        worst = max(worst, 0 if result.ok and not (options.strict and result.rests_on_estimates) else 1)
    if _as_table(options):
        with undisturbed():
            _print_suite(table, invalid)
    return worst


def _as_table(options: Namespace) -> bool:
    return bool(options.suite) and not options.json and options.format == "text"


def parser() -> Parser:
    parser = Parser("check", "Privacy bounds, derivations, and the verdict of every claim.", _EXAMPLES)
    parser.add_argument("files", nargs="+", metavar="FILE",
                        help="a .seq file, or @name from the library; with --suite also folders, @lyu2017")  # fmt: skip
    add_settings(parser)
    parser.add_argument("--delta", default="1e-6", metavar="D", help="where the (eps, delta) bound is taken (1e-6)")
    parser.add_argument("--order", metavar="A,B,..",
                        help="Renyi orders (2,4,8,16,32): 3/2 is one too, alpha asks for the formula")  # fmt: skip
    parser.add_argument("--horizon", metavar="N", help="steps, for bounds that need a horizon")
    parser.add_argument("--strict", action="store_true",
                        help="exit with 1 also where only an estimate decides a claim (`computed`)")  # fmt: skip
    parser.add_argument("--explain", action="store_true", help="the whole derivation of every bound that was found")
    parser.add_argument("--latex", action="store_true", help="the formulas once more as LaTeX, for papers")
    parser.add_argument("--json", action="store_true", help="one JSON object a file; what is invalid on stderr")
    add_format(parser)
    parser.add_argument("--suite", action="store_true", help="one table over all files: claims, verdicts, bounds")
    add_plot(parser, "a picture: epsilon against the Renyi order, delta against epsilon, a line a rule; of "
                     "--weak-profile, if that is given")  # fmt: skip
    parser.add_argument("--certificate", metavar="FILE", help="write the derivations, for `seqlang verify` to replay")
    parser.add_argument("--audit", metavar="SECONDS", help="search that long for deeper witnesses")
    parser.add_argument("--model", action="append", default=[], metavar="NAME",
                        help="for --weak-profile and --instances: only this model (repeatable)")  # fmt: skip
    parser.add_argument("--solve-for", metavar="NAME", help="the value of a parameter that just proves --target")
    parser.add_argument("--target", metavar="PRIVACY", help='for --solve-for: "dp(1, 1e-6)", "pure(1)", "zcdp(1/2)"')
    add_time_limit(parser, f"{PROOF_LIMIT:g} a file, and what --audit has")
    weak = parser.add_argument_group("average case: entries drawn from a model")
    weak.add_argument("--weak-profile", action="store_true", help="delta against epsilon, exactly")
    weak.add_argument("--epsilons", metavar="A:B:N", help="where the profile is taken (0:3:13)")
    weak.add_argument("--instances", metavar="N", help="draw N streams: the loss against the neighbours of these")
    weak.add_argument("--seed", metavar="S", help="of the drawn streams (1)")
    return parser


def _asked(options: Namespace) -> Asked:
    """Raises SpecError where a value cannot be used, or where options do not go together."""
    one_format(options)
    if options.format == "github":
        why = "prints what --format github cannot show: that has diagnostics and claims only"
        refuse_given(options, ("solve_for", "instances", "latex", "explain"), why)
    values = settings(options.set)
    delta = probability(options.delta, "--delta")
    horizon = None if options.horizon is None else whole(options.horizon, "--horizon")
    audit = seconds(options.audit, "--audit") or 0.0
    epsilons = epsilons_of(options)
    streams = streams_of(options)
    value = _asks_for_a_value(options)
    if options.certificate is not None:
        refuse_certificate(options)
    orders, formula = None, False
    if options.order is not None:
        from seqlang.driver.orders import renyi_orders

        orders, formula = renyi_orders(options.order.split(","))
    return Asked(values, delta, horizon, audit, epsilons, streams, value, orders, formula)


def _asks_for_a_value(options: Namespace) -> bool:
    """Whether the value of a parameter is looked for; says so where only one of the two options is given."""
    if (options.solve_for is None) != (options.target is None):
        missing = "--target" if options.target is None else "--solve-for"
        raise SpecError.of("E0601", f"--solve-for and --target belong together: {missing} is not given")
    if options.target is not None and options.suite:
        raise SpecError.of("E0601", "--solve-for looks at one spec at a time: leave out --suite")
    return options.target is not None


def _answered(loaded: Loaded, title: str, asked: Asked, options: Namespace, first: bool) -> CheckResult | None:
    """The check of one file; None where the options ask for something else, which is shown at once."""
    if asked.value:
        from seqlang.driver import calibrate

        with working(title):
            found = calibrate(loaded, options.solve_for, options.target, horizon=asked.horizon)
        print_json(found.to_dict()) if options.json else print(found)
        return None
    if options.format == "github" or not options.suite:
        show_findings(loaded.warnings, loaded.source, options.format)
        if not first and not options.json and options.format == "text":
            print()
    if asked.streams is not None:
        show_instances(loaded, options, *asked.streams)
        return None
    return _checked(loaded, title, asked, options)


def _checked(loaded: Loaded, title: str, asked: Asked, options: Namespace) -> CheckResult:
    from seqlang.driver import check

    with working(title):
        return check(
            loaded, delta=asked.delta, horizon=asked.horizon, audit=asked.audit, profile=asked.epsilons,
            models=tuple(options.model), orders=asked.orders, order_formula=asked.order_formula,
        )  # fmt: skip


def _print_suite(results: list[CheckResult], invalid: list[str]) -> None:
    """The table of all results, and the names of the specs that have none."""
    from seqlang.report.text.suite import suite_document

    print_document(suite_document(results, invalid))


def _write(result: CheckResult, options: Namespace) -> None:
    """The files that the options ask for."""
    if options.certificate is not None:
        write_certificate(result, options.certificate)
    if options.plot is not None:
        write_picture(result, options)


def _print(result: CheckResult, options: Namespace) -> None:
    if options.json:
        print_json(result.to_dict())
        return
    if options.format == "github":
        _annotate(result)
        return
    print_document(result.document(options.explain))
    if options.latex:
        from seqlang.report.latex import latex_document

        print()
        print_document(latex_document(result))


def _annotate(result: CheckResult) -> None:
    """An annotation for each claim that is not as expected."""
    from seqlang.diagnostics.github import annotation

    for v in result.verdicts:
        if not v.ok:
            said = f"{v.claim.text}\n{v.because}" if v.because else v.claim.text
            expected = f", expected {v.claim.expect}" if v.claim.expect else ""
            excused = result.overridden and v.claim.expect is not None
            severity: Severity = "warning" if excused else "error"
            print_line(annotation(severity, f"{v.verdict}{expected}", said, result.source, v.claim.span))
