"""What the exact solver does not treat."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class Unsolved(Exception):
    """There is no exact law of this program here; the text says why, in a phrase that names what does not fit."""


@contextmanager
def refusals_are_unsolved(where: str = "") -> Iterator[None]:
    """What the array engine does not hold, an expression that has no value, and numbers that leave the range of
    floating point, as `Unsolved`."""
    from seqlang.backends.arrays.values import CannotVectorise
    from seqlang.backends.interpret.values import EvaluationError

    try:
        yield
    except CannotVectorise as why:
        raise Unsolved(str(why)) from None
    except EvaluationError as why:
        raise Unsolved(why.diagnostics[0].message + where) from None
    except ArithmeticError:
        raise Unsolved(f"numbers in it are too large, too small or too close for floating point{where}") from None
