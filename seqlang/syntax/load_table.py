"""The parse table of the grammar: from the user's cache if it is there, else compiled and stored for the next time."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from zlib import crc32

from seqlang.process.locate import data_folder
from seqlang.syntax.table import Table, from_json, to_json

# Raise it when the meaning of the stored data changes.
_FORMAT = 1


@cache
def load_table() -> Table:
    """The table of grammars/seq.lark. A cache that is missing, stale, damaged or not writable costs time only."""
    grammar = (data_folder("grammars") / "seq.lark").read_text("utf-8")
    return table_of(grammar, cache_file(grammar))


def cache_file(grammar: str) -> Path:
    """Where the table of a grammar is stored: a file for each grammar, format and Python version, so that several
    checkouts don't overwrite one another's."""
    folder = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    version = f"{_FORMAT}-{sys.version_info[0]}.{sys.version_info[1]}"
    return Path(folder, "seqlang", f"grammar-{version}-{crc32(grammar.encode()):08x}.json")


def table_of(grammar: str, file: Path) -> Table:
    """The table of a grammar, read from `file` or compiled and stored there."""
    stored = _read(grammar, file)
    if stored is not None:
        return stored
    from seqlang.syntax.compile_grammar import compile_grammar

    table = compile_grammar(grammar)
    _write(grammar, table, file)
    return table


def _read(grammar: str, file: Path) -> Table | None:
    # A damaged file can fail in many ways, and each means the same: compile again. The checksum keeps a file that is
    # damaged but still JSON from changing the language.
    try:
        check, _, body = file.read_text("utf-8").partition("\n")
        if check != _checksum(grammar, body):
            return None
        return from_json(json.loads(body))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _write(grammar: str, table: Table, file: Path) -> None:
    # Written aside and renamed: a reader sees the old file or the new one, never half of one.
    aside = file.with_suffix(f".{os.getpid()}.tmp")
    body = json.dumps(to_json(table), separators=(",", ":"))
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        aside.write_text(_checksum(grammar, body) + "\n" + body, "utf-8")
        os.replace(aside, file)
    except OSError:
        with suppress(OSError):
            aside.unlink(missing_ok=True)


def _checksum(grammar: str, body: str) -> str:
    return f"{crc32(grammar.encode()):08x}{crc32(body.encode()):08x}"
