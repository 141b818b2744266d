"""`seqlang check --certificate FILE`: the derivations of one check, for `seqlang verify` to replay."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from seqlang.cli.terminal.output import say
from seqlang.diagnostics import SpecError

if TYPE_CHECKING:
    from seqlang.results.check import CheckResult


def refuse_certificate(options: Namespace) -> None:
    """A certificate is of one check of one spec."""
    for name, given in (("--suite", options.suite), ("--instances", options.instances),
                        ("--solve-for", options.solve_for), ("several files", len(options.files) > 1)):  # fmt: skip
        if given:
            raise SpecError.of("E0601", f"--certificate is of one check of one spec: not of {name}")


def write_certificate(result: CheckResult, file: str) -> None:
    """Raises SpecError E0605 where the file cannot be written."""
    from seqlang.report.writable import write_text

    write_text(file, result.certificate())
    say(f"wrote {file}")
