"""The ledger in a PostgreSQL database: the same refusals, two writers, and a server that is killed."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from released import BLOCK, released

from seqlang.diagnostics import SpecError
from seqlang.release.ledger.book import Book, Charge
from seqlang.release.ledger.budget import amount_of
from seqlang.release.ledger.postgres import PostgresStore
from seqlang.release.verification import faults_of

psycopg = pytest.importorskip("psycopg")
PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin"))


class Server:
    """Of its own, in a folder, at a socket there; as another user where we are root, which it refuses."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.data = folder, folder / "data"
        self._as = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
        if self._as:
            shutil.chown(folder, "postgres")
        self._run("initdb", "-D", self.data, "-A", "trust", "-U", "postgres")
        self.address = f"postgresql://postgres@/postgres?host={folder}"

    def _run(self, program: str, *arguments: object) -> None:
        command = [*self._as, PROGRAMS[-1] / program, *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60, cwd="/")

    def start(self) -> None:
        options = f"-k {self.folder} -c listen_addresses="
        self._run("pg_ctl", "-D", self.data, "-w", "-o", options, "-l", self.folder / "log", "start")

    def kill(self) -> None:
        """As a power cut does, but for the disk."""
        pid = int((self.data / "postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGQUIT)  # immediate: no checkpoint, recovery at the next start
        for _ in range(400):
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                return
            time.sleep(0.02)
        raise AssertionError("the server does not end")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    if not PROGRAMS or (os.getuid() == 0 and not shutil.which("setpriv")):
        pytest.skip("needs PostgreSQL")
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        made = Server(Path(folder))
        made.start()
        yield made
        made.kill()


@pytest.fixture
def address(server: Server) -> str:
    """Of an empty database."""
    name = f"d{random.getrandbits(60)}"
    with psycopg.connect(server.address, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return server.address.replace("/postgres?", f"/{name}?")


def opened(address: str) -> Book:
    book = Book(PostgresStore(address, opening=True))
    if not book.accounts:
        book.open_account("mine", "replace one", amount_of("pure(1)", ""))
    return book


def test_the_same_refusals(address: str) -> None:
    with pytest.raises(SpecError, match="no ledger"):
        PostgresStore(address)
    book = opened(address)
    for i in range(10):
        Book(PostgresStore(address)).charge(
            Charge(f"{i}", "mine", amount_of("pure(1/10)", ""), "", (), ""), "replace one"
        )
    with pytest.raises(SpecError, match="is left"):
        book.charge(Charge("more", "mine", amount_of("pure(1e-100)", ""), "", (), ""), "replace one")
    assert book.account(None).left.epsilon == 0 and not list(faults_of(book))
    with psycopg.connect(address, autocommit=True) as raw:
        for change in (
            "UPDATE seqlang_entries SET body = ''",
            "DELETE FROM seqlang_entries",
            "TRUNCATE seqlang_entries",
        ):
            with pytest.raises(psycopg.Error, match="neither changed nor deleted"):
                raw.execute(change)


def test_two_writers(address: str) -> None:
    book, refusals = opened(address), []

    def other(look: object) -> None:
        with pytest.raises(SpecError, match="another process releases"):
            released(Book(PostgresStore(address)), BLOCK, "101101110101")
        refusals.append(look)

    found = released(book, BLOCK, "101101110101", tell=other)
    assert refusals and found == released(Book(PostgresStore(address)), BLOCK, "101101110101")


def test_a_server_that_is_killed_while_looks_are_written(server: Server, address: str) -> None:
    """What was told is there after each restart; the release goes on, and is charged once."""
    opened(address).store.close()
    runs: list[list[object]] = []
    for most in (1, 2):
        run: list[object] = []

        def tell(look: object, run: list[object] = run, most: int = most) -> None:
            run.append(look)
            if len(run) == most:
                server.kill()

        with pytest.raises(SpecError, match="database"):
            released(Book(PostgresStore(address)), BLOCK, "101101110101", tell=tell)
        server.start()
        runs.append(run)
    book = Book(PostgresStore(address))
    found = released(book, BLOCK, "101101110101")
    for run in runs:
        assert run == list(found.looks[: len(run)])
    assert not list(faults_of(book)) and book.account(None).spent.epsilon == found.price.epsilon > Fraction(0)
