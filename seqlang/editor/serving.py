"""A server with all its capabilities, and its life."""

from __future__ import annotations

import sys

from seqlang.editor import actions, language, texts
from seqlang.editor.server import Server


def made() -> Server:
    """A server that can do everything."""
    server = Server()
    for room in (texts, language, actions):
        room.register(server)
    return server


def serve() -> None:
    """Over standard input and output, until the client ends it. What anything prints goes to the error stream."""
    server = made()
    answers = sys.stdout.buffer
    sys.stdout = sys.stderr
    try:
        server.start_io(sys.stdin.buffer, answers)
    finally:
        server.end()
