"""Values together with their gradients, for the minimiser: reverse accumulation over arrays of records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from seqlang.operators.catalogue import OPERATORS
from seqlang.process.late import np
from seqlang.record import record

Pull = Callable[[Any], Any]
"""From the derivative of the objective by this value to its gradient by the variable, (d,)."""


class NoSlope(Exception):
    """An operation whose derivative is not known here."""


@record
class Traced:
    """A value; `pull` is None where it does not depend on the variable."""

    value: Any
    pull: Pull | None = None


def applied(operator: str, function: Callable[..., Any], arguments: Sequence[Traced]) -> Traced:
    """An operator of arrays. At a kink the gradient is that of one side; where none is known, `pull` raises NoSlope."""
    values = [a.value for a in arguments]
    result = function(*values)
    moving = [i for i, a in enumerate(arguments) if a.pull is not None]
    if not moving or OPERATORS[operator].result == "truth":
        return Traced(result)

    def pull(g: Any) -> Any:
        slopes = _slopes_of(operator)
        if slopes is None:
            raise NoSlope(operator)
        with np.errstate(all="ignore"):
            each = slopes(g, result, *values)
        found = 0.0
        for i in moving:
            own = arguments[i].pull
            assert own is not None
            if each[i] is None:
                raise NoSlope(operator)
            found = found + own(fitted(each[i], np.shape(values[i])))
        return found

    return Traced(result, pull)


def chosen(test: Any, yes: Traced, no: Traced) -> Traced:
    """if test then yes else no."""
    value = np.where(test, yes.value, no.value)
    if yes.pull is None and no.pull is None:
        return Traced(value)

    def pull(g: Any) -> Any:
        found = 0.0
        for part, here in ((yes, test), (no, np.logical_not(test))):
            if part.pull is not None:
                found = found + part.pull(fitted(np.where(here, g, 0.0), np.shape(part.value)))
        return found

    return Traced(value, pull)


def fitted(g: Any, shape: tuple[int, ...]) -> Any:
    """A derivative summed over the axes along which the value was repeated."""
    g = np.asarray(g)
    while g.ndim > len(shape):
        g = g.sum(axis=0)
    for axis, size in enumerate(shape):
        if size == 1 and g.shape[axis] > 1:
            g = g.sum(axis=axis, keepdims=True)
    return np.broadcast_to(g, shape)


def _extreme(g: Any, result: Any, *values: Any) -> list[Any]:
    """max and min of several numbers: the first that attains it."""
    if len(values) == 1:
        return [None]
    left, found = np.ones(np.shape(result), dtype=bool), []
    for v in values:
        here = left & np.equal(v, result)
        left = left & ~here
        found.append(np.where(here, g, 0.0))
    return found


def _norm(g: Any, result: Any, v: Any) -> list[Any]:
    return [g * v / np.where(result > 0, result, 1.0)]


_OF_VECTORS: dict[str, Callable[..., list[Any]]] = {
    "max": _extreme,  # of one vector: not known
    "min": _extreme,
    "dot": lambda g, r, a, b: [g * b, g * a],
    "norm": _norm,
}


def _slopes_of(operator: str) -> Callable[..., list[Any]] | None:
    numeric = OPERATORS[operator].numeric
    return _OF_VECTORS.get(operator) if numeric is None else numeric.slopes
