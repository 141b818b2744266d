"""Who is at work: a process that can be told from every other, and whether it still lives."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from seqlang.record import record


@record
class Owner:
    """`born` tells a process from an earlier one of the same number."""

    host: str
    process: int
    born: str

    def lives(self) -> bool:
        """Whether it is still there. A process of another machine (or of a system where asking would end it) cannot be
        asked: it counts as gone, which at worst lets a unit be computed twice."""
        if self.host != socket.gethostname() or os.name != "posix":
            return False
        try:
            os.kill(self.process, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass
        return _born(self.process) == self.born


def myself() -> Owner:
    """This process."""
    return Owner(socket.gethostname(), os.getpid(), _born(os.getpid()))


def _born(process: int) -> str:
    """When it started, in ticks since the machine did (Linux); empty where that is not told, and for the dead."""
    try:
        words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if words[0] == "Z" else words[19]
