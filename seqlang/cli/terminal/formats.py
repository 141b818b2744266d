"""`--format text|json|github`: diagnostics for people on stderr, or as data on stdout."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable

from seqlang.cli.terminal.errors import show, show_error
from seqlang.cli.terminal.output import print_json, print_line
from seqlang.diagnostics import Diagnostic, SpecError
from seqlang.source import Source

FORMATS = ("text", "json", "github")


def add_format(parser: ArgumentParser) -> None:
    parser.add_argument("--format", choices=FORMATS, default="text",
                        help="diagnostics on stdout too: json, an object a file; github, annotations")  # fmt: skip


def one_format(options: Namespace) -> None:
    """`--format json` means `--json` too. Raises SpecError E0601 where `--json` and another format are asked for."""
    if options.format == "github" and options.json:
        raise SpecError.of("E0601", "--json and --format github are two formats: leave one out")
    options.json = options.json or options.format == "json"


def show_findings(found: Iterable[Diagnostic], source: Source, form: str) -> None:
    """Warnings of a file that is valid. As JSON they are part of the object of the file."""
    if form == "text":
        show(found, source)
    elif form == "github":
        from seqlang.diagnostics.github import diagnostic_annotation

        for diagnostic in found:
            print_line(diagnostic_annotation(diagnostic, source, source.name))


def show_invalid(error: SpecError, file: str, form: str) -> None:
    """The diagnostics of a file that is not valid."""
    if form == "json":
        from seqlang.diagnostics.as_json import invalid_dict

        print_json(invalid_dict(error, file))
    elif form == "github":
        from seqlang.diagnostics.github import diagnostic_annotation

        source = error.source if isinstance(error.source, Source) else None
        for diagnostic in error.diagnostics:
            print_line(diagnostic_annotation(diagnostic, source, file))
    else:
        show_error(error)
