"""A server that is asked everything about texts as they are while somebody types: no request fails, and it is quick."""

from __future__ import annotations

import random
import statistics
import time
from pathlib import Path

import pytest
from library_slices import SPECS
from talking import Client, Refused, position
from thorough import several

pytest.importorskip("pygls", reason="the language server needs the extra `editor`")

CASES = several(20, 2_000)
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
    """CPU time in which the largest spec of the library is parsed, elaborated, and its diagnostics made."""
    from seqlang.editor import shown
    from seqlang.editor.documents import Document

    text, times = largest().read_text("utf-8"), []
    for version in range(7):
        began = time.process_time()
        document = Document("file:///large.seq", version, text + "\n" * version, "utf-16")
        [shown.diagnostic(document, d) for d in document.reading.diagnostics]
        times.append(time.process_time() - began)
    print(f"{largest().stem}: median {1000 * statistics.median(times):.1f} ms")
    assert statistics.median(times) < 0.1
