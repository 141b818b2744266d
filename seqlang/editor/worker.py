"""A process that carries out one job after the other: `python -m seqlang.editor.worker`, at the other end of a pipe
from the server. It is ended from there, at any moment.

A message is the number of its bytes (8, big end first) and a pickle: asked `(job, arguments)`, answered
`("more", value)` for each value and `("done", None)`, or `("failed", text)`. Only these two processes read them.
"""

from __future__ import annotations

import os
import pickle
import struct
import sys
from typing import BinaryIO

SIZE = struct.Struct(">Q")


def packed(message: object) -> bytes:
    data = pickle.dumps(message)
    return SIZE.pack(len(data)) + data


def main() -> None:
    """Reads until the other end is closed. What a job prints goes to the error stream."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    from seqlang.editor.jobs import carried_out

    while (asked := _read(sys.stdin.buffer)) is not None:
        job, arguments = asked
        try:
            for value in carried_out(job, arguments):
                _write(answers, ("more", value))
            _write(answers, ("done", None))
        except BrokenPipeError:
            return
        except Exception as error:
            _write(answers, ("failed", f"{type(error).__name__}: {error}"))


def _read(stream: BinaryIO) -> tuple[str, tuple[object, ...]] | None:
    size = stream.read(SIZE.size)
    if len(size) < SIZE.size:
        return None
    job, arguments = pickle.loads(stream.read(SIZE.unpack(size)[0]))
    return job, arguments


def _write(stream: BinaryIO, message: tuple[str, object]) -> None:
    stream.write(packed(message))
    stream.flush()


if __name__ == "__main__":
    main()
