"""`seqlang explain`: the pages of the manual."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from seqlang.cli.options import Parser
from seqlang.diagnostics import SpecError
from seqlang.manual import KINDS, Page, find, near, pages

_EXAMPLES = """\
  seqlang explain laplace
  seqlang explain each step
  seqlang explain --solve-for
  seqlang explain E0301
  seqlang explain alignment/stopping
  seqlang explain --kind law             (lists what there is of one kind)
  seqlang explain                        (lists everything that can be explained)"""
_LISTED = 34
"""Columns of a name in a list."""


def run(arguments: list[str]) -> int:
    """Prints the pages of one name, or the list of all."""
    if arguments and arguments[0].startswith("--") and find(arguments[0]) and arguments[0] not in ("--kind", "--help"):
        arguments = ["--", *arguments]  # an option of a command is asked for
    options = parser().parse_args(arguments)
    name = " ".join(options.name)
    if not name:
        print("\n".join(_listed([page for page in pages() if options.kind in (None, page.kind)])))
        return 0
    found = [page for page in find(name) if options.kind in (None, page.kind)]
    if not found:
        other = near(name)
        remedy = f"did you mean `{other}`?" if other else "`seqlang explain` lists all names"
        raise SpecError.of("E0604", f"nothing is called `{name}`", help=remedy)
    _show("\n".join(page.text.rstrip("\n") + "\n" for page in found))
    return 0


def parser() -> Parser:
    parser = Parser("explain", "The manual: statements, functions, laws, options, diagnostics, proof rules.", _EXAMPLES)
    parser.add_argument("name", nargs="*", help="a word of the language, an option, a code (E0301), a rule, a guide")
    parser.add_argument("--kind", choices=KINDS, metavar="KIND", help=f"list this kind only: {', '.join(KINDS)}")
    return parser


def _listed(found: Sequence[Page]) -> list[str]:
    lines: list[str] = []
    for kind in KINDS:
        of_kind = [page for page in found if page.kind == kind]
        if of_kind:
            lines += ["", kind] if lines else [kind]
            lines += [f"  {page.name:<{_LISTED}} {page.summary}" for page in of_kind]
    return lines


def _show(markdown: str) -> None:
    """Drawn on a terminal; elsewhere as it is."""
    if not sys.stdout.isatty():
        print(markdown, end="")
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(markdown))
