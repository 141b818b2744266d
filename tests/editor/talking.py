"""A client of the language server: it starts `seqlang lsp`, and speaks JSON-RPC with it over its standard input and
output, as an editor does. Written from the protocol alone; it shares no code with the server."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

PATIENCE = 120.0
"""Seconds until an answer is given up: tests share the machine."""
CAPABILITIES = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {
        "codeAction": {"resolveSupport": {"properties": ["edit"]}, "dataSupport": True},
        "publishDiagnostics": {"relatedInformation": True, "versionSupport": True},
        "rename": {"prepareSupport": True},
    },
    "workspace": {
        "workspaceEdit": {"documentChanges": True},
        "inlayHint": {"refreshSupport": True},
        "codeLens": {"refreshSupport": True},
    },
    "window": {"showDocument": {"support": True}},
}


class Refused(Exception):
    """The server answered with an error."""


class Client:
    """One server. `notes` are all notifications and requests that came from it."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "seqlang.cli", "lsp", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._came: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.notes: list[dict[str, Any]] = []
        self._answers: dict[int, dict[str, Any]] = {}
        self._asked = 0
        self.versions: dict[str, int] = {}
        threading.Thread(target=self._listen, daemon=True).start()
        self.capabilities = self.ask(
            "initialize", {"processId": os.getpid(), "rootUri": None, "capabilities": CAPABILITIES}
        )["capabilities"]
        self.tell("initialized", {})

    # ---- messages

    def _listen(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while line := stream.readline():
            size = 0
            while line.strip():
                name, _, value = line.decode().partition(":")
                size = int(value) if name.lower() == "content-length" else size
                line = stream.readline()
            self._came.put(json.loads(stream.read(size)))
        self._came.put(None)

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.process.stdin.flush()

    def _take(self) -> None:
        """One message from the server; its requests are granted."""
        message = self._came.get(timeout=PATIENCE)
        assert message is not None, "the server has ended"
        if "method" not in message:
            self._answers[message["id"]] = message
            return
        self.notes.append(message)
        if "id" in message:
            result = {"success": True} if message["method"] == "window/showDocument" else None
            self._send({"id": message["id"], "result": result})

    def tell(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def begin(self, method: str, params: Any) -> int:
        self._asked += 1
        self._send({"id": self._asked, "method": method, "params": params})
        return self._asked

    def answer(self, number: int) -> Any:
        while number not in self._answers:
            self._take()
        answer = self._answers.pop(number)
        if "error" in answer:
            raise Refused(answer["error"]["message"])
        return answer["result"]

    def ask(self, method: str, params: Any) -> Any:
        return self.answer(self.begin(method, params))

    def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first message, of those that came and those that will, for which this holds."""
        seen = 0
        while True:
            for message in self.notes[seen:]:
                if wanted(message):
                    return message
            seen = len(self.notes)
            self._take()

    # ---- documents

    def open(self, text: str, uri: str = "file:///test.seq") -> str:
        self.versions[uri] = 1
        document = {"uri": uri, "languageId": "seq", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})
        return uri

    def change(self, text: str, uri: str = "file:///test.seq") -> None:
        self.versions[uri] += 1
        document = {"uri": uri, "version": self.versions[uri]}
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def close(self, uri: str) -> None:
        self.tell("textDocument/didClose", {"textDocument": {"uri": uri}})

    def diagnostics(self, uri: str, wanted: Callable[[list[dict[str, Any]]], bool] = bool) -> list[dict[str, Any]]:
        """The first published for the document's version that are as wanted."""
        found = self.until(
            lambda m: (
                m["method"] == "textDocument/publishDiagnostics"
                and m["params"]["uri"] == uri
                and m["params"].get("version") == self.versions[uri]
                and wanted(m["params"]["diagnostics"])
            )
        )
        diagnostics: list[dict[str, Any]] = found["params"]["diagnostics"]
        return diagnostics

    def proved(self, uri: str, text: str, expected: str) -> list[dict[str, Any]]:
        """The values in line, once one of them holds the expected words."""
        while True:
            lines = text.count("\n") + 1
            span = {"start": {"line": 0, "character": 0}, "end": {"line": lines, "character": 0}}
            hints: list[dict[str, Any]] = self.ask(
                "textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": span}
            )
            if any(expected in hint["label"] for hint in hints):
                return hints
            count = len(self.notes)
            while len(self.notes) == count:
                self._take()

    def place(self, method: str, uri: str, text: str, offset: int, **more: Any) -> Any:
        return self.ask(
            f"textDocument/{method}", {"textDocument": {"uri": uri}, "position": position(text, offset), **more}
        )

    def end(self) -> None:
        self.ask("shutdown", None)
        self.tell("exit", None)
        assert self.process.wait(PATIENCE) == 0


def position(text: str, offset: int) -> dict[str, int]:
    """In UTF-16 units; lines end with a line feed."""
    before = text[:offset]
    line = before.rpartition("\n")[2]
    return {"line": before.count("\n"), "character": len(line.encode("utf-16-le")) // 2}


def offset_of(text: str, place: dict[str, int]) -> int:
    lines = text.split("\n")
    line = lines[place["line"]].encode("utf-16-le")[: 2 * place["character"]].decode("utf-16-le")
    return sum(len(other) + 1 for other in lines[: place["line"]]) + len(line)


def edited(text: str, edits: list[dict[str, Any]]) -> str:
    """The text after the edits of an answer."""
    spans = [(offset_of(text, e["range"]["start"]), offset_of(text, e["range"]["end"]), e["newText"]) for e in edits]
    for start, end, new in sorted(spans, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def words_at(text: str, ranges: list[dict[str, Any]]) -> list[str]:
    return [text[offset_of(text, r["start"]) : offset_of(text, r["end"])] for r in ranges]


def file_of(uri: str) -> Path:
    return Path(uri.removeprefix("file://"))
