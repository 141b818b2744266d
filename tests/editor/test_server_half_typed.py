"""A server that is asked everything about texts as they are while somebody types: no request fails, and it is quick."""

from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path

import pytest
from library_slices import SPECS
from talking import Client, Refused, position
from thorough import several

pytest.importorskip("pygls", reason="the language server needs the extra `editor`")

CASES = several(20, 2_000)
CALLS = 60
"""For a character of the text; 18 are made."""
URI = "file:///half.seq"
PLACED = ("hover", "signatureHelp", "completion", "definition", "prepareRename", "documentHighlight")
WHOLE = ("documentSymbol", "foldingRange", "semanticTokens/full", "codeLens")


def half_typed(rng: random.Random) -> str:
    """A spec cut off somewhere, or without one of its parts."""
    text = rng.choice(sorted(SPECS.rglob("*.seq"))).read_text("utf-8")
    a = rng.randrange(len(text))
    return text[:a] + text[a + rng.choice([10**6, 1, 9]) :] + rng.choice(["", "(", " = ", "é", '"', "\nattach 😀 to "])


def asked(client: Client, text: str, rng: random.Random) -> int:
    """All requests about one text; how many were refused with a reason."""
    document = {"textDocument": {"uri": URI}}
    whole = {"start": position(text, 0), "end": position(text, len(text))}
    refused = 0
    for method in WHOLE:
        client.ask(f"textDocument/{method}", document)
    client.ask("textDocument/inlayHint", {**document, "range": whole})
    client.ask("textDocument/codeAction", {**document, "range": whole, "context": {"diagnostics": []}})
    client.ask("textDocument/formatting", {**document, "options": {"tabSize": 2, "insertSpaces": True}})
    offset = rng.choice([len(text), rng.randrange(len(text) + 1)])
    for method in PLACED:
        try:
            client.place(method, URI, text, offset)
        except Refused as why:
            assert "language" in str(why) or "no name" in str(why) or "declared nowhere" in str(why), (why, text)
            refused += 1
    return refused


def test_every_request_is_answered() -> None:
    client = Client()
    client.open("", URI)
    for seed in range(CASES):
        rng = random.Random(seed)
        text = half_typed(rng)
        client.change(text, URI)
        try:
            asked(client, text, rng)
        except Refused as error:
            raise AssertionError(f"seed {seed}: {error}\n{text}") from error
    errors = [m["params"] for m in client.notes if m["method"] == "window/showMessage" and m["params"]["type"] == 1]
    assert not errors
    client.end()


def largest() -> Path:
    return max(SPECS.rglob("*.seq"), key=lambda path: path.stat().st_size)


def test_a_change_is_answered_at_once() -> None:
    """How many functions are called while the largest spec of the library is read again and its diagnostics made, for
    each of its characters: a number that is the same on every machine."""
    from seqlang.editor import shown
    from seqlang.editor.documents import Document

    text, calls = largest().read_text("utf-8"), Counter[str]()

    def answer(version: int) -> None:
        document = Document("file:///large.seq", version, text + "\n" * version, "utf-16")
        [shown.diagnostic(document, d) for d in document.reading.diagnostics]

    answer(0)  # imports and tables are made once
    sys.setprofile(lambda frame, event, argument: calls.update([event]))
    try:
        answer(1)
    finally:
        sys.setprofile(None)
    print(f"{largest().stem}: {calls['call']:,} calls")
    assert 0 < calls["call"] < CALLS * len(text)
