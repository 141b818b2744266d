"""`seqlang new`: a spec to begin with, commented, whose claims are proved."""

from __future__ import annotations

from pathlib import Path

from seqlang.cli.options import Parser
from seqlang.cli.terminal.output import say
from seqlang.diagnostics import SpecError
from seqlang.driver.beginnings import KINDS, beginning

_EXAMPLES = """\
  seqlang new test my_test               (writes my_test.seq, then: seqlang check my_test.seq)
  seqlang new query salaries
  seqlang new learning classifier
  seqlang new monitoring alarms"""


def run(arguments: list[str]) -> int:
    """Writes one file, never over another."""
    options = parser().parse_args(arguments)
    path = Path(options.name)
    path = path if path.suffix == ".seq" else path.with_name(f"{path.name}.seq")
    text = beginning(options.kind, path.stem)
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
    parser.add_argument("kind", choices=tuple(KINDS), help=", ".join(KINDS.values()))
    parser.add_argument("name", metavar="NAME", help="of the algorithm and its file, NAME.seq; may have a folder")
    return parser
