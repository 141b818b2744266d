"""One thread for linear algebra: with small matrices, threads that wait for each other cost far more than they save."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


@cache
def _controller() -> Any:
    """Of the libraries that numpy and scipy have loaded; looking for them takes a millisecond."""
    return ThreadpoolController()


def one_thread() -> AbstractContextManager[Any]:
    """BLAS runs on one thread inside."""
    limited: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limited
