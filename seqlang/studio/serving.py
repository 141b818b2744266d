"""Starts the server, says its address, and ends it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
import sys
import webbrowser
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import uvicorn
from fastapi import FastAPI
from nicegui import ui

from seqlang.diagnostics import SpecError
from seqlang.studio import page
from seqlang.studio.guard import Address, Guard
from seqlang.studio.session import Settings
from seqlang.studio.state import State
from seqlang.studio.workers import Workers

HOST = "127.0.0.1"
PORT = 8417
"""Where the page is, unless that port is taken: a link goes on working when the server is started again."""
GRACE = 3
"""Seconds that open pages have when the server ends."""
LARGEST_MESSAGE = 4 * 2**20
"""Bytes of one message from a page."""


def serve(
    first: State, folder: Path, token: str, *, port: int | None = None, host: str = HOST, browser: bool = True,
    released_only: bool = False,
) -> int:  # fmt: skip
    """Until it is interrupted or told to end. Raises SpecError E0603 where the port is taken."""
    bound = _bound(host, port)
    address = Address(host, bound.getsockname()[1], token)
    workers = Workers()
    application = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    settings = Settings(folder, released_only, token)
    page.build(workers, settings, first)
    ui.run_with(application, title=page.TITLE, reconnect_timeout=30.0)
    logging.getLogger("nicegui").setLevel(logging.ERROR)
    config = uvicorn.Config(
        Guard(application, address), log_level="error", access_log=False, timeout_graceful_shutdown=GRACE,
        ws_max_size=LARGEST_MESSAGE, server_header=False,
    )  # fmt: skip
    server = _Server(config, lambda: _started(address.url, workers, browser))
    signal.signal(signal.SIGTERM, _ended)
    try:
        with contextlib.suppress(KeyboardInterrupt):
            server.run(sockets=[bound])
    finally:
        workers.close()
        settings.uploads.end()
        bound.close()
    return 0


class _Server(uvicorn.Server):
    """Says when it listens."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._told = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._told()


def _ended(number: int, frame: FrameType | None) -> None:
    """uvicorn raises the signal again once it has shut down, which would end the process before files that were handed
    over are removed."""
    raise SystemExit(0)


def _started(url: str, workers: Workers, browser: bool) -> None:
    print(url, flush=True)
    print("Ctrl-C ends it.", file=sys.stderr, flush=True)
    workers.warm_up()
    if browser:
        asyncio.get_running_loop().run_in_executor(None, webbrowser.open, url)


def _bound(host: str, port: int | None) -> socket.socket:
    """A socket of that port; without one, of the usual port, or of a free one if that is taken."""
    for wanted in (PORT, 0) if port is None else (port,):
        made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((host, wanted))
        except (OSError, OverflowError) as why:
            made.close()
            if wanted == PORT and port is None:
                continue
            raise SpecError.of("E0603", f"--port {wanted}: {why}", help="another --port") from None
        return made
    raise AssertionError("a free port was refused")
