"""Files that are handed over: streamed, refused above the limit without a rest, and gone with their tab."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

uploads = pytest.importorskip(
    "seqlang.studio.uploads", reason="the extra `studio` is not installed", exc_type=ImportError
)
LIMIT = 1000
OWNER = "0123456789abcdef"


def handed(kept: Any, pieces: Sequence[bytes], owner: str = OWNER, length: str = "") -> tuple[int, int]:
    """(status, pieces that were read)."""
    from nicegui import App

    app, sent, left = App(), [], list(pieces)
    kept.declare(app)

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"content-length", length.encode())] if length else []
    scope = {"type": "http", "method": "POST", "path": f"/data/{owner}", "headers": headers, "query_string": b"",
             "raw_path": b"", "root_path": "", "scheme": "http", "http_version": "1.1"}  # fmt: skip
    asyncio.run(app(scope, receive, send))
    return sent[0]["status"], len(pieces) - len(left)


def files(kept: Any) -> list[Path]:
    return list(Path(kept._folder.name).iterdir())


def test_a_file_is_kept_until_the_next_one_or_the_end_of_the_tab() -> None:
    kept = uploads.Uploads(LIMIT)
    assert kept.open(OWNER) == f"/data/{OWNER}" and kept.file(OWNER) is None
    assert handed(kept, [b"x" * 600, b"y" * 400])[0] == 200
    first = kept.file(OWNER)
    assert first.read_bytes() == b"x" * 600 + b"y" * 400 and first.stat().st_mode & 0o111 == 0
    assert handed(kept, [b"a,b\n"])[0] == 200
    assert kept.file(OWNER).read_bytes() == b"a,b\n" and files(kept) == [kept.file(OWNER)]
    kept.close(OWNER)
    assert files(kept) == [] and kept.file(OWNER) is None
    kept.end()
    assert not Path(kept._folder.name).exists()


def test_what_is_too_large_is_not_read_to_its_end_and_leaves_nothing() -> None:
    kept = uploads.Uploads(LIMIT)
    kept.open(OWNER)
    assert handed(kept, [b"small"])[0] == 200
    before = kept.file(OWNER)
    assert handed(kept, [b"x" * 400] * 100) == (413, 3)  # 1,200 bytes are above the limit
    assert handed(kept, [b"x"], length=str(10**9)) == (413, 0)
    assert files(kept) == [before] and before.read_bytes() == b"small"


@pytest.mark.parametrize("owner", ["f" * 16, "..%2f..%2fetc", "x"])
def test_only_an_open_tab_hands_over(owner: str) -> None:
    kept = uploads.Uploads(LIMIT)
    kept.open(OWNER)
    assert handed(kept, [b"x"], owner)[0] == 404
    assert files(kept) == []
