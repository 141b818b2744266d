"""The file that a ledger is: which one it is, how many names it has, and which process has it.

SQLite finds the rollback journal of a file by the file's name. A file with two names (a hard link, a mount of the
single file) has two journals, and a process that comes by one name does not see that a process with the other name died
in the middle of a write. So a ledger has one name. Locks are on the file itself, which is the same by all names.
"""

from __future__ import annotations

import hashlib
import os
import re
import struct
from collections import Counter
from pathlib import Path

from seqlang.diagnostics import SpecError
from seqlang.record import record
from seqlang.release.ledger.refusal import refused

MARK = "user.seqlang.ledger"
"""The extended attribute in which the number and the digest of the newest row are kept. It belongs to the file and not
to its content: whoever overwrites the content with an older copy leaves it as it is."""
ROOM = 4 << 20
"""Bytes that must be free before a row is read: a write that fails or not by its length would tell what it says."""
BEYOND = 1 << 62
"""Locks are on bytes from this one on, which no ledger has. SQLite locks bytes below 2^31."""
MOUNTS = Path("/proc/self/mountinfo")
_open: Counter[tuple[int, int]] = Counter()
_ended: dict[tuple[int, int], list[int]] = {}


@record
class Mark:
    """The newest row that was ever written to the file."""

    number: int
    digest: str


class Inode:
    """A file by its path, open for locks. Raises OSError where it cannot be opened to be written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        found = os.fstat(self._file)
        self._id = found.st_dev, found.st_ino
        self._held: set[int] = set()
        _open[self._id] += 1

    def require_one_name(self) -> None:
        """Raises SpecError E0670 where the path does not lead to this file any more, or another name does."""
        try:
            there = os.stat(self.path)
        except OSError:
            raise _moved(self.path) from None
        if not os.path.samestat(there, os.fstat(self._file)):
            raise _moved(self.path)
        if there.st_nlink > 1:
            raise refused(f"`{self.path}` has {there.st_nlink} names (hard links)",
                           "a ledger has one: remove the other names, or make a copy and adopt it")  # fmt: skip
        mounted = _mount_of(self.path, there)
        if mounted is not None:
            raise refused(f"`{self.path}` is mounted as a single file, at `{mounted}`",
                           "mount the folder that it is in: SQLite keeps its journal beside it")  # fmt: skip

    def set_mark(self, mark: Mark) -> None:
        """Where the file system keeps attributes; nothing happens where it does not."""
        try:
            os.setxattr(self._file, MARK, f"{mark.number} {mark.digest}".encode())
        except (OSError, AttributeError):  # no such attributes there, or no such function on this system
            return

    def require_room(self) -> None:
        """Raises SpecError E0670 where little room is left for the file."""
        import resource

        disk, (most, _) = os.statvfs(self._file), resource.getrlimit(resource.RLIMIT_FSIZE)
        limited = most != resource.RLIM_INFINITY and most < os.fstat(self._file).st_size + ROOM
        if limited or disk.f_bavail * disk.f_frsize < ROOM:
            raise refused(f"less than {ROOM >> 20} MiB are left for `{self.path}`", "make room for it")

    def lock(self, name: str) -> int | None:
        """A lock by name, to be given to `unlock`; None if it is taken. It ends with the process, however that ends."""
        place = BEYOND + int.from_bytes(hashlib.sha256(name.encode()).digest()[:7], "big")
        if place in self._held or not self._set_lock(place, locked=True):
            return None
        self._held.add(place)
        return place

    def unlock(self, place: int) -> None:
        """Gives a lock back."""
        if place in self._held:
            self._held.remove(place)
            self._set_lock(place, locked=False)

    def _set_lock(self, place: int, locked: bool) -> bool:
        """A lock of this open file, and not of the process: two ledgers of one process exclude each other, too."""
        import fcntl

        if not hasattr(fcntl, "F_OFD_SETLK"):
            raise refused("this system has no locks of open files", "a ledger in PostgreSQL")
        what = fcntl.F_WRLCK if locked else fcntl.F_UNLCK
        try:
            fcntl.fcntl(self._file, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", what, os.SEEK_SET, place, 1, 0))
        except (BlockingIOError, PermissionError):
            return False
        except OSError as why:
            raise refused(f"no lock can be had on `{self.path}`: {why.strerror}") from None
        return True

    def close(self) -> None:
        """Gives all locks back. The file itself is closed with the last `Inode` of it in this process: closing it takes
        away the locks that SQLite has on it for another one (POSIX: they end when any descriptor of the file does)."""
        if self._file < 0:
            return
        for place in tuple(self._held):
            self.unlock(place)
        _ended.setdefault(self._id, []).append(self._file)
        self._file = -1
        _open[self._id] -= 1
        if not _open[self._id]:
            del _open[self._id]
            for file in _ended.pop(self._id):
                os.close(file)


def mark_of(path: Path) -> Mark | None:
    """None where there is none, or the file system has no such attributes."""
    try:
        number, _, digest = os.getxattr(path, MARK).decode().partition(" ")
        return Mark(int(number), digest)
    except (OSError, ValueError, AttributeError):
        return None


def place_of(path: Path) -> dict[str, str]:
    """What no copy of the file has: its device and its number there, and whether it has a mark. Raises OSError."""
    found = os.stat(path)
    here = {"device": str(found.st_dev), "inode": str(found.st_ino)}
    return here if mark_of(path) is None else {**here, "mark": MARK}


def _mount_of(path: Path, there: os.stat_result) -> str | None:
    """Where this single file is mounted; None if it is nowhere, or where the system does not say."""
    try:
        lines = MOUNTS.read_bytes().splitlines()
    except OSError:
        return None
    device = f"{os.major(there.st_dev)}:{os.minor(there.st_dev)}".encode()
    for line in lines:
        fields = line.split()
        if len(fields) < 5:
            continue
        where = os.fsdecode(re.sub(rb"\\([0-7]{3})", lambda found: bytes([int(found[1], 8)]), fields[4]))
        if where == str(path) or (fields[2] == device and _is_same(where, there)):
            return where
    return None


def _is_same(where: str, there: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.stat(where), there)
    except OSError:
        return False


def _moved(path: Path) -> SpecError:
    return refused(f"`{path}` was moved, removed or replaced while it was open", "run the command again")
