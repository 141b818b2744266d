"""Files of rows that a browser hands over: kept while its tab is open, never larger than the limit, never executed.

A file is read from the request piece by piece; as soon as it is too large, what was kept of it is removed and the rest
is not read.
"""

from __future__ import annotations

import contextlib
import secrets
from pathlib import Path
from tempfile import TemporaryDirectory

from nicegui import App
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response

LIMIT = 64 * 2**20
"""Bytes."""
PLACE = "/data/"


class Uploads:
    """`declare` says where they are taken. One file for each tab: the next one replaces it."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._folder = TemporaryDirectory(prefix="seqlang-studio-")
        self._kept: dict[str, Path | None] = {}

    def declare(self, app: App) -> None:
        """On the server's application."""
        app.add_api_route(PLACE + "{owner}", self._take, methods=["POST"], response_class=PlainTextResponse)

    def open(self, owner: str) -> str:
        """From now on something may be handed over for this tab, to the place that is returned."""
        self._kept.setdefault(owner, None)
        return PLACE + owner

    def file(self, owner: str) -> Path | None:
        """What was handed over last."""
        return self._kept.get(owner)

    def close(self, owner: str) -> None:
        """The tab was closed."""
        file = self._kept.pop(owner, None)
        if file is not None:
            file.unlink(missing_ok=True)

    async def _take(self, owner: str, request: Request) -> Response:
        if owner not in self._kept:
            return PlainTextResponse("this tab is not open any more", 404)
        told = request.headers.get("content-length", "")
        if told.isdecimal() and int(told) > self._limit:
            return self._refused()
        file = Path(self._folder.name) / secrets.token_hex(16)
        try:
            whole = await self._written(request, file)
        except ClientDisconnect:
            whole = None
        if whole is None or owner not in self._kept:
            file.unlink(missing_ok=True)
            return self._refused()
        self.close(owner)
        self._kept[owner] = file
        return PlainTextResponse(str(whole))

    async def _written(self, request: Request, file: Path) -> int | None:
        """Its size; None as soon as that is above the limit."""
        size = 0
        with file.open("wb") as out:
            async for piece in request.stream():
                size += len(piece)
                if size > self._limit:
                    return None
                out.write(piece)
        return size

    def _refused(self) -> Response:
        return PlainTextResponse(f"refused: a file may have {self._limit // 2**20} MiB", 413, {"connection": "close"})

    def end(self) -> None:
        """The server ends."""
        with contextlib.suppress(OSError):
            self._folder.cleanup()
