"""Where a ledger is: a file, or a database."""

from __future__ import annotations

from pathlib import Path

from seqlang.release.ledger.postgres import PostgresStore
from seqlang.release.ledger.store import SqliteStore, Store


def store_at(where: str, *, opening: bool = False) -> Store:
    """The store of a ledger, a file or an address `postgresql://..`; `opening`: it is made if it is not there."""
    if where.startswith(("postgresql://", "postgres://")):
        return PostgresStore(where, opening=opening)
    path = Path(where)
    return SqliteStore(path, make=opening and not path.exists())
