"""`seqlang check FILE --solve-for NAME --target "dp(1, 1e-6)"`: the value of a parameter that just proves a target."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from seqlang.diagnostics import Diagnostic, SpecError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping
    from fractions import Fraction

    from seqlang.analyses.calibrate import Calibrated, Target
    from seqlang.source import Source


def target_of_options(options: Namespace) -> Target | None:
    """The target, or None where the options do not ask for one; says so where only one of the two is given."""
    if (options.solve_for is None) != (options.target is None):
        missing = "--target" if options.target is None else "--solve-for"
        raise SpecError((Diagnostic("E0601", f"--solve-for and --target belong together: {missing} is not given"),))
    if options.target is None:
        return None
    if options.suite:
        raise SpecError((Diagnostic("E0601", "--solve-for looks at one spec at a time: leave out --suite"),))
    from seqlang.analyses.calibrate import target_of

    target = target_of(options.target)
    if target is None:
        message = f"--target `{options.target}` is not a privacy target"
        remedy = 'write --target "dp(1, 1e-6)", "pure(1)", "rdp(8, 1)" or "zcdp(0.5)", all numbers above 0'
        raise SpecError((Diagnostic("E0602", message, help=remedy),))
    return target


def solve_for(
    source: Source,
    name: str,
    target: Target,
    *,
    settings: Mapping[str, Fraction],
    horizon: int | None,
    as_json: bool,
) -> None:
    """Prints the value and what it proves. Raises SpecError E0626 where no value was found."""
    from seqlang.analyses.calibrate import calibrate
    from seqlang.driver import load
    from seqlang.syntax import parse

    program = load(source, settings).program  # raises what is wrong with the spec
    tree, _ = parse(source)
    assert tree is not None, "load has read it"
    found = calibrate(tree, name, target, settings=settings, horizon=horizon)
    if isinstance(found, str):
        remedy = "`--set` gives the other parameters, and where the search begins"
        raise SpecError((Diagnostic("E0626", found, help=remedy),), source)
    if as_json:
        import json

        print(json.dumps(as_dict(program.name, found), ensure_ascii=False, allow_nan=False))
        return
    sys.stdout.write(text_of(program.name, found))


def as_dict(spec: str, found: Calibrated) -> dict[str, object]:
    return {
        "spec": spec,
        "solve_for": found.name,
        "target": found.target.text,
        "value": decimal(found.value),
        "bound": found.size,
        "rule": found.derivation.rule,
        "cite": found.derivation.cite,
        "not_proved_at": None if found.missed is None else decimal(found.missed),
    }


def text_of(spec: str, found: Calibrated) -> str:
    side = "smallest" if found.raised else "largest"
    lines = [
        f"{spec}  {found.name} = {decimal(found.value)}",
        f"  the {side} {found.name} found that proves {found.target.text}: the bound there is {found.size:.9g}",
        f"  by {found.derivation.rule} ({found.derivation.cite})",
    ]
    if found.missed is not None:
        lines.append(f"  not proved at {found.name} = {decimal(found.missed)}")
    return "\n".join(lines) + "\n"


def decimal(value: Fraction) -> str:
    """A decimal: exact for values that are short ones, else 12 digits."""
    return str(int(value)) if value.denominator == 1 else f"{float(value):.12g}"
