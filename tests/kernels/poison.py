"""Memory that nobody wrote yet, as bad as it can be: what a kernel reads before it has written it shows in the results.

`np.empty` gives whatever lay in memory, often zeros, and a buffer that `np.zeros` made for a whole call holds what an
earlier run left in it. Here both give numbers that are none, and integers far from every index.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

WORD = 0xFFF8_DEAD_BEEF_0BAD
"""Read as a float64 it is not a number; read as an int64 it is far below 0."""
_MADE = re.compile(r"np\.(?:empty|zeros)\(((?:[^()]|\([^()]*\))*?)(?:, np\.(\w+))?\)(?=\s|$)", re.MULTILINE)


def poison(shape: Any, kind: Any = np.float64) -> Any:
    """An array of that shape and type in which every entry is a bad one."""
    kind = np.dtype(kind)
    if kind == np.bool_:
        return np.ones(shape, np.bool_)
    return np.full(shape, WORD, np.uint64).view(kind).copy()  # who asks how many hold it asks the owner of the memory


class PoisonedNumpy:
    """numpy, but for the functions named in `bad`."""

    def __init__(self, bad: tuple[str, ...] = ("empty", "zeros")) -> None:
        self._bad = bad

    def __getattr__(self, name: str) -> Any:
        return poison if name in self._bad else getattr(np, name)


def poisoned(text: str) -> str:
    """The text of a kernel, to be compiled, with such arrays."""
    number = WORD - (1 << 64)
    bad = {"int64": f"np.int64({number})", "uint64": f"np.uint64({WORD})", "bool_": "True", "float64": "np.nan"}

    def full(found: re.Match[str]) -> str:
        kind = found[2] or "float64"
        return f"np.full({found[1]}, {bad[kind]}, np.{kind})"

    return _MADE.sub(full, text)
