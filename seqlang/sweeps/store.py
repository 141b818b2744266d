"""Finished units in a SQLite file. A unit is there whole or not at all, whenever the process is killed; one whose row
was damaged on the disk is not there, and is computed again."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from seqlang.diagnostics import SpecError
from seqlang.sweeps.owner import Owner, myself
from seqlang.sweeps.unit import Unit

_MARK = 0x73657173  # SQLite's application_id: "seqs"
_FORM = 1  # SQLite's user_version: of the tables below
_PATIENCE = 60.0  # seconds to wait for another process that writes
_AT_ONCE = 500  # keys in one question; SQLite has a limit

_TABLES = (
    "create table finished (key text primary key, unit text not null, answer text not null, digest text not null) "
    "without rowid",
    "create table underway (key text primary key, host text not null, process integer not null, born text not null)",
)


class Store:
    """Answers by the key of their unit. Several processes may use one file at a time: what one of them is at work on,
    the others leave alone. Raises SpecError E0641 where the file cannot be used."""

    def __init__(self, file: str | Path) -> None:
        self._file = str(file)
        self._owner = myself()
        if not self._file:  # to SQLite that is a file which it deletes at the end
            raise self._refused("it has no name")
        try:
            self._database = sqlite3.connect(self._file, timeout=_PATIENCE, isolation_level=None)
            self._prepare()
        except sqlite3.Error as error:
            raise self._refused(str(error)) from None

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def answers(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Those of `keys` that are finished."""
        found: list[tuple[str, str, str]] = []
        for first in range(0, len(keys), _AT_ONCE):
            some = keys[first : first + _AT_ONCE]
            marks = ", ".join("?" * len(some))
            found += self._do(f"select key, answer, digest from finished where key in ({marks})", *some)
        return {key: json.loads(answer) for key, answer, digest in found if digest == _digest(key, answer)}

    def claim(self, key: str) -> Literal["mine", "finished", "elsewhere"]:
        """Takes a unit on, unless it is finished or a living process is at work on it."""
        with self._transaction():
            if self.answers([key]):
                return "finished"
            at_work = _owners(self._do("select host, process, born from underway where key = ?", key))
            if any(owner != self._owner and owner.lives() for owner in at_work):
                return "elsewhere"
            owner = self._owner
            self._do("insert or replace into underway values (?, ?, ?, ?)", key, owner.host, owner.process, owner.born)
        return "mine"

    def finish(self, unit: Unit, answer: dict[str, Any]) -> None:
        """Keeps the answer, for good."""
        key, text = unit.key, json.dumps(answer)
        with self._transaction():
            self._do("insert or replace into finished values (?, ?, ?, ?)", key, _words(unit), text, _digest(key, text))
            self._do("delete from underway where key = ?", key)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All of it or nothing, also where Ctrl-C comes in the middle."""
        self._do("begin immediate")
        try:
            yield
        except BaseException:
            self._database.rollback()
            raise
        self._do("commit")

    def close(self) -> None:
        """Lets go of what was taken on and not finished."""
        owner = self._owner
        try:
            self._do("delete from underway where host = ? and process = ?", owner.host, owner.process)
        except SpecError:
            pass  # a claim of a dead process does no harm
        finally:
            self._database.close()

    def _prepare(self) -> None:
        """Makes the tables of a new file, and leaves a database of something else as it is."""
        ask = self._database.execute
        # In this order: who makes the tables also leaves the mark, at one blow.
        (tables,) = ask("select count(*) from sqlite_master").fetchone()
        (mark,) = ask("pragma application_id").fetchone()
        if tables and mark != _MARK:
            self._database.close()
            raise self._refused("it is a database of something else")
        (form,) = ask("pragma user_version").fetchone()
        if tables and form != _FORM:
            self._database.close()
            raise self._refused("another release of seqlang wrote it")
        self._log_ahead()
        ask("pragma synchronous = full")
        ask("begin immediate")  # of two processes that begin together, one makes the tables
        if not ask("select count(*) from sqlite_master").fetchone()[0]:
            for statement in _TABLES:
                ask(statement)
            ask(f"pragma application_id = {_MARK}")
            ask(f"pragma user_version = {_FORM}")
        ask("commit")

    def _log_ahead(self) -> None:
        """Readers and the writer do not wait for each other. SQLite does not wait for the lock that the change needs,
        so that is done here."""
        for _ in range(100):
            try:
                self._database.execute("pragma journal_mode = wal")
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error):
                    raise
                time.sleep(0.05)

    def _do(self, statement: str, *values: Any) -> list[Any]:
        try:
            return self._database.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise self._refused(str(error)) from None

    def _refused(self, why: str) -> SpecError:
        remedy = "name a new file, or one that an earlier sweep wrote"
        return SpecError.of("E0641", f"cannot keep results in `{self._file}`: {why}", help=remedy)


def _digest(key: object, answer: object) -> str:
    """Of what was written; a damaged column may hold a value of any type."""
    return hashlib.sha256(f"{key!r}\n{answer!r}".encode("utf-8", "replace")).hexdigest()


def _owners(rows: Sequence[tuple[object, object, object]]) -> list[Owner]:
    """Those whose row was not damaged: a unit whose owner is not known is nobody's."""
    return [
        Owner(host, process, born)
        for host, process, born in rows
        if isinstance(host, str) and isinstance(process, int) and isinstance(born, str) and 0 < process < 1 << 31
    ]


def _words(unit: Unit) -> str:
    """For who looks into the file with other tools."""
    plain = unit.to_plain()
    return json.dumps({name: plain[name] for name in ("do", "name", "parameters", "model", "options")})
