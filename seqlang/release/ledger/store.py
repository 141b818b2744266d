"""Where the rows of a ledger are kept: an SQLite file, or a PostgreSQL database. Rows are added, and never changed or
deleted."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Protocol

from seqlang.diagnostics import SpecError
from seqlang.record import record
from seqlang.release.ledger.entry import Entry
from seqlang.release.ledger.inode import Inode, Mark, mark_of, place_of
from seqlang.release.ledger.refusal import refused

VERSION = 2
"""Of the table: 1 was in SQLite's WAL mode, and did not say which file it is."""
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
_JOURNALS = {b"\x01\x01": "rollback", b"\x02\x02": "wal"}
"""What bytes 18 and 19 of an SQLite file say (SQLite: Database File Format, 1.3)."""


class Held(Protocol):
    """What one process has at a time."""

    @property
    def close(self) -> Callable[[], None]:
        """Gives it back."""


class Store(Protocol):
    """Keeps rows. Raises SpecError E0670 where they cannot be read or written."""

    def transaction(self) -> AbstractContextManager[None]:
        """All of it, or nothing; no other writer meanwhile. Once it has ended, what was added outlives a power cut."""

    def entries(self, first: int = 1) -> tuple[Entry, ...]:
        """The rows from number `first` on, in order."""

    def append(self, entry: Entry) -> None:
        """Within a transaction."""

    def place(self) -> Mapping[str, str]:
        """What no copy of these rows has, as far as the store can tell."""

    def mark(self) -> Mark | None:
        """The newest row that was ever written here, as it is kept apart from the rows; None where it is not."""

    def set_mark(self, mark: Mark) -> None:
        """After the transaction that wrote the row; nothing happens where it is not kept."""

    def require_room(self) -> None:
        """Refuses where what is written next may not find room."""

    def hold(self, name: str) -> Held | None:
        """Something that no other process can have until it is closed; None if another one has it. It ends with the
        process, however that ends."""

    def close(self) -> None:
        """Nothing is read or written after that."""


@record
class Lock:
    """That a process has."""

    close: Callable[[], None]


class SqliteStore:
    """A file. Raises SpecError E0670 where it is not there, is no ledger, or cannot be written. `reading`: no row is
    added to it.

    Rows are committed with a rollback journal and full synchronisation: after each commit the file alone has all rows,
    so that a copy of it, whenever it was taken, lacks at most what nobody has seen yet. A ledger of version 1 (WAL)
    is converted when it is opened to be written."""

    def __init__(self, path: Path, *, make: bool = False, reading: bool = False) -> None:
        self.path, self._reading = path.resolve(), reading
        self._still: tuple[int, int] | None = None
        self._inode: Inode | None = None
        if make and path.exists():
            raise refused(f"`{path}` is there already", "open another account in it, or choose another name")
        if not make and not path.is_file():
            raise refused(f"there is no ledger `{path}`", f"`seqlang ledger open {path} --data NAME ..` makes one")
        try:
            self._connection = self._opened_to_read() if reading else self._connected("rwc" if make else "rw")
            if not reading:
                self._inode = Inode(self.path)
                self._inode.require_one_name()
            self._prepare(make)
        except (sqlite3.Error, OSError) as why:
            self._give_up()
            raise refused(f"`{path}` cannot be used as a ledger: {why}") from None
        except SpecError:
            self._give_up()
            raise

    def _opened_to_read(self) -> sqlite3.Connection:
        """A file of version 1 without a log beside it is open nowhere else: it is read as one that does not change, for
        which SQLite makes no log, and `entries` sees whether it did."""
        with self.path.open("rb") as file:
            is_wal = _JOURNALS.get(file.read(20)[18:]) == "wal"
        if is_wal and not self.path.with_name(f"{self.path.name}-wal").exists():
            self._still = self._stamp()
            return self._connected("ro&immutable=1")
        found = self._connected("ro")
        try:
            found.execute("PRAGMA user_version").fetchone()
        except sqlite3.Error as why:
            if why.sqlite_errorcode != sqlite3.SQLITE_READONLY_ROLLBACK:
                raise
            found.close()  # a process died in a write: SQLite takes back what it wrote, for which it must write
            found = self._connected("rw")
        return found

    def _connected(self, mode: str) -> sqlite3.Connection:
        return sqlite3.connect(f"{self.path.as_uri()}?mode={mode}", uri=True, timeout=WAIT, isolation_level=None)

    def _stamp(self) -> tuple[int, int]:
        found = self.path.stat()
        return found.st_mtime_ns, found.st_size

    def _prepare(self, make: bool) -> None:
        run = self._connection.execute
        run("PRAGMA trusted_schema = OFF")
        if make:
            self._synchronise()
            self._connection.executescript(f"BEGIN IMMEDIATE; {_MADE} PRAGMA user_version = {VERSION}; COMMIT;")
            return
        version = run("PRAGMA user_version").fetchone()[0]
        if version > VERSION:
            raise refused(f"`{self.path}` was written by a newer seqlang (version {version} of its table)")
        if version < 1:
            raise refused(f"`{self.path}` is no ledger")
        if not self._reading:
            self._synchronise()
            if version < VERSION:
                self._connection.executescript(f"BEGIN IMMEDIATE; PRAGMA user_version = {VERSION}; COMMIT;")

    def _synchronise(self) -> None:
        """A commit ends by a header of zeros in the journal, which is synced. If it ended by removing the journal, the
        folder would have to be synced, too: otherwise a power cut brings the journal back, and takes back a look."""
        run = self._connection.execute
        if run("PRAGMA journal_mode = PERSIST").fetchone()[0] != "persist":
            raise refused(f"`{self.path}` is open in another process of an older seqlang", "wait for its end")
        run("PRAGMA synchronous = FULL")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of it, or nothing; no other writer meanwhile. Raises SpecError where the file was moved, or has got
        another name."""
        if self._inode is None:  # SQLite itself would begin one, and fail at the first row
            raise refused(f"`{self.path}` cannot be written: it was opened to be read")
        self._inode.require_one_name()
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

    def place(self) -> Mapping[str, str]:
        """The device and the number of the file."""
        try:
            return place_of(self.path)
        except OSError as why:
            raise refused(f"`{self.path}` cannot be read: {why.strerror}") from None

    def mark(self) -> Mark | None:
        """An attribute of the file."""
        return mark_of(self.path)

    def set_mark(self, mark: Mark) -> None:
        """An attribute of the file."""
        if self._inode is not None:
            self._inode.set_mark(mark)

    def require_room(self) -> None:
        """Raises SpecError where the disk is full, or nearly so."""
        if self._inode is not None:
            self._inode.require_room()

    def hold(self, name: str) -> Held | None:
        """A lock on the file itself, whatever it is called."""
        if self._inode is None:
            raise refused(f"`{self.path}` cannot be written: it was opened to be read")
        place = self._inode.lock(name)
        return None if place is None else Lock(partial(self._inode.unlock, place))

    def close(self) -> None:
        """Nothing is left beside the file, unless another process has it open."""
        if self._inode is not None:
            with suppress(sqlite3.Error):
                self._connection.execute("PRAGMA busy_timeout = 0")
                self._connection.execute("PRAGMA journal_mode = DELETE")
        self._connection.close()
        if self._inode is not None:
            self._inode.close()

    def _give_up(self) -> None:
        connection = getattr(self, "_connection", None)
        if connection is not None:
            connection.close()
        if self._inode is not None:
            self._inode.close()
