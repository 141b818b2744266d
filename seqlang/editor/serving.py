"""A server with all its capabilities, and its life."""

from __future__ import annotations

import logging
import sys

from pygls.exceptions import JsonRpcInvalidParams

from seqlang.editor import actions, language, texts
from seqlang.editor.server import Server


def made() -> Server:
    """A server that can do everything."""
    server = Server()
    for room in (texts, language, actions):
        room.register(server)
    return server


def _is_no_refusal(record: logging.LogRecord) -> bool:
    """What is refused with a reason, the client is told; to the server's log it is nothing."""
    return record.exc_info is None or not isinstance(record.exc_info[1], JsonRpcInvalidParams)


def serve() -> None:
    """Over standard input and output, until the client ends it. What anything prints goes to the error stream."""
    logging.getLogger("pygls.protocol.json_rpc").addFilter(_is_no_refusal)
    server = made()
    answers = sys.stdout.buffer
    sys.stdout = sys.stderr
    try:
        server.start_io(sys.stdin.buffer, answers)
    finally:
        server.end()
