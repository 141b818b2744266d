"""A process that is killed between any two writes, and a disk after a power cut: no look that was told is drawn again,
no spend is lost, nothing is charged twice, and the release goes on to the transcript that was begun."""

from __future__ import annotations

import os
import random
import signal
import struct
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

import pytest
from crashing import Dying, require_sound, require_the_whole_account, started
from released import BLOCK, ledger, released

from seqlang.diagnostics import SpecError
from seqlang.release.ledger.book import Book
from seqlang.release.ledger.store import SqliteStore

LAST = 60
"""More writes than a release makes between two deaths that matter."""


@pytest.fixture(scope="module")
def dying(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dying]:
    with started(tmp_path_factory.mktemp("dying")) as made:
        yield made


def begun(folder: Path) -> Path:
    """With a ledger in it."""
    folder.mkdir()
    ledger(folder / "ledger").store.close()
    return folder


@pytest.fixture
def quick() -> Iterator[Path]:
    """A folder in memory where there is one: syncs are counted there, and not waited for."""
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder)


@pytest.mark.parametrize("schedules", [30, pytest.param(1_000, marks=pytest.mark.long)])
def test_a_release_that_is_killed_again_and_again(dying: Dying, quick: Path, schedules: int) -> None:
    coins, deaths = random.Random(11), 0
    for i in range(schedules):
        folder = begun(quick / f"{i}")
        for _ in range(coins.randrange(1, 4)):
            status = dying(folder, coins.choice(("release", "release", "table")), coins.randrange(LAST))
            assert status == 0 or os.WTERMSIG(status) == signal.SIGKILL
            deaths += status != 0
            require_sound(folder, folder / "ledger").store.close()
        assert dying(folder, "release") == 0 and dying(folder, "table") == 0
        book = require_sound(folder, folder / "ledger")
        require_the_whole_account(folder, book)
        book.store.close()
    assert deaths > schedules / 2  # otherwise nothing was tested


@pytest.mark.parametrize("action", ["release", "table"])
def test_between_every_two_writes(dying: Dying, quick: Path, action: str) -> None:
    """Each place once, in order, until a release ends before it is killed."""
    k, status = 0, 1
    while status != 0:
        folder = begun(quick / f"{k}")
        status = dying(folder, action, k)
        require_sound(folder, folder / "ledger").store.close()
        k += 1
    assert k > 8


def test_that_what_is_told_too_early_is_noticed(dying: Dying, quick: Path) -> None:
    for k in range(200):
        folder = begun(quick / f"{k}")
        died = dying(folder, "told first", k) != 0
        try:
            require_sound(folder, folder / "ledger").store.close()
        except AssertionError:
            return
        assert died, "nothing was noticed"


def test_a_disk_that_is_full(dying: Dying, quick: Path) -> None:
    """Wherever it fills up, the release is refused, and goes on once there is room."""
    refused = 0
    rooms = [*range(1_000, 60_000, 4_000), 10_000_000]  # how much is written depends on when noise stops the release
    for i, room in enumerate(rooms):
        folder = begun(quick / f"{i}")
        status = os.waitstatus_to_exitcode(dying(folder, "full", room))
        assert status in (0, 2)
        refused += status == 2
        require_sound(folder, folder / "ledger").store.close()
        assert dying(folder, "release") == 0
        require_sound(folder, folder / "ledger").store.close()
    assert 3 < refused < len(rooms)


def test_whoever_may_not_write_does_not_release(dying: Dying, quick: Path) -> None:
    folder = begun(quick / "a")
    quick.chmod(0o755)
    folder.chmod(0o555)
    (folder / "told").touch()
    (folder / "ledger").chmod(0o444)
    assert os.waitstatus_to_exitcode(dying(folder, "stranger")) == 2
    folder.chmod(0o755)
    assert not (folder / "read").exists()
    assert not require_sound(folder, folder / "ledger").charges


def test_two_writers_of_one_release(tmp_path: Path) -> None:
    """One runs, and the other is told so: by whatever name it knows the file."""
    book, refusals = ledger(tmp_path / "a"), []
    (tmp_path / "b").symlink_to(tmp_path / "a")

    def other(look: object) -> None:
        for name in "ab":
            with pytest.raises(SpecError, match="another process releases") as told:
                released(Book(SqliteStore(tmp_path / name)), BLOCK, "101101110101")
            refusals.append(told)

    found = released(book, BLOCK, "101101110101", tell=other)
    assert refusals and found == released(Book(SqliteStore(tmp_path / "b")), BLOCK, "101101110101")


# ---- power cuts

Event = tuple[str, str, int, bytes]


def events(log: IO[bytes]) -> Iterator[Event]:
    """Kind, path, offset or size, bytes."""
    while kind := log.read(1):
        (length,) = struct.unpack("<Q", log.read(8))
        path = log.read(length).decode()
        offset, size = struct.unpack("<qQ", log.read(16))
        yield kind.decode(), path, offset, log.read(size)


def after_a_power_cut(before: bytes, done: list[Event], ledger: str, coins: random.Random) -> dict[str, bytes]:
    """The files of the ledger: what was synced is there; of what was written since, sectors are there or not. A file
    that was removed is there or not, unless its folder was synced since."""
    files: dict[str, bytearray] = {ledger: bytearray(before)}
    synced = {path: max((i for i, e in enumerate(done) if e[:2] == ("S", path)), default=-1) for _, path, _, _ in done}
    for i, (kind, path, offset, data) in enumerate(done):
        if not path.startswith(ledger) or path.endswith(("-shm", ".lock")):
            continue
        if kind == "U":
            if synced.get(str(Path(path).parent), -1) > i or coins.random() < 0.5:
                files.pop(path, None)
        elif kind == "T":
            del files.setdefault(path, bytearray())[offset:]
        elif kind == "W":
            file = files.setdefault(path, bytearray())
            for start in range(0, len(data), 512):
                if i <= synced[path] or coins.random() < 0.5:
                    end = offset + start
                    file.extend(b"\0" * max(0, end - len(file)))
                    file[end : end + len(data[start : start + 512])] = data[start : start + 512]
    return {path: bytes(data) for path, data in files.items()}


def unsound_cuts(dying: Dying, folder: Path, action: str, cuts: int) -> int:
    """After how many power cuts something is lost."""
    begun(folder / "whole")
    coins, found = random.Random(12), 0
    before = (folder / "whole" / "ledger").read_bytes()
    assert dying(folder / "whole", action, log=True) == 0
    with (folder / "whole" / "log").open("rb") as log:
        done = list(events(log))
    for i in range(cuts):
        here = folder / f"{i}"
        here.mkdir()
        made = done[: coins.randrange(len(done) + 1)]
        for path, data in after_a_power_cut(before, made, str(folder / "whole" / "ledger"), coins).items():
            (here / Path(path).name).write_bytes(data)
        told = b"".join(data for kind, path, _, data in made if kind == "W" and path.endswith("told"))
        (here / "told").write_bytes(told)
        try:
            require_sound(here, here / "ledger").store.close()
        except (AssertionError, SpecError):
            found += 1
    return found


@pytest.mark.parametrize("cuts", [40, pytest.param(1_000, marks=pytest.mark.long)])
def test_power_cuts(dying: Dying, quick: Path, cuts: int) -> None:
    assert unsound_cuts(dying, quick, "release", cuts) == 0


def test_that_writes_without_syncs_are_noticed(dying: Dying, quick: Path) -> None:
    assert unsound_cuts(dying, quick, "unsynced", 20) > 0
