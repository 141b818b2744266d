"""How much a test tries: little by default, much with `--long`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import pytest

LONG = "SEQLANG_LONG_TESTS"
"""Set by `conftest.py`, in each process, where the option is given."""


def several(usual: int, long: int) -> int:
    """`long` with `--long`, else `usual`."""
    return long if os.environ.get(LONG) else usual


def spread(cases: Iterable[Any], usual: int) -> list[Any]:
    """For `pytest.mark.parametrize`, where many cases try one behaviour: `usual` of them, evenly over the list, are
    tried by default, the others with `--long`. A tuple holds one value for each name; what is long already stays so."""
    listed = [_as_parameters(case) for case in cases]
    open_ = [i for i, case in enumerate(listed) if not case.marks]
    kept = {open_[i * len(open_) // usual] for i in range(usual)}
    return [
        case if i in kept else pytest.param(*case.values, id=case.id, marks=pytest.mark.long)
        for i, case in enumerate(listed)
    ]


def _as_parameters(case: Any) -> Any:
    if hasattr(case, "marks"):
        return case
    return pytest.param(*(case if isinstance(case, tuple) else (case,)))
