"""`seqlang studio`: the analyst's page, on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from seqlang.cli.options import Parser, whole
from seqlang.diagnostics import SpecError

if TYPE_CHECKING:
    from seqlang.studio.state import State

_EXAMPLES = """\
  seqlang studio                          (opens the browser; the library is there)
  seqlang studio @tight/one_sided
  seqlang studio trial.seq --port 8000 --no-browser
  seqlang studio --released-only          (shows nothing that is computed from private rows without noise)"""


def run(arguments: list[str]) -> int:
    """Serves the page until Ctrl-C."""
    options = parser().parse_args(arguments)
    port = None if options.port is None else whole(options.port, "--port", least=0)
    if port is not None and port > 65535:
        raise SpecError.of("E0603", f"--port {port}: ports end at 65535")
    try:
        from seqlang.studio.serving import HOST, serve
    except ImportError as missing:
        message = f"the page needs `{missing.name}`, which is not installed"
        raise SpecError.of("E0605", message, help="pip install 'seqlang[studio]'") from None
    from seqlang.studio.secret import token
    from seqlang.studio.state import State

    folder, first = Path.cwd(), State()
    if options.file is not None:
        folder, first = _opened(options.file, folder)
    return serve(
        first, Path(options.folder) if options.folder else folder, token(new=options.new_token), port=port,
        host=options.host or HOST, browser=not options.no_browser, released_only=options.released_only,
    )  # fmt: skip


def _opened(file: str, folder: Path) -> tuple[Path, State]:
    """The folder of a file, and the state in which it is open. Raises SpecError where it cannot be read."""
    from seqlang.driver import read
    from seqlang.studio.state import State

    text = read(file).text
    if file.startswith("@"):
        return folder, State(file, text, (), "see")
    path = Path(file).resolve()
    return path.parent, State(path.name, text, (), "see")


def parser() -> Parser:
    parser = Parser("studio", "Open the analyst's page in a browser.", _EXAMPLES)
    parser.add_argument("file", nargs="?", metavar="FILE", help="a spec, or @NAME of the library")
    parser.add_argument("--port", metavar="P", help="listen there; 0: at a free one (8417, or a free one)")
    parser.add_argument("--host", metavar="ADDRESS", help="listen there instead of 127.0.0.1: others can reach it")
    parser.add_argument("--folder", metavar="FOLDER", help="where own specs and data are (the file's, or this one)")
    parser.add_argument("--no-browser", action="store_true", help="print the address only")
    parser.add_argument("--released-only", action="store_true", help="show only what the mechanism releases")
    parser.add_argument("--new-token", action="store_true", help="old links stop working")
    return parser
