"""Where a ledger is: a file, or a database."""

from __future__ import annotations

from pathlib import Path

from seqlang.release.ledger.book import Book
from seqlang.release.ledger.postgres import PostgresStore
from seqlang.release.ledger.store import SqliteStore, Store


def store_at(where: str, *, opening: bool = False, reading: bool = False) -> Store:
    """The store of a ledger, a file or an address `postgresql://..`; `opening`: it is made if it is not there;
    `reading`: no row is added to it."""
    if where.startswith(("postgresql://", "postgres://")):
        return PostgresStore(where, opening=opening, reading=reading)
    path = Path(where)
    return SqliteStore(path, make=opening and not path.exists(), reading=reading)


def book_at(where: str) -> Book:
    """A ledger as it stands, for those who only look at it. Raises SpecError E0670."""
    store = store_at(where, reading=True)
    try:
        return Book(store)
    finally:
        store.close()
