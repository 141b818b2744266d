"""The names of a file's columns: of the rows, nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from seqlang.diagnostics import SpecError
from seqlang.studio.learning.sources import Opened, origin_of

MOST = 1_000


def job(argument: Mapping[str, Any], tell: Callable[[Any], None]) -> list[str]:
    """At most so many. Raises SpecError where it is no file of rows."""
    with Opened(origin_of(argument)) as opened:
        header = list(opened.source.table.header)
    if len(header) > MOST:
        raise SpecError.of("E0617", f"the file has {len(header)} columns; more than {MOST} cannot be chosen from here")
    return header
