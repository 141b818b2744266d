"""Parts of the work on a design that the time limit may end: the design itself is then still told."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from seqlang.process.doing import doing
from seqlang.process.time_limit import over

T = TypeVar("T")


def in_time(part: str, cut_short: list[str], work: Callable[[], T]) -> T | None:
    """What `work` returns. Where the time limit is over, or ends it, the name of the part is added to `cut_short`, and
    None is returned. An interrupt by a person goes on its way."""
    if not over():
        doing(part)
        try:
            return work()
        except KeyboardInterrupt:  # also where nobody polled, and the timer of the process struck
            if not over():
                raise
    cut_short.append(part)
    return None
