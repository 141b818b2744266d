"""What a program computes, as a short name: two programs with the same identity have the same runs.

The elaborated model is written out with exact numbers and hashed. Spans, titles and claims do not count, so that
a comment, a new layout or a further claim leaves the finished parts of a sweep as they are.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator, Mapping
from enum import Enum
from fractions import Fraction
from functools import cache
from typing import Any

from seqlang.model.program import Program

_COUNTED = ("name", "parameters", "inputs", "size", "models", "memories", "noises", "body", "labels")


def identity(program: Program) -> str:
    """Hexadecimal digits; the same in every process and on every machine."""
    digest = hashlib.sha256()
    for name in _COUNTED:
        digest.update(f"{name}=".encode())
        for piece in _written(getattr(program, name)):
            digest.update(piece.encode())
    return digest.hexdigest()


def _written(value: Any) -> Iterator[str]:
    """Text without two readings: every piece ends in a mark, and a text begins with its length."""
    match value:
        case None | bool() | int() if not isinstance(value, Enum):
            yield f"{value};"
        case Enum():
            yield f"{value.name};"
        case Fraction():
            yield f"{value.numerator}/{value.denominator};"
        case float():
            yield f"{value.hex()};"
        case str():
            yield f"{len(value)}:{value};"
        case tuple() | list():
            yield "("
            for item in value:
                yield from _written(item)
            yield ")"
        case Mapping():
            yield from _written(sorted(value.items()))
        case _:
            yield f"{type(value).__name__}["
            kind: Any = type(value)
            for name in _compared(kind):
                yield from _written(getattr(value, name))
            yield "]"


@cache
def _compared(record: Any) -> tuple[str, ...]:
    return tuple(f.name for f in dataclasses.fields(record) if f.compare)
