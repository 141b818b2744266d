"""Laws of vectors."""

from __future__ import annotations

import numpy as np

from seqlang.backends.arrays.laws.law import Array, VectorLaw, require
from seqlang.backends.arrays.streams import Source
from seqlang.backends.arrays.values import Value
from seqlang.laws.arrays import standard_normals


class L2Laplace(VectorLaw):
    """Vectors with a density in proportion to exp(-|x|_2 / scale)."""

    joint = True

    def __init__(self, scale: Value, dimension: Value | None = None) -> None:
        require(np.greater(scale, 0), "l2_laplace needs a positive scale")
        self.scale = scale
        self.dimension = None if dimension is None else int(dimension)

    def shape(self) -> tuple[int, ...]:
        return () if self.dimension is None else (self.dimension,)

    def sample(self, source: Source, shape: tuple[int, ...]) -> Array:
        shape = self.shape() or shape
        d = shape[-1] if shape else 1
        length = np.asarray(_sum_of_logs(source.uniform((d, *shape[:-1]))) * -self.scale)
        directed = direction(source, shape or (1,))
        result: Array = directed * np.expand_dims(length, -2)
        return result if shape else np.asarray(result[0])


def _sum_of_logs(u: Array) -> Array:
    """Along the first axis; sixteen numbers of at least 2^-54 are multiplied before their logarithm is taken."""
    total: Array = np.zeros(u.shape[1:])
    for at in range(0, len(u), 16):
        total += np.log(np.multiply.reduce(u[at : at + 16], axis=0))
    return total


def direction(source: Source, shape: tuple[int, ...]) -> Array:
    """Uniform on the unit sphere of `shape[-1]` coordinates."""
    z = standard_normals(source.uniform, shape)
    return np.asarray(z / np.sqrt(np.add.reduce(z * z, axis=-2, keepdims=True)))


class UniformBall(VectorLaw):
    """Uniform vectors of the Euclidean ball of that radius."""

    joint = True

    def __init__(self, dimension: int, radius: Value) -> None:
        self.dimension, self.radius = dimension, radius

    def shape(self) -> tuple[int, ...]:
        return (self.dimension,)

    def sample(self, source: Source, shape: tuple[int, ...]) -> Array:
        length = self.radius * source.uniform() ** (1 / self.dimension)
        return np.asarray(direction(source, (self.dimension,)) * length)
