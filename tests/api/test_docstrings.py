"""The examples in the docstrings of the public interface are run, and every public function has one."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

import seqlang

MODULES = [
    "seqlang.api.data", "seqlang.api.designs", "seqlang.api.proofs", "seqlang.api.runs", "seqlang.api.specs",
    "seqlang.api.sweeps", "seqlang.results.results", "seqlang.report.document.latex",
]  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    found = doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert found.attempted > 0
    assert found.failed == 0


@pytest.mark.parametrize("name", [n for n in seqlang.__all__ if n not in ("SpecError", "__version__")])
def test_every_public_function_has_an_example(name: str) -> None:
    assert ">>> " in (getattr(seqlang, name).__doc__ or "")
