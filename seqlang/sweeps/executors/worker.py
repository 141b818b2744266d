"""The process at the other end of `processes`: a unit a line on stdin, lines of JSON on stdout.

It ends when stdin does, even in the middle of a unit: a sweep that was killed leaves no process behind.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any


def main(threads: int) -> None:
    """Answers until its stdin is closed; a simulation may use so many threads."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one decides
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print must not come between the lines
    inbox: SimpleQueue[str] = SimpleQueue()
    Thread(target=_listen, args=(inbox,), daemon=True).start()

    turn = Lock()

    def say(message: dict[str, Any]) -> None:
        with turn:
            out.write(json.dumps(message) + "\n")
            out.flush()

    from seqlang.sweeps.compute import compute

    while True:
        unit = json.loads(inbox.get())
        say({"answer": compute(unit, lambda state: say({"state": state}), threads)})


def _listen(inbox: SimpleQueue[str]) -> None:
    for line in sys.stdin:
        inbox.put(line)
    os._exit(0)


if __name__ == "__main__":
    main(int(sys.argv[1]))
