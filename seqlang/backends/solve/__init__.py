"""The exact law of (stopping step, return), without simulation."""

from seqlang.backends.solve.solution import Forced, Solution, Tail
from seqlang.backends.solve.solve import chain_of, solve
from seqlang.backends.solve.unsolved import Unsolved

__all__ = ["Forced", "Solution", "Tail", "Unsolved", "chain_of", "solve"]
