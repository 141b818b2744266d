"""One thread for linear algebra: with small matrices, threads that wait for each other cost far more than they save."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

POOLS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""What the libraries of linear algebra read as numpy is imported. OpenBLAS starts its threads then, and each looks for
work for 20 to 50 ms of CPU time before it sleeps."""


def start_no_threads() -> None:
    """For a process that has not imported numpy yet, and needs one thread for all linear algebra. What somebody has
    set stays."""
    for name in POOLS:
        os.environ.setdefault(name, "1")


@cache
def _controller() -> Any:
    """Of the libraries that numpy and scipy have loaded; looking for them takes a millisecond."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def one_thread() -> AbstractContextManager[Any]:
    """BLAS runs on one thread inside."""
    if all(os.environ.get(name) == "1" for name in POOLS):
        return nullcontext()
    limited: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limited
