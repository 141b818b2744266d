"""How the law of a field of the data is tilted.

A law on few values, and any law with a quantile function (cut into equally likely parts), has a weight for each value
or part; a normal law is shifted. Other laws are drawn as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.laws import Either, OfFamily, Table, VectorLaw
from seqlang.backends.arrays.values import Value, shape_of
from seqlang.record import record

Array = NDArray[np.float64]
PARTS = 16
MOST_LETTERS = 128


@record
class Letters:
    """A law on listed values; `values` None: PARTS equally likely parts of a law with a quantile function. `chances`
    are numbers, or arrays with one entry a run."""

    values: tuple[float, ...] | None
    chances: tuple[Any, ...]


@record
class Shape:
    """What can be tilted in a field: `letters` weights, or the mean of a normal law. `scores` are the values of the
    letters in standard units."""

    kind: Literal["letters", "normal"]
    letters: int = 0
    scores: tuple[float, ...] = ()
    values: tuple[float, ...] | None = None


def letters_of(law: VectorLaw) -> Letters | None:
    """The law as letters, if it has few."""
    match law:
        case Table():
            if len(law.values) > MOST_LETTERS or any(np.size(v) > 1 for v in law.values):
                return None
            values = tuple(float(np.ravel(v)[0]) for v in law.values)
            if len(set(values)) < len(values):
                return None
            return Letters(values, tuple(w / law.total for w in law.weights))
        case OfFamily() if (listed := law.support()) is not None:
            if len(listed) > MOST_LETTERS or (len(listed) > 2 and np.size(law.parameters[0]) > 1):
                return None  # too many, or not as many in every run
            return Letters(tuple(float(k) for k in listed), tuple(law.pmf(k) for k in listed))
        case Either():
            first, second = letters_of(law.first), letters_of(law.second)
            if first is None or second is None or first.values != second.values:
                return None
            return Letters(
                first.values,
                tuple(np.where(law.test, a, b) for a, b in zip(first.chances, second.chances, strict=True)),
            )
        case _:
            if shape_of(law.parameters[0] if law.parameters else 0.0) or law.joint:
                return None
            if law.quantile(np.full(1, 0.5)) is None:
                return None
            return Letters(None, (1 / PARTS,) * PARTS)


def mean_and_deviation(law: VectorLaw) -> tuple[Value, Value] | None:
    """Of a normal law."""
    match law:
        case OfFamily(family="normal", parameters=(mean, sd)):
            return mean, sd
        case OfFamily(family="gaussian", parameters=(sd,)):
            return 0.0, sd
        case _:
            return None


def shape_of_law(law: VectorLaw) -> Shape | None:
    """None: a law that is drawn as it is."""
    if law.shape() or law.joint:
        return None
    normal = mean_and_deviation(law)
    if normal is not None:
        return Shape("normal") if np.all(np.greater(normal[1], 0)) else None
    letters = letters_of(law)
    if letters is None or len(letters.chances) < 2:
        return None
    chances = np.array([float(np.mean(c)) for c in letters.chances])
    values = np.arange(len(chances), dtype=float) if letters.values is None else np.array(letters.values)
    mean = float(chances @ values)
    sd = float(np.sqrt(chances @ (values - mean) ** 2))
    if not sd > 0:
        return None
    return Shape("letters", len(chances), tuple((values - mean) / sd), letters.values)


def starting_tilts(shapes: Mapping[str, Shape]) -> list[dict[str, Array]]:
    """Tilts to look around with: none, all fields together in either direction, single fields, single letters."""
    found: list[dict[str, Array]] = [{}]

    def along(shape: Shape, size: float) -> Array:
        return np.array([size]) if shape.kind == "normal" else size * np.array(shape.scores)

    for size in (0.3, 0.8, 2.0):
        found += [{name: along(shape, sign * size) for name, shape in shapes.items()} for sign in (1.0, -1.0)]
    if len(shapes) > 1:
        for name, shape in list(shapes.items())[:4]:
            found += [{name: along(shape, size)} for size in (1.0, -1.0)]
    for name, shape in shapes.items():
        if 2 < shape.letters <= 6:
            for j in range(shape.letters):
                tilt = np.zeros(shape.letters)
                tilt[j] = 2.5
                found.append({name: tilt})
    return found if shapes else found[:1]


BURSTS = (2.5, 4.5, 7.0)
BURST_RATE = 0.15


def bursts(shapes: Mapping[str, Shape]) -> list[dict[str, Array]]:
    """Shifts of single normal entries, which are to happen in each step with the chance BURST_RATE."""
    normal = [name for name, shape in shapes.items() if shape.kind == "normal"]
    return [{name: np.array([sign * size])} for name in normal[:4] for size in BURSTS for sign in (1.0, -1.0)]


def blank(shape: Shape) -> Array:
    """No tilt."""
    return np.zeros(max(1, shape.letters))
