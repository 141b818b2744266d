"""A chart of what was learnt, as a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from seqlang.studio.learning.figures import pictured


def job(argument: Mapping[str, Any], tell: Callable[[Any], None]) -> bytes:
    """`name` of the `numbers`, as a `kind` of picture with a `title`."""
    return pictured(argument["numbers"], str(argument["name"]), str(argument["title"]), str(argument["kind"]))
