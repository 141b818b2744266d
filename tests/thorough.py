"""How much a test tries: little by default, much with `--long`."""

from __future__ import annotations

import os

LONG = "SEQLANG_LONG_TESTS"
"""Set by `conftest.py`, in each process, where the option is given."""


def several(usual: int, long: int) -> int:
    """`long` with `--long`, else `usual`."""
    return long if os.environ.get(LONG) else usual
