"""Where the rows of a ledger are kept: an SQLite file, or a PostgreSQL database. Rows are added, and never changed or
deleted."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

from seqlang.diagnostics import SpecError
from seqlang.release.ledger.entry import Entry

VERSION = 1
"""Of the table."""
WAIT = 30.0
"""Seconds that a transaction waits for others."""
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


class Held(Protocol):
    """What one process has at a time."""

    def close(self) -> None:
        """Gives it back."""


class Store(Protocol):
    """Keeps rows. Raises SpecError E0670 where they cannot be read or written."""

    def transaction(self) -> AbstractContextManager[None]:
        """All of it, or nothing; no other writer meanwhile. Once it has ended, what was added outlives a power cut."""

    def entries(self, first: int = 1) -> tuple[Entry, ...]:
        """The rows from number `first` on, in order."""

    def append(self, entry: Entry) -> None:
        """Within a transaction."""

    def hold(self, name: str) -> Held | None:
        """Something that no other process can have until it is closed; None if another one has it. It ends with the
        process, however that ends."""

    def close(self) -> None:
        """Nothing is read or written after that."""


class SqliteStore:
    """A file. Raises SpecError E0670 where it is not there, is no ledger, or cannot be written. `reading`: it is not
    written to; nor is anything beside it, unless somebody else is writing to it."""

    def __init__(self, path: Path, *, make: bool = False, reading: bool = False) -> None:
        self.path, self._reading = path, reading
        self._still: tuple[int, int] | None = None
        if make and path.exists():
            raise refused(f"`{path}` is there already", "open another account in it, or choose another name")
        if not make and not path.is_file():
            raise refused(f"there is no ledger `{path}`", f"`seqlang ledger open {path} --data NAME ..` makes one")
        try:
            self._connection = self._opened(reading)
            self._prepare(make)
        except (sqlite3.Error, OSError) as why:
            raise refused(f"`{path}` cannot be used as a ledger: {why}") from None

    def _opened(self, reading: bool) -> sqlite3.Connection:
        """A file without a log beside it is open nowhere else: it is then read as one that does not change, for which
        SQLite makes no log, and `entries` sees whether it did."""
        if not reading:
            return sqlite3.connect(self.path, timeout=WAIT, isolation_level=None)
        address = f"{self.path.absolute().as_uri()}?mode=ro"
        if not self.path.with_name(f"{self.path.name}-wal").exists():
            address, self._still = f"{address}&immutable=1", self._stamp()
        return sqlite3.connect(address, uri=True, timeout=WAIT, isolation_level=None)

    def _stamp(self) -> tuple[int, int]:
        found = self.path.stat()
        return found.st_mtime_ns, found.st_size

    def _prepare(self, make: bool) -> None:
        run = self._connection.execute
        if make:
            run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = FULL")
        run("PRAGMA trusted_schema = OFF")
        version = run("PRAGMA user_version").fetchone()[0]
        if make:
            self._connection.executescript(f"BEGIN IMMEDIATE; {_MADE} PRAGMA user_version = {VERSION}; COMMIT;")
        elif version > VERSION:
            raise refused(f"`{self.path}` was written by a newer seqlang (version {version} of its table)")
        elif version != VERSION:
            raise refused(f"`{self.path}` is no ledger")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of it, or nothing; no other writer meanwhile."""
        if self._reading:  # SQLite itself would begin one, and fail at the first row
            raise refused(f"`{self.path}` cannot be written: it was opened to be read")
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as why:
            raise refused(f"`{self.path}` cannot be written: {why}") from None
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException as why:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            if isinstance(why, sqlite3.Error):
                raise refused(f"`{self.path}` cannot be written: {why}") from None
            raise

    def entries(self, first: int = 1) -> tuple[Entry, ...]:
        """The rows from number `first` on, in order."""
        try:
            rows = self._connection.execute(
                "SELECT number, at, kind, body, previous, digest, signature FROM entries WHERE number >= ? "
                "ORDER BY number", (first,),
            ).fetchall()  # fmt: skip
        except sqlite3.Error as why:
            raise refused(f"`{self.path}` cannot be read: {why}") from None
        if self._still is not None and self._still != self._stamp():
            raise refused(f"`{self.path}` was written to while it was read", "read it again")
        return tuple(Entry(*row) for row in rows)

    def append(self, entry: Entry) -> None:
        """Within a transaction."""
        self._connection.execute(
            "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)",
            (entry.number, entry.at, entry.kind, entry.body, entry.previous, entry.digest, entry.signature),
        )

    def hold(self, name: str) -> Held | None:
        """Something that no other process can have until it is closed; None if another one has it. It ends with the
        process, however that ends."""
        import fcntl
        import hashlib

        short, path = hashlib.sha256(name.encode()).hexdigest()[:16], self.path.resolve()
        try:
            file = path.with_name(f"{path.name}.{short}.lock").open("a")
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.close()
                return None
        except OSError as why:
            raise refused(f"no lock can be had beside `{self.path}`: {why.strerror}") from None
        return file

    def close(self) -> None:
        """The file is complete without its log after that."""
        self._connection.close()


def refused(message: str, help: str | None = None) -> SpecError:
    """What a ledger refuses, exit code 2."""
    return SpecError.of("E0670", message, help=help)
