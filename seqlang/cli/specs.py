"""`seqlang specs`: the shipped library."""

from __future__ import annotations

import sys

from seqlang.cli.options import Parser
from seqlang.driver import library, read
from seqlang.driver.loading import title_of

_EXAMPLES = """\
  seqlang specs
  seqlang specs tight/one_sided > mine.seq
  seqlang check @tight/one_sided"""


def run(arguments: list[str]) -> int:
    """Lists every spec with its title, or prints the text of one."""
    options = parser().parse_args(arguments)
    if options.name:
        _show(read("@" + options.name.removeprefix("@")).text)
        return 0
    names = library()
    width = max(len(n) for n in names)
    for name, path in names.items():
        print(f"{name:<{width}}  {title_of(path.read_text(encoding='utf-8'))}")
    return 0


def parser() -> Parser:
    parser = Parser("specs", "List the shipped library, or print one of its specs.", _EXAMPLES)
    parser.add_argument("name", nargs="?", metavar="SPEC", help="as listed, e.g. tight/one_sided")
    return parser


def _show(text: str) -> None:
    """In colours on a terminal; elsewhere as it is."""
    if not sys.stdout.isatty():
        sys.stdout.write(text)
        return
    from rich.console import Console
    from rich.syntax import Syntax

    from seqlang.syntax.pygments_lexer import SeqLexer

    Console().print(Syntax("", SeqLexer(), theme="ansi_dark").highlight(text), end="", soft_wrap=True)
