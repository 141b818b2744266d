"""The parse table of the grammar: from the user's cache if it is there, else compiled and stored for the next time."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING
from zlib import crc32

from seqlang.process.locate import data_path
from seqlang.syntax.table import Table, from_json, to_json

if TYPE_CHECKING:
    from pathlib import Path

# Raise it when the meaning of the stored data changes.
_FORMAT = 1


@cache
def load_table() -> Table:
    """The table of grammars/seq.lark. A cache that is missing, stale, damaged or not writable costs time only."""
    with open(data_path("grammars", "seq.lark"), encoding="utf-8") as file:
        grammar = file.read()
    return table_of(grammar, cache_file(grammar))


def cache_file(grammar: str) -> str:
    """Where the table of a grammar is stored: a file for each grammar, format and Python version, so that several
    checkouts don't overwrite one another's."""
    folder = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    version = f"{_FORMAT}-{sys.version_info[0]}.{sys.version_info[1]}"
    return os.path.join(folder, "seqlang", f"grammar-{version}-{crc32(grammar.encode()):08x}.json")


def table_of(grammar: str, file: str | Path) -> Table:
    """The table of a grammar, read from `file` or compiled and stored there."""
    stored = _read(grammar, file)
    if stored is not None:
        return stored
    from seqlang.syntax.compile_grammar import compile_grammar

    table = compile_grammar(grammar)
    _write(grammar, table, file)
    return table


def _read(grammar: str, file: str | Path) -> Table | None:
    # A damaged file can fail in many ways, and each means the same: compile again. The checksum keeps a file that is
    # damaged but still JSON from changing the language.
    try:
        with open(file, encoding="utf-8") as stored:
            check, _, body = stored.read().partition("\n")
        if check != _checksum(grammar, body):
            return None
        return from_json(json.loads(body))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _write(grammar: str, table: Table, file: str | Path) -> None:
    # Written aside and renamed: a reader sees the old file or the new one, never half of one.
    aside = f"{os.fspath(file).removesuffix('.json')}.{os.getpid()}.tmp"
    body = json.dumps(to_json(table), separators=(",", ":"))
    try:
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(aside, "w", encoding="utf-8") as out:
            out.write(_checksum(grammar, body) + "\n" + body)
        os.replace(aside, file)
    except OSError:
        with suppress(OSError):
            os.unlink(aside)


def _checksum(grammar: str, body: str) -> str:
    return f"{crc32(grammar.encode()):08x}{crc32(body.encode()):08x}"
