"""What a stream holds in one step, or a dataset in one record."""

from __future__ import annotations

Value = float | tuple[float, ...]
Entry = Value | dict[str, Value]
"""The value of the only input, or the values of several by name."""
