"""`seqlang check --weak-profile`: delta against epsilon in the average case, as numbers and as a picture."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from seqlang.cli.options import curve, refuse_plot, write_plot
from seqlang.cli.terminal.waiting import working
from seqlang.diagnostics import SpecError

if TYPE_CHECKING:
    from seqlang.results.check import CheckResult


def epsilons_of(options: Namespace) -> tuple[float, ...]:
    """Where the profile is taken; says so where an option would be passed over."""
    asked = options.weak_profile
    if options.suite:
        for name, given in (("--explain", options.explain), ("--latex", options.latex), ("--weak-profile", asked),
                            ("--instances", options.instances)):  # fmt: skip
            if given and not options.json:
                raise SpecError.of("E0601", f"{name} shows one spec at a time: leave out --suite")
    for name, given, with_ in (
        ("--epsilons", options.epsilons, asked),
        ("--model", options.model, asked or options.instances),
        ("--seed", options.seed, options.instances),
    ):
        if given and not with_:
            belongs = {"--model": "--weak-profile or --instances", "--seed": "--instances"}.get(name, "--weak-profile")
            raise SpecError.of("E0601", f"{name} belongs to {belongs}, which is not given")
    if asked and options.instances is not None:
        raise SpecError.of("E0601", "--weak-profile and --instances are two views: give one of them")
    if options.plot is not None:
        _refuse_other_views(options)
    refuse_plot(options)
    if not asked:
        return ()
    _, values = curve(f"epsilons={options.epsilons or '0:3:13'}", "--epsilons")
    if min(values) < 0:
        raise SpecError.of("E0603", f"--epsilons is {options.epsilons}: an epsilon is not negative")
    return tuple(float(v) for v in values)


def _refuse_other_views(options: Namespace) -> None:
    for name, given in (("several files", len(options.files) > 1), ("--suite", options.suite),
                        ("--instances", options.instances), ("--solve-for", options.solve_for)):  # fmt: skip
        if given:
            raise SpecError.of("E0601", f"--plot shows one check of one file: it does not go with {name}")


def write_picture(result: CheckResult, options: Namespace) -> None:
    """The weak profiles of a check as a picture, else what each rule proves at many orders and deltas."""
    with working(f"curves of {result.program.name}"):
        write_plot(options, (result,))
