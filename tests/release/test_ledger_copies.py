"""The file of a ledger is the whole ledger, and one file only: what copies, other names and restored files may do."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import version1
from crashing import HERE, ROOT, Dying, looks_told, started
from released import BLOCK, THRESHOLD, ledger, released, terms_of

from seqlang.cli.__main__ import main
from seqlang.diagnostics import SpecError
from seqlang.release.ledger import inode
from seqlang.release.ledger.book import Book, Charge
from seqlang.release.ledger.budget import amount_of
from seqlang.release.ledger.places import book_at
from seqlang.release.ledger.store import SqliteStore
from seqlang.release.live import Waiting
from seqlang.release.releasing import release
from seqlang.release.verification import faults_of

ROWS = "101101110101"
LASTING = BLOCK.replace(">= 4", ">= 400").replace("<= -4", "<= -400")
"""Blocks that do not stop."""


def one_by_one(values: str) -> Iterator[Mapping[str, Any] | Waiting]:
    for value in values:
        yield {"x": int(value)}
        yield Waiting(from_the_start=False)


def by_hand(name: str, price: str = "pure(1/10)") -> Charge:
    return Charge(name, "mine", amount_of(price, "price"), "", (), "")


def begun(path: Path, budget: str = "pure(1)", reference: str = "r") -> Book:
    """With a release of a threshold that was silent for three rows."""
    book = ledger(path, budget)
    far = THRESHOLD.replace("b = 3", "b = 90")
    release(terms_of(far, book, reference), book, lambda: one_by_one("000"))
    return book


def attributes(folder: Path) -> bool:
    """Whether the file system keeps attributes of files."""
    (folder / "try").touch()
    try:
        os.setxattr(folder / "try", inode.MARK, b"0 ")
    except (OSError, AttributeError):
        return False
    return True


# ---- copies


def test_a_copy_of_a_running_release_has_every_look_that_was_told(tmp_path: Path) -> None:
    """The file alone: that is what one mount of it, or `cp`, shows."""
    book, told = ledger(tmp_path / "a"), []

    def tell(look: Mapping[str, Any]) -> None:
        told.append(look)
        shutil.copyfile(tmp_path / "a", tmp_path / "copy")
        (charge,) = book_at(str(tmp_path / "copy")).charges.values()
        assert list(charge.looks)[: len(told)] == told

    release(terms_of(LASTING, book), book, lambda: one_by_one(ROWS), tell=tell)
    assert len(told) == 12


@pytest.fixture(scope="module")
def dying(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dying]:
    with started(tmp_path_factory.mktemp("dying")) as made:
        yield made


@pytest.mark.parametrize("journal", [False, True])
def test_a_copy_after_a_death_draws_nothing_of_the_old_charge(
    dying: Dying, tmp_path: Path, journal: bool
) -> None:  # fmt: skip
    """Killed in front of each write in turn, and copied with or without the journal: what was told is in the copy, the
    copy is only read, and once it is adopted it draws at a price of its own."""
    copies = 0
    for k in range(0, 60, 3):
        folder = tmp_path / f"{k}"
        folder.mkdir()
        ledger(folder / "ledger").store.close()
        dying(folder, "release", k)
        copy = tmp_path / f"copy{k}"
        shutil.copyfile(folder / "ledger", copy)
        if journal and (folder / "ledger-journal").exists():
            shutil.copyfile(folder / "ledger-journal", f"{copy}-journal")
        try:
            book = Book(SqliteStore(copy))
        except SpecError as why:  # torn in the middle of a write, without the journal: it is refused
            assert not journal, why
            continue
        charges = [c for c in book.charges.values() if c.spec]
        assert all(run == list(charges[0].looks)[: len(run)] for run in looks_told(folder))
        with pytest.raises(SpecError, match="only read"):
            released(book, BLOCK, ROWS)
        spent, still_open = book.account(None).spent.epsilon, [c for c in charges if c.is_open]
        again, ended = book.adopt()
        assert again + ended == [c.reference for c in still_open]
        assert book.account(None).spent.epsilon == spent + sum(book.charges[r].price.epsilon for r in again)
        copies += bool(again or ended)
        assert not list(faults_of(book))
        book.store.close()
    assert copies > 3


def test_an_adopted_release_begins_anew_at_its_price(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    begun(tmp_path / "a").store.close()
    shutil.copy2(tmp_path / "a", tmp_path / "b")  # attributes, too
    with pytest.raises(SpecError, match="only read: it is a copy"):
        begun(tmp_path / "b")
    for word in (["charge", "--price", "pure(1/100)", "--reference", "x"],
                 ["refund", "--reference", "r", "--because", "x"],
                 ["open", "--data", "other", "--adjacency", "replace one", "--budget", "pure(1)"]):  # fmt: skip
        assert main(["ledger", word[0], str(tmp_path / "b"), *word[1:]]) == 2
    assert main(["ledger", "show", str(tmp_path / "b")]) == 0
    assert main(["ledger", "verify", str(tmp_path / "b")]) == 0
    capsys.readouterr()
    before = (tmp_path / "a").read_bytes()
    assert main(["ledger", "adopt", str(tmp_path / "b")]) == 0
    assert "charged again: r, pure(1/2)" in capsys.readouterr().out
    assert (tmp_path / "a").read_bytes() == before
    book = Book(SqliteStore(tmp_path / "b"))
    assert book.account(None).left.epsilon == 0 and book.charges["r"].times == 2
    assert [look["step"] for look in book.charges["r"].earlier[0]] == [1, 2, 3] and not book.charges["r"].looks
    with pytest.raises(SpecError, match="charged again"):
        book.refund("r", "a second price is not given back")
    far = THRESHOLD.replace("b = 3", "b = 90")
    found = release(terms_of(far, book, "r"), book, lambda: one_by_one("00"))
    assert [look["step"] for look in found.looks] == [1, 2] and not list(faults_of(book))
    with pytest.raises(SpecError, match="nothing to adopt"):
        book.adopt()
    again = Book(SqliteStore(tmp_path / "a"))
    release(terms_of(far, again, "r"), again, lambda: one_by_one("0000"))  # the ledger itself goes on
    assert len(again.charges["r"].looks) == 4


def test_what_the_budget_does_not_cover_again_is_ended(tmp_path: Path) -> None:
    begun(tmp_path / "a", "pure(3/4)").store.close()
    shutil.copyfile(tmp_path / "a", tmp_path / "b")
    book = Book(SqliteStore(tmp_path / "b"))
    assert book.adopt() == ([], ["r"])
    assert book.account(None).left.epsilon == Fraction(1, 4) and not list(faults_of(book))
    with pytest.raises(SpecError, match="was ended"):
        release(terms_of(THRESHOLD.replace("b = 3", "b = 90"), book, "r"), book, lambda: one_by_one("00"))


def test_an_adoption_that_charges_less_is_a_fault(tmp_path: Path) -> None:
    """Forged: the chain is whole, and one open release is left out."""
    from seqlang.release.ledger.entry import chained

    book = begun(tmp_path / "a")
    book.store.close()
    raw = sqlite3.connect(tmp_path / "a", isolation_level=None)
    entry = SqliteStore(tmp_path / "a", reading=True).entries()[-1]
    forged = chained(entry, "", "adopt", {"place": {"device": "1", "inode": "2"}, "again": [], "ended": []}, None)
    row = (forged.number, forged.at, forged.kind, forged.body, forged.previous, forged.digest, forged.signature)
    raw.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    raw.close()
    with pytest.raises(SpecError, match="does not charge all open releases again"):
        book_at(str(tmp_path / "a"))


# ---- other names of the file, and other files of the name


def test_two_names_are_refused(tmp_path: Path) -> None:
    begun(tmp_path / "a").store.close()
    (tmp_path / "folder").mkdir()
    os.link(tmp_path / "a", tmp_path / "folder" / "b")
    for name in ("a", "folder/b"):
        with pytest.raises(SpecError, match="2 names"):
            SqliteStore(tmp_path / name)
        assert book_at(str(tmp_path / name)).charges  # it may be looked at
    (tmp_path / "folder" / "b").unlink()
    SqliteStore(tmp_path / "a").close()


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (lambda a: os.link(a, f"{a}2"), "2 names"),
        (lambda a: a.rename(f"{a}2"), "moved"),
        (lambda a: a.unlink(), "moved"),
        (lambda a: (shutil.copy2(a, f"{a}2"), Path(f"{a}2").rename(a)), "replaced"),
    ],
)
def test_a_file_that_gets_another_name_during_a_release(
    tmp_path: Path, how: Callable[[Path], object], said: str
) -> None:
    """The next look is not written, and not told."""
    book, told = ledger(tmp_path / "a"), []

    def rows() -> Iterator[object]:
        for number, row in enumerate(one_by_one(ROWS)):
            if number == 8:
                how(tmp_path / "a")
            yield row

    with pytest.raises(SpecError, match=said):
        release(terms_of(LASTING, book), book, rows, tell=told.append)  # type: ignore[arg-type]
    assert [look["step"] for look in told] == [1, 2, 3, 4]


def mounted(from_: Path, to: Path) -> bool:
    to.touch()
    program = shutil.which("mount")
    return bool(program) and subprocess.run([program, "--bind", from_, to], capture_output=True).returncode == 0  # type: ignore[list-item]


def test_a_mount_of_the_single_file_is_refused_by_both_names(tmp_path: Path) -> None:
    begun(tmp_path / "a").store.close()
    if os.getuid() != 0 or not mounted(tmp_path / "a", tmp_path / "b"):
        pytest.skip("needs the right to mount")
    try:
        for name in "ab":
            with pytest.raises(SpecError, match="single file"):
                SqliteStore(tmp_path / name)
    finally:
        subprocess.run(["umount", tmp_path / "b"], check=True)
    SqliteStore(tmp_path / "a").close()


def test_a_mount_is_found_by_what_the_system_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container, where the file is known by the name of the mount alone; blanks in names are written \\040."""
    (tmp_path / "a b").mkdir()
    begun(tmp_path / "a b" / "l").store.close()
    told = tmp_path / "mountinfo"
    name = str(tmp_path / "a b" / "l").replace(" ", "\\040")
    told.write_text(f"21 1 8:1 / / rw - ext4 /dev/x rw\n36 35 0:99 /elsewhere/l {name} rw - ext4 /dev/y rw\n")
    monkeypatch.setattr(inode, "MOUNTS", told)
    with pytest.raises(SpecError, match="single file"):
        SqliteStore(tmp_path / "a b" / "l")


def test_locks_are_on_the_file_and_not_on_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where neither links nor mounts are seen."""
    monkeypatch.setattr(inode.Inode, "require_one_name", lambda self: None)
    book, refusals = ledger(tmp_path / "a"), []
    os.link(tmp_path / "a", tmp_path / "b")

    def other(look: object) -> None:
        with pytest.raises(SpecError, match="another process releases") as told:
            released(Book(SqliteStore(tmp_path / "b")), BLOCK, ROWS)
        refusals.append(told)

    released(book, BLOCK, ROWS, tell=other)
    assert refusals


def test_a_ledger_that_is_closed_leaves_the_locks_of_another(tmp_path: Path) -> None:
    """POSIX locks end when any descriptor of the file is closed in the process: here while another ledger is in the
    middle of a write, as a server with threads may do it."""
    book = ledger(tmp_path / "a")
    first, second = SqliteStore(tmp_path / "a"), SqliteStore(tmp_path / "a")
    with first.transaction():
        second.close()
        text = f"import sqlite3; sqlite3.connect({str(tmp_path / 'a')!r}, timeout=0).execute('BEGIN IMMEDIATE')"
        found = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
        assert "locked" in found.stderr
    book.store.close()
    first.close()


def test_the_newest_row_is_remembered_by_the_file(tmp_path: Path) -> None:
    """An older copy that is written over the file, as `cp` does it, has the number of the file, but not its mark."""
    if not attributes(tmp_path):
        pytest.skip("the file system keeps no attributes")
    begun(tmp_path / "a").store.close()
    shutil.copyfile(tmp_path / "a", tmp_path / "backup")
    book = Book(SqliteStore(tmp_path / "a"))
    far = THRESHOLD.replace("b = 3", "b = 90")
    release(terms_of(far, book, "r"), book, lambda: one_by_one("00000"))
    book.store.close()
    with (tmp_path / "a").open("r+b") as file:
        file.truncate(0)
        file.write((tmp_path / "backup").read_bytes())
    book = Book(SqliteStore(tmp_path / "a"))
    with pytest.raises(SpecError, match="was set back"):
        release(terms_of(far, book, "r"), book, lambda: one_by_one("00000"))
    assert book.adopt() == (["r"], [])
    release(terms_of(far, book, "r"), book, lambda: one_by_one("00000"))
    book.store.close()
    book = Book(SqliteStore(tmp_path / "a"))
    assert book.copied is None and not list(faults_of(book))


def test_a_number_that_is_used_again_is_another_file(tmp_path: Path) -> None:
    """ext4 gives the number of a removed file to the next one."""
    if not attributes(tmp_path):
        pytest.skip("the file system keeps no attributes")
    begun(tmp_path / "a").store.close()
    number, content = (tmp_path / "a").stat().st_ino, (tmp_path / "a").read_bytes()
    (tmp_path / "a").unlink()
    for _ in range(50):
        (tmp_path / "a").write_bytes(content)
        if (tmp_path / "a").stat().st_ino == number:
            break
        (tmp_path / "a").rename(tmp_path / f"kept{_}")
    else:
        pytest.skip("the file system does not use numbers again")
    with pytest.raises(SpecError, match="only read"):
        Book(SqliteStore(tmp_path / "a")).charge(by_hand("x"), "replace one")


# ---- ledgers of the first version


@pytest.mark.parametrize("killed", [False, True])
def test_ledgers_of_the_first_version_are_converted(
    tmp_path: Path, killed: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    version1.write(tmp_path / "l", killed=killed)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert main(["ledger", "show", str(tmp_path / "l")]) == 0
    assert version1.HEAD in capsys.readouterr().out
    assert before == {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.suffix != ".l-shm"} or killed
    book = Book(SqliteStore(tmp_path / "l"))
    assert book.head == version1.HEAD and not list(faults_of(book))
    assert book.store._connection.execute("PRAGMA journal_mode").fetchone() == ("persist",)  # type: ignore[attr-defined]
    far = THRESHOLD.replace("b = 3", "b = 30")
    release(terms_of(far, book, "open"), book, lambda: one_by_one("0" * 11))
    assert [look["step"] for look in book.charges["open"].looks] == [3, 6, 9, 10, 11]
    assert book.charges["open"].attempts == 2 and not list(faults_of(book))
    book.store.close()
    assert [path.name for path in tmp_path.iterdir()] == ["l"]
    kinds = [entry.kind for entry in SqliteStore(tmp_path / "l", reading=True).entries()]
    assert kinds[14:] == ["place", "begin", "look", "look"]
    shutil.copyfile(tmp_path / "l", tmp_path / "copy")
    with pytest.raises(SpecError, match="only read"):
        Book(SqliteStore(tmp_path / "copy")).charge(by_hand("x"), "replace one")


def test_a_ledger_of_the_first_version_that_is_known_to_be_a_copy_is_adopted(tmp_path: Path) -> None:
    version1.write(tmp_path / "l")
    book = Book(SqliteStore(tmp_path / "l"))
    assert book.adopt() == (["open"], [])
    assert book.charges["open"].times == 2 and not list(faults_of(book))


def test_an_older_process_that_has_it_open_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seqlang.release.ledger.store.WAIT", 0.05)
    version1.write(tmp_path / "l")
    other = sqlite3.connect(tmp_path / "l")
    other.execute("SELECT count(*) FROM entries").fetchone()
    with pytest.raises(SpecError, match="E0670"):
        SqliteStore(tmp_path / "l")
    other.close()
    SqliteStore(tmp_path / "l").close()


# ---- room, and what is left by a death


def test_nothing_is_read_where_the_next_look_may_not_find_room(tmp_path: Path) -> None:
    """A write that fails or not by its length would tell what it says."""
    text = f"""
import resource, sys
sys.path[:0] = [{str(HERE)!r}, {str(ROOT)!r}]
from pathlib import Path
from released import BLOCK, ledger, released, terms_of
from seqlang.diagnostics import SpecError
from seqlang.release.releasing import release
book = ledger(Path({str(tmp_path / "l")!r}))
terms = terms_of(BLOCK, book)
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
def rows():
    raise AssertionError("a row was read")
    yield {{}}
try:
    release(terms, book, rows)
except SpecError as why:
    print(why)
"""
    found = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert "4 MiB" in found.stdout


def test_a_write_that_was_interrupted_is_taken_back_by_who_only_looks(dying: Dying, tmp_path: Path) -> None:
    """SQLite's journal of a dead process: the ledger is shown as it was before that write."""
    hot = 0
    for k in range(4, 40, 2):
        folder = tmp_path / f"{k}"
        folder.mkdir()
        ledger(folder / "ledger").store.close()
        dying(folder, "release", k)
        journal = folder / "ledger-journal"
        hot += journal.exists() and journal.read_bytes()[:8] == bytes.fromhex("d9d505f920a163d7")
        seen = book_at(str(folder / "ledger")).head
        book = ledger(folder / "ledger")
        assert book.head == seen
        book.store.close()
    assert hot > 2
