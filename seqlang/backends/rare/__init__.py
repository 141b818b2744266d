"""Chances of rare returns by weighted runs."""

from seqlang.backends.rare.estimate import Estimate, estimate
from seqlang.backends.rare.setting import ANY

__all__ = ["ANY", "Estimate", "estimate"]
