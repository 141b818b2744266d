"""The ledger in a PostgreSQL database: the same refusals, two writers, and a server that is killed."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import version1
from crashing import Dying, require_sound, require_the_whole_account, started
from postgres_server import PROGRAMS, Server
from released import BLOCK, released

from seqlang.diagnostics import SpecError
from seqlang.release.ledger.book import Book, Charge
from seqlang.release.ledger.budget import amount_of
from seqlang.release.ledger.postgres import PostgresStore
from seqlang.release.verification import faults_of

psycopg = pytest.importorskip("psycopg")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    if not PROGRAMS or (os.getuid() == 0 and not shutil.which("setpriv")):
        pytest.skip("needs PostgreSQL")
    memory = Path("/dev/shm")  # syncs are not waited for there
    with TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
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


def copied(address: str, into: str) -> str:
    """The address of a copy of the tables, as a dump that is restored makes one."""
    with psycopg.connect(address, autocommit=True) as raw:
        raw.execute(f"CREATE SCHEMA {into}")
        for table in ("seqlang_ledger", "seqlang_entries"):
            raw.execute(f"CREATE TABLE {into}.{table} AS TABLE {table}")
    return f"{address}&options=-csearch_path%3D{into}"


def test_a_copy_is_read_only_until_it_is_adopted(address: str) -> None:
    book = opened(address)
    released(book, BLOCK, "1", reference="r")
    other = Book(PostgresStore(copied(address, "copy")))
    assert other.copied is not None and Book(PostgresStore(address)).copied is None
    with pytest.raises(SpecError, match="only read"):
        released(other, BLOCK, "1", reference="r")
    assert other.adopt() == ([], ["r"])  # 2 log 2 is more than 1
    assert not list(faults_of(Book(PostgresStore(copied(address, "again"), reading=True))))
    assert not list(faults_of(other)) and other.charges["r"].ended
    released(book, BLOCK, "11", reference="r")
    assert book.charges["r"].attempts == 2


def test_a_database_of_the_first_version(address: str) -> None:
    """It says which one it is with the first row that is added to it."""
    with psycopg.connect(address, autocommit=True) as raw:
        raw.execute("CREATE TABLE seqlang_ledger (version integer NOT NULL)")
        raw.execute("INSERT INTO seqlang_ledger VALUES (1)")
        raw.execute("CREATE TABLE seqlang_entries (number bigint PRIMARY KEY, at text NOT NULL, kind text NOT NULL, "
                    "body text NOT NULL, previous text NOT NULL UNIQUE, digest text NOT NULL UNIQUE, "
                    "signature text NOT NULL)")  # fmt: skip
        raw.cursor().executemany("INSERT INTO seqlang_entries VALUES (%s, %s, %s, %s, %s, %s, %s)", version1.rows())
    book = Book(PostgresStore(address, reading=True))
    assert book.head == version1.HEAD and not list(faults_of(book))
    book = Book(PostgresStore(address))
    book.charge(Charge("x", "mine", amount_of("pure(1/10)", ""), "", (), ""), "replace one")
    assert [entry.kind for entry in book.store.entries(15)] == ["place", "charge"]
    with pytest.raises(SpecError, match="only read"):
        Book(PostgresStore(copied(address, "copy"))).refund("x", "of a copy")


def test_two_writers(address: str) -> None:
    book, refusals = opened(address), []

    def other(look: object) -> None:
        with pytest.raises(SpecError, match="another process releases"):
            released(Book(PostgresStore(address)), BLOCK, "101101110101")
        refusals.append(look)

    found = released(book, BLOCK, "101101110101", tell=other)
    assert refusals and found == released(Book(PostgresStore(address)), BLOCK, "101101110101")


def test_ledgers_of_two_schemas_do_not_hold_each_other_up(address: str) -> None:
    """References are names within one ledger; a database may hold several."""
    with psycopg.connect(address, autocommit=True) as raw:
        raw.execute("CREATE SCHEMA trials")
    elsewhere = f"{address}&options=-csearch_path%3Dtrials"
    other = opened(elsewhere)
    held = opened(address).store.hold("one")
    again = other.store.hold("one")
    assert held is not None and again is not None
    assert Book(PostgresStore(address)).store.hold("one") is None
    assert Book(PostgresStore(elsewhere)).store.hold("one") is None


def test_a_server_that_is_killed_while_looks_are_written(server: Server, address: str) -> None:
    """What was told is there after each restart; the release goes on, and is charged once."""
    opened(address).store.close()
    runs: list[list[object]] = []
    coins = random.Random(1).randrange  # three looks at least
    for most in (1, 2):
        run: list[object] = []

        def tell(look: object, run: list[object] = run, most: int = most) -> None:
            run.append(look)
            if len(run) == most:
                server.kill()

        with pytest.raises(SpecError, match="database"):
            released(Book(PostgresStore(address)), BLOCK, "101101110101", tell=tell, below=coins)
        server.start()
        runs.append(run)
    book = Book(PostgresStore(address))
    found = released(book, BLOCK, "101101110101", below=coins)
    for run in runs:
        assert run == list(found.looks[: len(run)])
    assert not list(faults_of(book)) and book.account(None).spent.epsilon == found.price.epsilon > Fraction(0)


@pytest.fixture(scope="module")
def dying(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dying]:
    with started(tmp_path_factory.mktemp("dying")) as made:
        yield made


LAST = 70
"""More messages than a release exchanges with the server."""
VICTIMS = ("itself", "itself", "backend", "stopped", "killed")


def sound(folder: Path, address: str) -> Book:
    """As soon as the server, which may be recovering, answers."""
    for _ in range(200):
        try:
            return require_sound(folder, address)
        except SpecError as why:
            assert "cannot be used" in str(why), why
            time.sleep(0.05)
    return require_sound(folder, address)


def done(dying: Dying, folder: Path, action: str, address: str) -> None:
    """In the end, when the server has noticed that a process is dead whose release it held."""
    for _ in range(100):
        if dying(folder, action, address=address) == 0:
            return
        time.sleep(0.05)
    raise AssertionError(f"`{action}` is refused for ever")


@pytest.mark.parametrize("schedules", [3, pytest.param(1_000, marks=pytest.mark.long)])
def test_deaths_between_any_two_messages(server: Server, dying: Dying, tmp_path: Path, schedules: int) -> None:
    """Of the process that releases, of the server's process that it talks to, and of the server, which starts again."""
    coins, deaths = random.Random(21), dict.fromkeys(VICTIMS, 0)
    for i in range(schedules):
        folder, name = tmp_path / f"{i}", f"s{random.getrandbits(60)}"
        folder.mkdir()
        with psycopg.connect(server.address, autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}")
        address = f"{server.address}&options=-csearch_path%3D{name}"
        opened(address).store.close()
        for _ in range(coins.randrange(1, 4)):
            word, pid = coins.choice(VICTIMS), server.pid
            victim = f"{word} {pid}" if word in ("stopped", "killed") else word
            action, k = coins.choice(("release", "release", "table")), coins.randrange(LAST)
            status = dying(folder, action, k, address=address, victim=victim)
            killed = os.WIFSIGNALED(status)
            assert os.WTERMSIG(status) == signal.SIGKILL if killed else os.waitstatus_to_exitcode(status) in (0, 2)
            if (folder / "shot").exists():
                (folder / "shot").unlink()
                if word in ("stopped", "killed"):
                    server.wait_for_the_end_of(pid)
                    server.start_again()
                deaths[word] += 1
            deaths["itself"] += killed
            book = sound(folder, address)
            head = book.head
            book.store.close()
            book = sound(folder, address)
            assert head in book.digests  # nothing that was there is gone
            book.store.close()
        done(dying, folder, "release", address)
        done(dying, folder, "table", address)
        book = sound(folder, address)
        require_the_whole_account(folder, book)
        book.store.close()
    assert schedules < 10 or min(deaths.values()) > schedules / 20, deaths
    print(schedules, deaths)
