"""No design keeps the constraints."""

from __future__ import annotations


class Infeasible(Exception):
    """The text says which constraint binds, and what would do."""
