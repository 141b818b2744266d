"""`seqlang fmt`: the canonical layout."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from seqlang.cli.options import Parser
from seqlang.cli.terminal.errors import show, show_error
from seqlang.cli.terminal.output import say
from seqlang.cli.terminal.waiting import working
from seqlang.diagnostics import SpecError
from seqlang.diagnostics.display import visible
from seqlang.driver import read

_EXAMPLES = """\
  seqlang fmt my_test.seq
  seqlang fmt --check specs/*/*.seq      (changes nothing; exit 1 if a file would change)"""


def run(arguments: list[str]) -> int:
    """Formats files in place, or tells with `--check` which would change."""
    parser = Parser("fmt", "Rewrite specs in the canonical layout. Comments stay.", _EXAMPLES)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--check", action="store_true", help="change nothing, exit 1 if a file would change")
    options = parser.parse_args(arguments)
    worst = 0
    for name in options.files:
        try:
            worst = max(worst, _one(name, options.check))
        except SpecError as error:
            show_error(error)
            worst = 2
    return worst


def _one(name: str, only_check: bool) -> int:
    from seqlang.syntax import format_text

    with working(name):
        source = read(name)
        text, diagnostics = format_text(source)
    show(diagnostics, source)
    if text is None:
        return 2
    if text == source.text:
        return 0
    if only_check:
        print(f"would change {visible(name)}")
        return 1
    _replace(Path(name), text)
    say(f"changed {name}")
    return 0


def _replace(path: Path, text: str) -> None:
    """Writes beside the file and renames, so that an interruption leaves either the old text or the new. The file that
    a symbolic link names is changed, not the link; who may read, write and execute it stays."""
    path = Path(os.path.realpath(path))
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        fresh.write_text(text, encoding="utf-8")
        shutil.copymode(path, fresh)
        os.replace(fresh, path)
    except OSError as error:
        raise SpecError.of("E0605", f"cannot write `{path}`: {error.strerror or error}") from None
    finally:
        fresh.unlink(missing_ok=True)
