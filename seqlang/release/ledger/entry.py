"""One row of a ledger, chained to the row before it by its digest."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping
from typing import Any

from seqlang.record import record

FIRST = "0" * 64
"""What the first row has as the digest of the row before it."""
Body = Mapping[str, Any]


@record
class Entry:
    """`body` is canonical JSON: no row can be written in two ways. `at` is the clock of whoever wrote it, for readers
    only: nothing is decided by it. `signature` is empty where the ledger has no key."""

    number: int
    at: str
    kind: str
    body: str
    previous: str
    digest: str
    signature: str

    @property
    def content(self) -> dict[str, Any]:
        """The body as a value."""
        found = json.loads(self.body)
        assert isinstance(found, dict)
        return found


def canonical(body: Body) -> str:
    """The one way to write a body: sorted keys, no blanks, no floating-point number."""
    return json.dumps(_plain(body), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _is_canonical(text: str) -> bool:
    """Whether a body is written in the one way: a name that is there twice would be read by some as the first of them,
    by others as the last."""
    try:
        return canonical(json.loads(text)) == text
    except (ValueError, TypeError, RecursionError):
        return False


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        raise TypeError("a ledger holds no floating-point numbers: rationals are text")
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def chained(previous: Entry | None, at: str, kind: str, body: Body, key: bytes | None) -> Entry:
    """The next row."""
    number = 1 if previous is None else previous.number + 1
    before = FIRST if previous is None else previous.digest
    text = canonical(body)
    digest = digest_of(number, at, kind, text, before)
    return Entry(number, at, kind, text, before, digest, signature_of(digest, key))


def digest_of(number: int, at: str, kind: str, body: str, previous: str) -> str:
    """SHA-256 of all that the row says. Each part is preceded by its length, so that no two rows read the same."""
    whole = hashlib.sha256()
    for part in (str(number), at, kind, body, previous):
        data = part.encode()
        whole.update(len(data).to_bytes(8, "big") + data)
    return whole.hexdigest()


def signature_of(digest: str, key: bytes | None) -> str:
    """HMAC-SHA-256 under the key of the ledger's owner."""
    return "" if key is None else hmac.new(key, digest.encode(), hashlib.sha256).hexdigest()


def faults(entries: Iterable[Entry], key: bytes | None, previous: Entry | None = None) -> str | None:
    """What is wrong with the chain that follows `previous`; None if nothing is. Signatures are looked at where a key is
    given."""
    for entry in entries:
        number = 1 if previous is None else previous.number + 1
        if entry.number != number:
            return f"row {number} is missing"
        if entry.previous != (FIRST if previous is None else previous.digest):
            return f"row {number} does not follow the row before it"
        if entry.digest != digest_of(entry.number, entry.at, entry.kind, entry.body, entry.previous):
            return f"row {number} was changed"
        if key is not None and not hmac.compare_digest(entry.signature, signature_of(entry.digest, key)):
            return f"row {number} is not signed by this key"
        if not _is_canonical(entry.body):
            return f"row {number} is not written as rows are"
        previous = entry
    return None
