"""`seqlang lsp`: the language server, for editors."""

from __future__ import annotations

from importlib.util import find_spec

from seqlang.cli.options import Parser
from seqlang.diagnostics import SpecError

_EXAMPLES = """\
  seqlang lsp                            (an editor starts it, and speaks with it over standard input and output)
  seqlang lsp --version                  (of the server)"""


def run(arguments: list[str]) -> int:
    """Serves one editor until that ends it. Raises SpecError E0605 where the extra is not installed."""
    options = parser().parse_args(arguments)
    if options.version:
        from seqlang.version import __version__

        print(__version__)
        return 0
    if find_spec("pygls") is None:
        message = "the language server needs pygls, which is not installed"
        raise SpecError.of("E0605", message, help="pip install 'seqlang[editor]'")
    from seqlang.editor.serving import serve

    serve()
    return 0


def parser() -> Parser:
    parser = Parser("lsp", "The language server: what editors show of a spec while it is written.", _EXAMPLES)
    parser.add_argument("--stdio", action="store_true", help="over standard input and output: the only way there is")
    parser.add_argument("--version", action="store_true", help="print the version and leave")
    return parser
