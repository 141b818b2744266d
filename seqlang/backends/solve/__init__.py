"""The exact law of (stopping step, return), without simulation."""

from seqlang.backends.solve.solution import Solution
from seqlang.backends.solve.solve import solve
from seqlang.backends.solve.unsolved import Unsolved

__all__ = ["Solution", "Unsolved", "solve"]
