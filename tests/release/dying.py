"""Releases and charges that die: a process that forks a child for each line that it reads, under `faults.c`.

A line is [folder, action, k, log, address, victim]: the child does the action on the ledger `folder/ledger` and is
killed in front of its k-th write (-1: never); with `log` all writes go to `folder/log`. With an address, the ledger is
there, in a PostgreSQL database, and what is sent and received counts as a write; the victim is the child itself, the
process of the server that it talks to (`backend`), or the server (`stopped 123` with no time to write anything, or
`killed 123`, with its process); `folder/shot` is there where another one than the child was hit. What was told goes to
`folder/told`, a line a look; `folder/read` is there once a private row was read. The answer is the child's exit status,
2 where it was refused.
The actions `unsynced` and `told first` are releases with a fault, which the tests must find. `full` is a release to
files of at most k bytes, `stranger` one by a user who may only read.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import resource
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from released import BLOCK, ledger, terms_of

from seqlang.diagnostics import SpecError
from seqlang.release.ledger.book import Book, Charge
from seqlang.release.ledger.budget import amount_of
from seqlang.release.ledger.postgres import PostgresStore
from seqlang.release.ledger.store import SqliteStore
from seqlang.release.releasing import Agreed, release

ROWS = "101101110101"


def rows(folder: Path) -> Iterator[Mapping[str, Any]]:
    (folder / "read").touch()
    for value in ROWS:
        yield {"x": int(value)}


def child(folder: Path, action: str, k: int, log: bool, address: str, victim: str, terms: Agreed) -> None:
    told = os.open(folder / "told", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    to = os.open(folder / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND) if log else -1
    where = folder / ("" if log else "ledger")  # in a log, what was told has its place
    if action == "full":
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (k, k))
    elif action == "stranger":
        if os.getuid() == 0:
            os.setuid(65534)
    else:
        ctypes.CDLL(None).watch(str(where).encode(), k, to)
    book = in_database(address, victim) if address else ledger(folder / "ledger")
    if action == "unsynced":
        assert isinstance(book.store, SqliteStore)
        book.store._connection.execute("PRAGMA synchronous = OFF")
    if action == "told first":
        writes = book.looks
        book.looks = lambda name, first, looks: (_all_told(told, looks), writes(name, first, looks))  # type: ignore
    if action in ("release", "unsynced", "told first", "full", "stranger"):
        release(terms, book, lambda: rows(folder), tell=lambda look: _tell(told, look))
    else:
        book.charge(Charge(action, "mine", amount_of("pure(1/10)", ""), "", (), ""), "replace one")
        _tell(told, {"charged": action})
    book.store.close()


def in_database(address: str, victim: str) -> Book:
    faults = ctypes.CDLL(None)
    word, _, server = victim.partition(" ")
    how = signal.SIGQUIT if word == "stopped" else signal.SIGKILL
    faults.wire(int(server or 0), how)  # connecting counts
    store = PostgresStore(address)
    if word == "backend":
        faults.wire(store._connection.info.backend_pid, how)
    return Book(store)


def _all_told(to: int, looks: Sequence[Mapping[str, Any]]) -> None:
    for look in looks:
        _tell(to, look)


def _tell(to: int, said: Mapping[str, Any]) -> None:
    os.write(to, json.dumps(said, sort_keys=True).encode() + b"\n")


def main() -> None:
    folder = Path(sys.argv[1])
    first = ledger(folder / "first")
    terms = terms_of(BLOCK, first)
    release(terms, first, lambda: rows(folder))  # what is imported here no child imports again
    first.store.close()
    with suppress(ImportError):
        import_module("psycopg")
    gc.freeze()
    for line in sys.stdin:
        where, action, k, log, address, victim = json.loads(line)
        pid = os.fork()
        if pid == 0:
            status = 0
            try:
                child(Path(where), action, k, log, address, victim, terms)
            except SpecError:
                status = 2
            except Exception as why:
                print(repr(why), file=sys.stderr, flush=True)
                status = 3
            if k >= 0 and ctypes.CDLL(None).left_to_live() < 0:
                (Path(where) / "shot").touch()
            os._exit(status)
        print(os.waitpid(pid, 0)[1], flush=True)


if __name__ == "__main__":
    main()
