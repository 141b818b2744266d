"""Ledgers as the first version of the table kept them: SQLite files in WAL mode. `version1.jsonl` was printed by
`seqlang ledger export` of that version, from a ledger that it wrote: a charge by hand, a refund, a release that has
stopped, and one, `open`, of a threshold of 30 that has made nine silent steps. The SQL is of that version."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

ROWS = Path(__file__).with_name("version1.jsonl").read_text().splitlines()
HEAD = json.loads(ROWS[-1])["digest"]
_MADE = """
CREATE TABLE entries (
    number INTEGER PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, previous TEXT NOT NULL UNIQUE,
    digest TEXT NOT NULL UNIQUE, signature TEXT NOT NULL
) STRICT;
CREATE TRIGGER kept_as_written BEFORE UPDATE ON entries
    BEGIN SELECT RAISE(ABORT, 'rows of a ledger are not changed'); END;
CREATE TRIGGER kept_for_ever BEFORE DELETE ON entries
    BEGIN SELECT RAISE(ABORT, 'rows of a ledger are not deleted'); END;
"""


def rows() -> list[tuple[object, ...]]:
    """As they are in the table."""
    found = []
    for line in ROWS:
        row = json.loads(line)
        body = json.dumps(row["body"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        found.append((row["number"], row["at"], row["kind"], body, row["previous"], row["digest"], row["signature"]))
    return found


def write(path: Path, *, killed: bool = False) -> None:
    """A ledger of that version at the path. `killed`: as a process that is killed leaves it, with the last rows in the
    log beside it alone."""
    whole = path if not killed else path.with_name(f"{path.name}.whole")
    raw = sqlite3.connect(whole, isolation_level=None)
    raw.execute("PRAGMA journal_mode = WAL")
    raw.executescript(f"BEGIN IMMEDIATE; {_MADE} PRAGMA user_version = 1; COMMIT;")
    for number, row in enumerate(rows()):
        if number == 4:
            raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        raw.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    if killed:  # a copy of both files while the first one is open is what a dead process leaves
        for suffix in ("", "-wal"):
            shutil.copyfile(f"{whole}{suffix}", f"{path}{suffix}")
    raw.close()
    if killed:
        whole.unlink()
