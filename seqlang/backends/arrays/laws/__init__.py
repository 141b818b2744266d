"""Laws on arrays. Every draw uses a fixed number of uniforms, or rejects run by run: never anything that depends on
which runs are drawn together."""

from __future__ import annotations

from collections.abc import Callable

from seqlang.backends.arrays.laws.derived import Conditioned, Convolved, Either, SumOf, Tree
from seqlang.backends.arrays.laws.law import VectorLaw
from seqlang.backends.arrays.laws.listed import Flip, Point, Table
from seqlang.backends.arrays.laws.multivariate import L2Laplace, UniformBall
from seqlang.backends.arrays.laws.of_family import OfFamily
from seqlang.backends.arrays.values import Value
from seqlang.laws.law import law

OTHER: dict[str, Callable[..., VectorLaw]] = {
    "point": Point,
    "conditioned": Conditioned,
    "convolve": Convolved,
    "sum_of": SumOf,
    "tree": Tree,
    "randomized_response": Flip,
    "l2_laplace": L2Laplace,
}
"""Laws that are made from laws or values of any kind, or are laws of vectors."""


def make(family: str, *arguments: Value) -> VectorLaw:
    """The law `family(arguments)`. Raises EvaluationError for arguments that are no parameters of it."""
    if family in OTHER:
        return OTHER[family](*arguments)
    return OfFamily(law(family), arguments)


__all__ = ["Either", "Flip", "OfFamily", "Table", "Tree", "UniformBall", "VectorLaw", "make"]
