"""`seqlang fmt`: the canonical layout."""

from __future__ import annotations

import os
import shutil
from argparse import Namespace
from pathlib import Path

from seqlang.cli.options import Parser
from seqlang.cli.terminal.formats import add_format, show_invalid
from seqlang.cli.terminal.output import print_json, print_line, say
from seqlang.cli.terminal.waiting import working
from seqlang.diagnostics import SpecError
from seqlang.diagnostics.github import annotation
from seqlang.driver import read
from seqlang.source import Source
from seqlang.version import __version__

_EXAMPLES = """\
  seqlang fmt my_test.seq
  seqlang fmt --upgrade my_test.seq
  seqlang fmt --check specs/*/*.seq      (changes nothing; exit 1 if a file would change)
  seqlang fmt --core @tight/one_sided    (prints the small program that the kernel of proofs reads)"""


def run(arguments: list[str]) -> int:
    """Formats files in place, or tells with `--check` which would change."""
    options = parser().parse_args(arguments)
    worst = 0
    for name in options.files:
        try:
            worst = max(worst, _one(name, options))
        except SpecError as error:
            show_invalid(error, name, options.format)
            worst = 2
    return worst


def parser() -> Parser:
    parser = Parser("fmt", "Rewrite specs in the canonical layout. Comments stay.", _EXAMPLES)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--check", action="store_true", help="change nothing, exit 1 if a file would change")
    parser.add_argument("--upgrade", action="store_true", help="rewrite what an older edition of the language wrote")
    parser.add_argument("--core", action="store_true", help="change nothing, print the program that the kernel reads")
    add_format(parser)
    return parser


def _one(name: str, options: Namespace) -> int:
    if options.core:
        return _core(name)
    with working(name):
        source = read(name)
        text = _laid_out(source, options.upgrade)
    changed = text != source.text
    if changed and not options.check:
        _replace(Path(name), text)
    _tell(source, changed, options.check, options.format)
    return 1 if changed and options.check else 0


def _core(name: str) -> int:
    """Prints the core program. Raises SpecError where the kernel has no such construct."""
    from seqlang.analyses.automata.lists import Beyond
    from seqlang.analyses.automata.lower import named_lines
    from seqlang.driver.loading import load

    with working(name):
        loaded = load(read(name))
    try:
        lines = named_lines(loaded.program)
    except Beyond as beyond:
        raise SpecError.of("E0605", f"the kernel of proofs does not read {beyond}") from None
    for line in lines:
        print_line(line)
    return 0


def _laid_out(source: Source, upgrade: bool) -> str:
    """Raises SpecError where the text is not well formed."""
    from seqlang.syntax import format_text, upgraded

    text, diagnostics = format_text(source)
    if text is not None and upgrade:
        text, diagnostics = format_text(Source(source.name, upgraded(source.text)))
    if text is None:
        raise SpecError(diagnostics, source)
    return text


def _tell(source: Source, changed: bool, only_check: bool, form: str) -> None:
    """What became of a file: on stdout where it is asked for as data, or by `--check`."""
    if form == "json":
        print_json({"seqlang": __version__, "schema": 1, "file": source.name, "changed": changed, "diagnostics": []})
    elif changed and not only_check:
        say(f"changed {source.name}")
    elif changed and form == "github":
        print_line(annotation("error", "layout", f"would change: seqlang fmt {source.name}", source))
    elif changed:
        print_line(f"would change {source.name}")


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
