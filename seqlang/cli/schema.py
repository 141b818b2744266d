"""`seqlang schema`: the form of what commands print as JSON."""

from __future__ import annotations

import sys
from pathlib import Path

import seqlang.results
from seqlang.cli.options import Parser

_EXAMPLES = """\
  seqlang schema check > check.schema.json
  seqlang schema run"""
COMMANDS = ("check", "design", "fmt", "monitor", "run", "solve", "verify")


def run(arguments: list[str]) -> int:
    """Prints the JSON Schema (draft 2020-12) of each object that a command prints."""
    options = parser().parse_args(arguments)
    file = Path(seqlang.results.__file__).with_name("schemas") / f"{options.command}.json"
    sys.stdout.write(file.read_text(encoding="utf-8"))
    return 0


def parser() -> Parser:
    parser = Parser("schema", "The JSON Schema of what a command prints with --json, or --format json.", _EXAMPLES)
    parser.add_argument("command", choices=COMMANDS, help="whose objects")
    return parser
