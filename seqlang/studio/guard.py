"""Who may speak to the server: a browser that was given the printed address, and pages that came from here.

Every request must name the address that was bound as its host (a page of another site whose name was made to point to
this machine names that site), must come from here if it says where it comes from, and must know the token: in the
address, or in the cookie that the first answer set.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from seqlang.record import record

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LARGEST_BODY = 64 * 2**20
"""Bytes that one request may carry."""
TOO_LARGE = b"413: this is more than one request may carry.\n"
REFUSED = b"403: this is not the address that `seqlang studio` printed. Open that one, with its token.\n"
COOKIE = "seqlang_studio"
MOST_FIELDS = 500
"""Of an address: with more it is refused."""


@record
class Address:
    """Where the server listens, and the secret that the printed address holds."""

    host: str
    port: int
    token: str

    @property
    def place(self) -> str:
        """What a browser names as the host."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return f"{name}:{self.port}"

    @property
    def url(self) -> str:
        """What is printed."""
        return f"http://{self.place}/?token={self.token}"


class Guard:
    """An ASGI application in front of another one."""

    def __init__(self, app: App, address: Address) -> None:
        self.app, self.address = app, address
        self._headers = _headers(address)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        if not self._is_welcome(scope):
            await _refuse(scope, send)
            return
        if _stated_length(scope) > LARGEST_BODY:
            await _answer(send, 413, TOO_LARGE)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *self._headers]
            await send(message)

        await self.app(scope, _limited(receive), guarded)

    def _is_welcome(self, scope: Scope) -> bool:
        headers: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.lower(), []).append(value)
        place = self.address.place.encode()
        if headers.get(b"host") != [place]:
            return False
        if any(origin != b"http://" + place for origin in headers.get(b"origin", ())):
            return False
        return self._knows_token(scope.get("query_string", b""), headers.get(b"cookie", []))

    def _knows_token(self, query: bytes, cookies: list[bytes]) -> bool:
        try:
            fields = parse_qs(query.decode("latin-1"), keep_blank_values=True, max_num_fields=MOST_FIELDS)
        except ValueError:
            return False
        given = fields.get("token")
        if given is not None:
            return all(self._is_token(one) for one in given)
        return any(self._is_token(one) for one in _cookies(cookies, f"{COOKIE}_{self.address.port}"))

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.address.token.encode())


def _cookies(headers: list[bytes], name: str) -> list[str]:
    try:
        found = SimpleCookie(b"; ".join(headers).decode("latin-1"))
    except CookieError:
        return []
    return [found[name].value] if name in found else []


def _headers(address: Address) -> list[tuple[bytes, bytes]]:
    """The cookie is for this server's pages only. The page may load from here and from nowhere else, and may not be
    shown inside another one. The page's library compiles its templates, for which it asks for `eval`."""
    here = f"'self' ws://{address.place}"
    policy = (
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
        f"img-src 'self' data: blob:; font-src 'self' data:; connect-src {here}; frame-ancestors 'none'; "
        "form-action 'self'; base-uri 'self'; object-src 'none'"
    )
    cookie = f"{COOKIE}_{address.port}={address.token}; HttpOnly; SameSite=Strict; Path=/"
    said = {
        "set-cookie": cookie,
        "content-security-policy": policy,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
    }
    return [(name.encode(), value.encode("latin-1")) for name, value in said.items()]


async def _refuse(scope: Scope, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": ""})
        return
    await _answer(send, 403, REFUSED)


async def _answer(send: Send, status: int, text: bytes) -> None:
    """And closes the connection: what else comes on it is not read."""
    length = str(len(text)).encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", length), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text})


def _stated_length(scope: Scope) -> int:
    """Bytes that the request says it carries; 0 where it does not say."""
    stated = [value for name, value in scope["headers"] if name.lower() == b"content-length"]
    return max((int(value) for value in stated if value.isdigit() and len(value) < 20), default=0)


def _limited(receive: Receive) -> Receive:
    """To the application a request that carries too much is one that was broken off."""
    seen = 0

    async def received() -> Message:
        nonlocal seen
        message = await receive()
        if message["type"] == "http.request":
            seen += len(message.get("body", b""))
            if seen > LARGEST_BODY:
                return {"type": "http.disconnect"}
        return message

    return received
