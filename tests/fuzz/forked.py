"""One command in a process of its own, with limits on its CPU time and its memory."""

from __future__ import annotations

import os
import resource
import signal
import sys
import tempfile
import threading
import traceback
from dataclasses import dataclass
from pathlib import Path

CPU = 30
"""Seconds of CPU after which a command counts as hanging, whatever it was asked for: those that can be long are told
to end before (`attempts.TIME_LIMIT`)."""
_MEMORY = 12 << 30
"""Bytes of address space; who wants more fails with a MemoryError."""
_SLOWER = 20
"""A process that waits for so many times its CPU limit waits for ever."""
_OUTSIDE = 97
"""Exit code of a child in which an exception left `main`."""


@dataclass(frozen=True)
class Outcome:
    """How a command ended: `code` is its exit code, or minus the number of the signal that ended it; `cpu` are seconds
    of it and of the processes that it started."""

    code: int
    cpu: float
    out: str
    err: str

    @property
    def fault(self) -> str:
        """What is wrong with it; "" where nothing is."""
        if self.code in (-signal.SIGXCPU, -signal.SIGKILL):
            return f"hangs: ended after {self.cpu:.0f} s of CPU"
        if self.code not in (0, 1, 2):
            return f"exit code {self.code}"
        if "Traceback" in self.out + self.err:
            return "a traceback"
        if self.code == 2 and not self.err.strip():
            return "exit code 2 without a word"
        return "an escape sequence" if "\x1b" in self.out + self.err or "\x9b" in self.out + self.err else ""


def carried_out(words: list[str], folder: Path, cpu: int = CPU) -> Outcome:
    """Runs `seqlang WORDS` in `folder`; the kernels that it keeps are in `folder`/cache, if there is such a folder."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            _child(words, folder, cpu, out.fileno(), err.fileno())
        waits = threading.Timer(cpu * _SLOWER, os.kill, (child, signal.SIGKILL))
        waits.start()
        _, status, used = os.wait4(child, 0)
        waits.cancel()
        waits.join()
        return Outcome(os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, _text(out), _text(err))


def _child(words: list[str], folder: Path, cpu: int, out: int, err: int) -> None:
    """Never returns: whatever happens, the parent's tests must not go on in here."""
    code = _OUTSIDE
    try:
        os.dup2(out, 1)
        os.dup2(err, 2)
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 # what pytest captures is the parent's
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        os.chdir(folder)
        if (folder / "cache").is_dir():
            os.environ["SEQLANG_CACHE"] = str(folder / "cache")
            _forget_kernels()
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 5))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        from seqlang.cli.__main__ import main

        try:
            code = main(words)
        except SystemExit as ended:  # --help
            code = ended.code if isinstance(ended.code, int) else 0
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        traceback.print_exc(file=sys.__stderr__)
    finally:
        os._exit(code)


def _forget_kernels() -> None:
    """What the parent compiled, and the folder in which it kept it, are not those of the child."""
    build = sys.modules.get("seqlang.backends.kernels.compiling.build")
    if build is not None:
        build._folder.cache_clear()
        build._made.clear()


def _text(file: object) -> str:
    file.seek(0)
    return str(file.read(1 << 20).decode("utf-8", "replace"))
