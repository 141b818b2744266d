"""A PostgreSQL server of the tests' own, which may be killed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

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

    @property
    def pid(self) -> int:
        return int((self.data / "postmaster.pid").read_text().split()[0])

    def kill(self) -> None:
        """As a power cut does, but for the disk."""
        pid = self.pid
        os.kill(pid, signal.SIGQUIT)  # immediate: no checkpoint, recovery at the next start
        self.wait_for_the_end_of(pid)

    def wait_for_the_end_of(self, pid: int) -> None:
        for _ in range(1000):
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                return
            time.sleep(0.02)
        raise AssertionError("the server does not end")

    def start_again(self) -> None:
        """Also where processes of the last server, which was killed, have not ended yet."""
        for _ in range(50):
            try:
                self.start()
                return
            except subprocess.CalledProcessError:
                time.sleep(0.1)
        self.start()
