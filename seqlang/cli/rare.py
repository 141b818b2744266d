"""`seqlang run --rare LABEL`: the chance of a rare return by weighted runs."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from seqlang.diagnostics import Diagnostic, SpecError

if TYPE_CHECKING:
    from seqlang.driver import Loaded

_OTHERS = ("data", "until_ci", "plot", "exact")


def add_rare(parser: ArgumentParser) -> None:
    """The option."""
    about = "the chance of a rare return by weighted runs, or `stops` (repeatable; 20000 runs)"
    parser.add_argument("--rare", action="append", default=[], metavar="LABEL", help=about)


def rare(options: Namespace, loaded: Loaded, *, runs: int, seed: int, cap: int | None, swept: bool) -> int:
    """Prints one result a model."""
    for name in _OTHERS:
        if getattr(options, name, None) not in (None, [], False):
            flag = name.replace("_", "-")
            raise SpecError((Diagnostic("E0601", f"--{flag} does not go with --rare, which draws runs of its own"),))
    if options.engine != "auto" or options.threads is not None:
        flag = "engine" if options.engine != "auto" else "threads"
        message = f"--{flag} does not go with --rare, which has an engine of its own"
        raise SpecError((Diagnostic("E0601", message),))
    if swept:
        raise SpecError((Diagnostic("E0601", "--rare estimates one setting: it does not go with a sweep",
                                    help="give the values with --set NAME=VALUE"),))  # fmt: skip
    from seqlang.driver import rare as estimated

    labels = tuple(dict.fromkeys(options.rare))
    for name in tuple(options.model) or tuple(m.name for m in loaded.program.models) or (None,):
        for result in estimated(loaded, labels, models=(name,) if name else (), runs=runs, seed=seed, cap=cap):
            if options.json:
                print(json.dumps(result.to_dict(), ensure_ascii=False, allow_nan=False), flush=True)
            else:
                from seqlang.report.rich_document import show as show_document

                show_document(result.document(), sys.stdout)
    return 0
