"""Who is let in: the exact host, no other origin, the token in the address or in the cookie."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from seqlang.studio.guard import Address, Guard

TOKEN = "t" * 43
HERE = Address("127.0.0.1", 8417, TOKEN)
HOST = ("host", "127.0.0.1:8417")
COOKIE = ("cookie", f"other=1; seqlang_studio_8417={TOKEN}")


async def _inner(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"inside"})


def asked(query: str, *headers: tuple[str, str], kind: str = "http") -> list[Mapping[str, Any]]:
    sent: list[Mapping[str, Any]] = []

    async def send(message: Mapping[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": kind, "path": "/", "query_string": query.encode(),
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers],
    }  # fmt: skip
    asyncio.run(Guard(_inner, HERE)(scope, None, send))  # type: ignore[arg-type]
    return sent


def test_the_printed_address_alone_opens_the_page() -> None:
    start, body = asked(f"token={TOKEN}", HOST)
    assert (start["status"], body["body"]) == (200, b"inside")
    headers = dict(start["headers"])
    assert b"HttpOnly" in headers[b"set-cookie"] and b"SameSite=Strict" in headers[b"set-cookie"]
    assert b"frame-ancestors 'none'" in headers[b"content-security-policy"]


def test_what_the_page_loads_needs_no_token_but_the_cookie() -> None:
    assert asked("", HOST, COOKIE)[0]["status"] == 200
    assert asked("", HOST, COOKIE, ("origin", "http://127.0.0.1:8417"))[0]["status"] == 200


@pytest.mark.parametrize(
    ("query", "headers"),
    [
        ("", [HOST]),
        ("token=", [HOST]),
        ("token=wrong", [HOST]),
        ("token=wrong", [HOST, COOKIE]),
        (f"token={TOKEN}&token=wrong", [HOST]),
        (f"token={TOKEN}x", [HOST]),
        ("token=\xff", [HOST]),
        (f"token={TOKEN}" + "&a=1" * 1000, [HOST]),
        (f"token={TOKEN}", []),
        (f"token={TOKEN}", [("host", "evil.example")]),
        (f"token={TOKEN}", [("host", "127.0.0.1:8417.evil.example")]),
        (f"token={TOKEN}", [("host", "localhost:8417")]),
        (f"token={TOKEN}", [("host", "127.0.0.1")]),
        (f"token={TOKEN}", [HOST, ("host", "evil.example")]),
        (f"token={TOKEN}", [HOST, ("origin", "http://evil.example")]),
        (f"token={TOKEN}", [HOST, ("origin", "null")]),
        (f"token={TOKEN}", [HOST, ("origin", "https://127.0.0.1:8417")]),
        ("", [HOST, COOKIE, ("origin", "http://127.0.0.1:9999")]),
        ("", [HOST, ("cookie", "seqlang_studio_8417=wrong")]),
        ("", [HOST, ("cookie", f"seqlang_studio_9999={TOKEN}")]),
        ("", [HOST, ("cookie", "=;;=\x01")]),
    ],
)  # fmt: skip
def test_others_are_refused(query: str, headers: list[tuple[str, str]]) -> None:
    start, body = asked(query, *headers)
    assert start["status"] == 403
    assert len(body["body"]) < 500 and TOKEN.encode() not in body["body"]
    (closed,) = asked(query, *headers, kind="websocket")
    assert closed["type"] == "websocket.close"
