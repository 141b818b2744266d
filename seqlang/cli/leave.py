"""The end of the process: taking its memory apart piece by piece takes as long as three starts of bare Python."""

from __future__ import annotations

import atexit
import os
import sys
import threading
from typing import NoReturn, TextIO


def leave(code: int) -> NoReturn:
    """Ends the process with this code. What was registered for the end is done and output is written; only where other
    threads still work, or a profiler or tracer watches, does the interpreter end as usual."""
    watched = sys.getprofile() is not None or sys.gettrace() is not None
    if watched or threading.active_count() > 1:
        sys.exit(code)
    atexit._run_exitfuncs()
    streams: tuple[TextIO | None, ...] = (sys.stdout, sys.stderr)
    for stream in streams:
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            sys.exit(code)  # a stream that takes no more: the interpreter knows what to say
    os._exit(code)
