"""`seqlang check`: bounds, derivations, verdicts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from seqlang.cli.modes.solve_for import asks_for_a_value, solve_for
from seqlang.cli.options import (
    CHECK_LIMIT,
    Parser,
    add_settings,
    add_time_limit,
    curve,
    exact,
    positive,
    probability,
    settings,
    time_limit,
    within_limit,
)
from seqlang.cli.terminal.errors import show, show_contradiction, show_error
from seqlang.cli.terminal.output import print_json, say
from seqlang.cli.terminal.waiting import working
from seqlang.diagnostics import Diagnostic, SpecError

if TYPE_CHECKING:
    from argparse import Namespace

    from seqlang.driver import Loaded
    from seqlang.results.check import CheckResult

_EXAMPLES = """\
  seqlang check specs/zhang2022/privsprt_bernoulli.seq
  seqlang check @tight/one_sided --set lz=2 --set lw=1/2 --explain
  seqlang check specs/*/*.seq --json | jq .strong.pure.upper
  seqlang check @michel2025/dp_sprt --audit 20
  seqlang check --suite @suite @lyu2017
  seqlang check @abadi2016/dp_sgd --solve-for sigma --target "dp(1, 1e-6)"
  seqlang check @wang2020/weak_sprt --weak-profile --plot profile.png
  seqlang check @wang2020/weak_sprt --instances 20 --model null
  seqlang check @tight/one_sided --certificate one_sided.cert"""


def run(arguments: list[str]) -> int:
    """Checks every file; the worst exit code wins."""
    parser = Parser("check", "Privacy bounds, derivations, and the verdict of every claim.", _EXAMPLES)
    parser.add_argument("files", nargs="+", metavar="FILE",
                        help="a .seq file, or @name from the library; with --suite also folders, @lyu2017")  # fmt: skip
    add_settings(parser)
    parser.add_argument("--delta", default="1e-6", metavar="D", help="where the (eps, delta) bound is taken (1e-6)")
    parser.add_argument("--horizon", metavar="N", help="steps, for bounds that need a horizon")
    parser.add_argument("--explain", action="store_true", help="the whole derivation of every bound that was found")
    parser.add_argument("--latex", action="store_true", help="the formulas once more as LaTeX, for papers")
    parser.add_argument("--json", action="store_true", help="one JSON object a file")
    parser.add_argument("--suite", action="store_true", help="one table over all files: claims, verdicts, bounds")
    parser.add_argument("--certificate", metavar="FILE", help="write the derivations, for `seqlang verify` to replay")
    parser.add_argument("--audit", metavar="SECONDS", help="search that long for deeper witnesses")
    parser.add_argument("--model", action="append", default=[], metavar="NAME",
                        help="for --weak-profile and --instances: only this model (repeatable)")  # fmt: skip
    parser.add_argument("--solve-for", metavar="NAME", help="the value of a parameter that just proves --target")
    parser.add_argument("--target", metavar="PRIVACY", help='for --solve-for: "dp(1, 1e-6)", "pure(1)", "zcdp(1/2)"')
    add_time_limit(parser, f"{CHECK_LIMIT:g}; with --audit, --weak-profile, --instances, --solve-for none")
    weak = parser.add_argument_group("average case: entries drawn from a model")
    weak.add_argument("--weak-profile", action="store_true", help="delta against epsilon, exactly")
    weak.add_argument("--epsilons", metavar="A:B:N", help="where the profile is taken (0:3:13)")
    weak.add_argument("--plot", metavar="FILE.png", help="the profile as a picture (needs seqlang[plot])")
    weak.add_argument("--instances", metavar="N", help="draw N streams: the loss against the neighbours of these")
    weak.add_argument("--seed", metavar="S", help="of the drawn streams (1)")
    options = parser.parse_args(arguments)
    values = settings(options.set)
    delta = probability(options.delta, "--delta")
    horizon = None if options.horizon is None else positive(options.horizon, "--horizon")
    audit = 0.0 if options.audit is None else _seconds(options.audit)
    epsilons = _epsilons(options)
    count = None if options.instances is None else positive(options.instances, "--instances")
    seed = 1 if options.seed is None else _seed(options.seed)

    limit = time_limit(options.time_limit)
    if limit is None and not audit and not epsilons:
        limit = CHECK_LIMIT

    calibrates = asks_for_a_value(options)
    if options.certificate is not None:
        _refuse_certificate(options)

    from seqlang.driver import check, load, read, specs_under
    from seqlang.driver.contradicted import Contradicted

    worst = 0
    table: list[CheckResult] = []
    invalid: list[str] = []
    files = specs_under(options.files) if options.suite else options.files
    for number, name in enumerate(files):
        title = f"{number + 1} of {len(files)}: {name}" if len(files) > 1 else name
        try:
            with working(title):
                loaded = load(read(name), values)
            if calibrates:
                with working(title), within_limit(options):
                    found = solve_for(loaded, options, horizon)
                print_json(found.to_dict()) if options.json else print(found)
                continue
            if not options.suite:
                show(loaded.warnings, loaded.source)
            if number and not options.json and not options.suite:
                print()
            if count is not None:
                with within_limit(options):
                    _instances(loaded, tuple(options.model), count, seed, options.json)
                continue
            with working(title):
                result = check(
                    loaded, delta=delta, horizon=horizon, audit=audit, profile=epsilons, models=tuple(options.model),
                    time_limit=limit,
                )  # fmt: skip
        except KeyboardInterrupt:
            if table:
                _print_suite(table, invalid)
            raise
        except SpecError as error:
            show_error(error)
            invalid.append(name)
            worst = max(worst, 2)
            continue
        except Contradicted as error:
            show_contradiction(error)
            invalid.append(name)
            worst = 3
            continue
        if options.suite and not options.json:
            table.append(result)
        else:
            _print(result, options)
        if options.certificate is not None:
            _write(options.certificate, result.certificate())
        if options.plot is not None:
            from seqlang.report.pictures.weak import plot_profiles

            program = result.program
            plot_profiles(f"{program.name}: {program.title}".rstrip(": "), result.profiles, options.plot)
            say(f"wrote {options.plot}")
        worst = max(worst, 0 if result.ok else 1)
    if options.suite and not options.json:
        _print_suite(table, invalid)
    return worst


def _print_suite(results: list[CheckResult], invalid: list[str]) -> None:
    from seqlang.report.document.rich_text import show as show_document
    from seqlang.report.text.suite import suite_document

    show_document(suite_document(results, invalid), sys.stdout)


def _print(result: CheckResult, options: Namespace) -> None:
    if options.json:
        print_json(result.to_dict())
        return
    from seqlang.report.document.rich_text import show as show_document

    show_document(result.document(options.explain), sys.stdout)
    if options.latex:
        from seqlang.report.latex import latex_document

        print()
        show_document(latex_document(result), sys.stdout)


def _refuse_certificate(options: Namespace) -> None:
    """A certificate is of one check of one spec."""
    for name, given in (("--suite", options.suite), ("--instances", options.instances),
                        ("--solve-for", options.solve_for), ("several files", len(options.files) > 1)):  # fmt: skip
        if given:
            raise SpecError((Diagnostic("E0601", f"--certificate is of one check of one spec: not of {name}"),))


def _write(file: str, text: str) -> None:
    try:
        Path(file).write_text(text, encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise SpecError((Diagnostic("E0605", f"cannot write `{file}`: {reason}"),)) from None
    print(f"wrote {file}", file=sys.stderr)


def _seconds(text: str) -> float:
    value = exact(text, "--audit")
    if value <= 0:
        raise SpecError((Diagnostic("E0603", f"--audit is {text}: it must be a number of seconds above 0"),))
    return float(value)


def _seed(text: str) -> int:
    seed = exact(text, "--seed")
    if seed.denominator != 1 or seed < 0:
        raise SpecError((Diagnostic("E0603", f"--seed is {text}: it must be a whole number of at least 0"),))
    return int(seed)


def _epsilons(options: Namespace) -> tuple[float, ...]:
    """Where the profile is taken; says so where an option would be passed over."""
    asked = options.weak_profile
    if options.suite:
        for name, given in (("--explain", options.explain), ("--latex", options.latex), ("--weak-profile", asked),
                            ("--instances", options.instances)):  # fmt: skip
            if given and not options.json:
                raise SpecError((Diagnostic("E0601", f"{name} shows one spec at a time: leave out --suite"),))
    for name, given, with_ in (
        ("--epsilons", options.epsilons, asked),
        ("--plot", options.plot, asked),
        ("--model", options.model, asked or options.instances),
        ("--seed", options.seed, options.instances),
    ):
        if given and not with_:
            belongs = {"--model": "--weak-profile or --instances", "--seed": "--instances"}.get(name, "--weak-profile")
            raise SpecError((Diagnostic("E0601", f"{name} belongs to {belongs}, which is not given"),))
    if asked and options.instances is not None:
        raise SpecError((Diagnostic("E0601", "--weak-profile and --instances are two views: give one of them"),))
    if options.plot is not None:
        if len(options.files) > 1:
            raise SpecError((Diagnostic("E0601", "--plot shows one file"),))
        from seqlang.report.pictures.picture import refuse_unwritable

        refuse_unwritable(options.plot)
    if not asked:
        return ()
    _, values = curve(f"epsilons={options.epsilons or '0:3:13'}", "--epsilons")
    if min(values) < 0:
        raise SpecError((Diagnostic("E0603", f"--epsilons is {options.epsilons}: an epsilon is not negative"),))
    return tuple(float(v) for v in values)


def _instances(loaded: Loaded, models: tuple[str, ...], count: int, seed: int, as_json: bool) -> None:
    from seqlang.driver import instances

    for name in models or tuple(m.name for m in loaded.program.models) or (None,):
        with working(f"instances under {name}" if name else "instances") as tell:
            (found,) = instances(
                loaded, models=(name,) if name else (), count=count, seed=seed,
                progress=lambda done, of: tell(f"{done} of {of} streams"),
            )  # fmt: skip
        if as_json:
            print_json(found.to_dict())
        else:
            from seqlang.report.document.rich_text import show as show_document
            from seqlang.report.text.instances import instances_document

            show_document(instances_document(found), sys.stdout)
