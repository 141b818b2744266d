"""What a stream holds in one step, or a dataset in one record."""

from __future__ import annotations

Entry = float | tuple[float, ...] | dict[str, object]
"""The value of the only input, or the values of several by name."""
