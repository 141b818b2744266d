"""`seqlang check --weak-profile`: delta against epsilon in the average case, as numbers and as a picture."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from seqlang.cli.options import curve, refuse_plot
from seqlang.cli.terminal.output import say
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
        ("--plot", options.plot, asked),
        ("--model", options.model, asked or options.instances),
        ("--seed", options.seed, options.instances),
    ):
        if given and not with_:
            belongs = {"--model": "--weak-profile or --instances", "--seed": "--instances"}.get(name, "--weak-profile")
            raise SpecError.of("E0601", f"{name} belongs to {belongs}, which is not given")
    if asked and options.instances is not None:
        raise SpecError.of("E0601", "--weak-profile and --instances are two views: give one of them")
    if options.plot is not None and len(options.files) > 1:
        raise SpecError.of("E0601", "--plot shows one file")
    refuse_plot(options)
    if not asked:
        return ()
    _, values = curve(f"epsilons={options.epsilons or '0:3:13'}", "--epsilons")
    if min(values) < 0:
        raise SpecError.of("E0603", f"--epsilons is {options.epsilons}: an epsilon is not negative")
    return tuple(float(v) for v in values)


def write_picture(result: CheckResult, file: str) -> None:
    """The profiles of a check as a picture."""
    from seqlang.report.pictures.weak import plot_profiles

    program = result.program
    plot_profiles(f"{program.name}: {program.title}".rstrip(": "), result.profiles, file)
    say(f"wrote {file}")
