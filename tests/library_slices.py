"""Which specs of the library a test of the whole library takes by default."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

SPECS = Path(__file__).resolve().parents[1] / "specs"
TESTS = ("certificates", "engines", "letters", "algebra")
"""Each takes one spec in eight, and no two the same; with `--long` all take all."""
ONE_IN = 8


def slice_of_library(test: str) -> list[Any]:
    """The paths of all specs; those that are another test's are long."""
    paths = sorted(SPECS.rglob("*.seq"))
    return [
        pytest.param(
            path,
            id=f"{path.parent.name}/{path.stem}",
            marks=() if i % ONE_IN == TESTS.index(test) else pytest.mark.long,
        )
        for i, path in enumerate(paths)
    ]
