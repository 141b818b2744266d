"""What the exact solver does not treat."""

from __future__ import annotations


class Unsolved(Exception):
    """There is no exact law of this program here; the text says why, in a phrase that names what does not fit."""
