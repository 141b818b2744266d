"""`seqlang check FILE --solve-for NAME --target "dp(1, 1e-6)"`: the value of a parameter that just proves a target."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from seqlang.diagnostics import Diagnostic, SpecError

if TYPE_CHECKING:
    from seqlang.driver import Loaded
    from seqlang.results.calibration import Calibration


def asks_for_a_value(options: Namespace) -> bool:
    """Whether the options ask for this; says so where only one of the two is given."""
    if (options.solve_for is None) != (options.target is None):
        missing = "--target" if options.target is None else "--solve-for"
        raise SpecError((Diagnostic("E0601", f"--solve-for and --target belong together: {missing} is not given"),))
    if options.target is not None and options.suite:
        raise SpecError((Diagnostic("E0601", "--solve-for looks at one spec at a time: leave out --suite"),))
    return options.target is not None


def solve_for(loaded: Loaded, options: Namespace, horizon: int | None) -> Calibration:
    """The value and what it proves. Raises SpecError E0602 and E0626, where no value was found."""
    from seqlang.driver import calibrate

    return calibrate(loaded, options.solve_for, options.target, horizon=horizon)
