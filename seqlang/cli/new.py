"""`seqlang new`: a spec to begin with, commented, whose claims are proved."""

from __future__ import annotations

import re
from pathlib import Path

from seqlang.cli.options import Parser
from seqlang.cli.terminal.output import say
from seqlang.diagnostics import SpecError
from seqlang.source import Source

_EXAMPLES = """\
  seqlang new test my_test               (writes my_test.seq, then: seqlang check my_test.seq)
  seqlang new query salaries
  seqlang new learning classifier
  seqlang new monitoring alarms"""
KINDS = ("test", "query", "learning", "monitoring")
_ABOUT = "a test that stops early, answers about a data set, training on records, an alarm"


def run(arguments: list[str]) -> int:
    """Writes one file, never over another."""
    options = parser().parse_args(arguments)
    path = Path(options.name)
    path = path if path.suffix == ".seq" else path.with_name(f"{path.name}.seq")
    text = _template(options.kind, _algorithm(path.stem))
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise SpecError.of("E0605", f"`{path}` is there already", help="choose another name") from None
    except (OSError, ValueError) as error:
        raise SpecError.of("E0605", f"cannot write `{path}`: {getattr(error, 'strerror', None) or error}") from None
    say(f"wrote {path}")
    return 0


def parser() -> Parser:
    parser = Parser("new", "A commented spec to begin with, whose claims are proved.", _EXAMPLES)
    parser.add_argument("kind", choices=KINDS, help=_ABOUT)
    parser.add_argument("name", metavar="NAME", help="of the algorithm and its file, NAME.seq; may have a folder")
    return parser


def _algorithm(name: str) -> str:
    """The name, if an algorithm can have it; raises SpecError E0602 if not."""
    from seqlang.syntax.load_table import load_table

    if name in load_table().reserved:
        raise SpecError.of("E0602", f"`{name}` is a word of the language", help=f"choose another name: `my_{name}`")
    if not re.fullmatch("[A-Za-z_][A-Za-z_0-9]*", name):
        near = re.sub("[^A-Za-z_0-9]+", "_", name).strip("_")
        remedy = f"try `{near}`" if near[:1].isalpha() else None
        raise SpecError.of("E0602", f"`{name}` is no name: letters, digits and _, no digit first", help=remedy)
    return name


def _template(kind: str, name: str) -> str:
    from seqlang.syntax import format_text

    file = Path(__file__).with_name("templates") / f"{kind}.seq"
    text = re.sub(r"\bNAME\b", name, file.read_text(encoding="utf-8"))
    laid_out, _ = format_text(Source(f"{name}.seq", text))  # a long name may need another line
    return laid_out or text
