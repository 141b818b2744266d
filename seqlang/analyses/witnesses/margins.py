"""The margins of a comparison, as the steps of a transcript say them."""

from __future__ import annotations

from typing import Any

from seqlang.backends.transcript.kept_values import plain_part


def margins(test: Any) -> list[tuple[Any, Any, bool]]:
    if isinstance(test, bool):
        return []
    if not isinstance(test[0], str):
        value, terms, strict = test
        return [(plain_part(value), terms, strict)]
    return [m for part in test[1:] for m in margins(part)]
