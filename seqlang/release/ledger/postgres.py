"""Rows of a ledger in a PostgreSQL database, for teams: the same rows, in the table `seqlang_entries` of the first
schema of the search path."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from seqlang.diagnostics import SpecError
from seqlang.release.ledger.entry import Entry
from seqlang.release.ledger.inode import Mark
from seqlang.release.ledger.refusal import refused
from seqlang.release.ledger.store import VERSION, WAIT, Held, Lock

_MADE = f"""
CREATE TABLE seqlang_ledger (version integer NOT NULL);
INSERT INTO seqlang_ledger VALUES ({VERSION});
CREATE TABLE seqlang_entries (
    number bigint PRIMARY KEY, at text NOT NULL, kind text NOT NULL, body text NOT NULL, previous text NOT NULL UNIQUE,
    digest text NOT NULL UNIQUE, signature text NOT NULL
);
CREATE FUNCTION seqlang_kept() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'rows of a ledger are neither changed nor deleted'; END $$;
CREATE TRIGGER seqlang_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON seqlang_entries
    FOR EACH STATEMENT EXECUTE FUNCTION seqlang_kept();
"""


class PostgresStore:
    """A database, by its address `postgresql://..`. Raises SpecError E0670 where it cannot be reached, holds no ledger,
    or cannot be written."""

    def __init__(self, address: str, *, opening: bool = False, reading: bool = False) -> None:
        """`opening`: the tables are made if they are not there; `reading`: no row is added."""
        self._psycopg = _psycopg()
        self._place: Mapping[str, str] | None = None
        with self._told():
            self._connection = self._psycopg.connect(address, autocommit=True)
            self._run("SET synchronous_commit = on")
            self._run(f"SET lock_timeout = {int(1000 * WAIT)}")
            self._prepare(opening, reading)

    def _run(self, text: str, values: tuple[Any, ...] = ()) -> Any:
        return self._connection.execute(text, values or None)

    def _prepare(self, opening: bool, reading: bool) -> None:
        there = self._run("SELECT to_regclass('seqlang_ledger')").fetchone()[0] is not None
        if not there and not opening:
            raise refused("the database holds no ledger", "`seqlang ledger open ADDRESS --data NAME ..` makes one")
        if not there:
            with self._connection.transaction():
                self._run(_MADE)
        (version,) = self._run("SELECT version FROM seqlang_ledger").fetchone()
        if version > VERSION:
            raise refused(f"the database was written by a newer seqlang (version {version} of its tables)")
        if version < VERSION and not reading:
            self._run(f"UPDATE seqlang_ledger SET version = {VERSION}")

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What goes wrong is refused; addresses may hold passwords, and are not repeated."""
        try:
            yield
        except self._psycopg.Error as why:
            raise refused(
                f"the database cannot be used as a ledger: {str(why).strip().splitlines()[0][:200]}"
            ) from None

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of it, or nothing; no other writer meanwhile."""
        with self._told(), self._connection.transaction():
            self._run("LOCK TABLE seqlang_entries IN EXCLUSIVE MODE")
            yield

    def entries(self, first: int = 1) -> tuple[Entry, ...]:
        """The rows from number `first` on, in order."""
        with self._told():
            rows = self._run(
                "SELECT number, at, kind, body, previous, digest, signature FROM seqlang_entries WHERE number >= %s "
                "ORDER BY number", (first,),
            ).fetchall()  # fmt: skip
        return tuple(Entry(*row) for row in rows)

    def append(self, entry: Entry) -> None:
        """Within a transaction."""
        with self._told():
            self._run(
                "INSERT INTO seqlang_entries VALUES (%s, %s, %s, %s, %s, %s, %s)",
                (entry.number, entry.at, entry.kind, entry.body, entry.previous, entry.digest, entry.signature),
            )

    def place(self) -> Mapping[str, str]:
        """The system, the table, and the timeline of the server. A dump that is restored elsewhere is another table,
        and a server that goes on from a backup, or in the place of one that was lost, has a new timeline. None of them
        changes while a connection lasts."""
        if self._place is None:
            self._place = self._found_place()
        return self._place

    def _found_place(self) -> Mapping[str, str]:
        with self._told():
            (system,) = self._run("SELECT system_identifier::text FROM pg_control_system()").fetchone()
            (table,) = self._run("SELECT 'seqlang_entries'::regclass::oid::text").fetchone()
            (copies,) = self._run("SELECT pg_is_in_recovery()").fetchone()
            if copies:
                return {"system": system, "table": table, "timeline": "a copy of another server"}
            (written,) = self._run("SELECT pg_walfile_name(pg_current_wal_lsn())").fetchone()
        return {"system": system, "table": table, "timeline": written[:8]}

    def mark(self) -> Mark | None:
        """None: the timeline says whether rows were taken back."""
        return None

    def set_mark(self, mark: Mark) -> None:
        """Nothing."""

    def require_room(self) -> None:
        """Nothing: who fills the disk of the server is not who starts a release."""

    def hold(self, name: str) -> Held | None:
        """A lock of this connection: whoever loses the connection loses the lock, and can write no look either."""
        with self._told():
            # A database may hold several ledgers, in schemas.
            (table,) = self._run("SELECT 'seqlang_entries'::regclass::oid").fetchone()
            digest = hashlib.sha256(f"{table} {name}".encode()).digest()
            key = int.from_bytes(digest[:8], "big", signed=True)
            if not self._run("SELECT pg_try_advisory_lock(%s)", (key,)).fetchone()[0]:
                return None
        return Lock(lambda: self._give_back(key))

    def _give_back(self, key: int) -> None:
        if not self._connection.closed:
            with self._told():
                self._run("SELECT pg_advisory_unlock(%s)", (key,))

    def close(self) -> None:
        """Ends the connection."""
        self._connection.close()


def _psycopg() -> Any:
    try:
        import psycopg
    except ImportError:
        raise SpecError.of(
            "E0670", "a ledger in a database needs psycopg", help="pip install 'seqlang[postgres]'"
        ) from None
    return psycopg
