"""The margins of a comparison, as the steps of a transcript say them."""

from __future__ import annotations

from typing import Any


def margins(test: Any) -> list[tuple[Any, Any, bool]]:
    if isinstance(test, bool):
        return []
    if not isinstance(test[0], str):
        return [test]
    return [m for part in test[1:] for m in margins(part)]
