"""Worker processes from the side of the server: a job is cancelled by ending its process."""

from __future__ import annotations

import asyncio
import os
import pickle
import sys
from collections.abc import AsyncIterator
from contextlib import suppress

from seqlang.editor.worker import SIZE, packed

SPARE = 1
"""Processes that are kept for the next job: to start one takes half a second."""


class JobFailed(Exception):
    """The job, or its process, came to an end that nobody wanted."""


class Workers:
    """Processes with and without a job."""

    def __init__(self) -> None:
        self._idle: list[asyncio.subprocess.Process] = []
        self._busy: set[asyncio.subprocess.Process] = set()

    async def carried_out(self, job: str, *arguments: object) -> AsyncIterator[object]:
        """What the job yields. Whoever stops listening, or is cancelled, ends the job. Raises JobFailed."""
        process = await self._taken()
        self._busy.add(process)
        done = False
        try:
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write(packed((job, arguments)))
            await process.stdin.drain()
            while not done:
                kind, value = await _answer(process.stdout)
                if kind == "failed":
                    raise JobFailed(str(value))
                done = kind == "done"
                if not done:
                    yield value
        except (BrokenPipeError, ConnectionResetError, asyncio.IncompleteReadError) as error:
            raise JobFailed("the process that computes has ended") from error
        finally:
            self._busy.discard(process)
            if done and len(self._idle) < SPARE:
                self._idle.append(process)
            else:
                _end(process)

    async def _taken(self) -> asyncio.subprocess.Process:
        while self._idle:
            process = self._idle.pop()
            if process.returncode is None:
                return process
        # -P: no module is taken from the folder that is open in the editor
        return await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "seqlang.editor.worker",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )  # fmt: skip

    def close(self) -> None:
        """Ends all of them."""
        for process in (*self._idle, *self._busy):
            _end(process)


def _end(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):
        process.kill()


async def _answer(stream: asyncio.StreamReader) -> tuple[str, object]:
    (size,) = SIZE.unpack(await stream.readexactly(SIZE.size))
    kind, value = pickle.loads(await stream.readexactly(size))
    return kind, value
