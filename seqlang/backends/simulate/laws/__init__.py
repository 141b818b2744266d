"""Laws on arrays. Every draw uses a fixed number of uniforms, or rejects run by run: never anything that depends on
which runs are drawn together. Formulas follow `backends/interpret/laws`, where they are explained."""

from __future__ import annotations

from typing import Any

from seqlang.backends.simulate.laws.continuous import Exponential, Gumbel, Laplace, Normal, Staircase, Uniform, gaussian
from seqlang.backends.simulate.laws.derived import Conditioned, Convolved, Either, Tree
from seqlang.backends.simulate.laws.discrete import (
    Bernoulli,
    Binomial,
    DiscreteGaussian,
    Flip,
    Geometric,
    Point,
    Poisson,
    Table,
)
from seqlang.backends.simulate.laws.law import VectorLaw
from seqlang.backends.simulate.laws.multivariate import L2Laplace, UniformBall

FAMILIES: dict[str, Any] = {
    "laplace": Laplace,
    "gaussian": gaussian,
    "geometric": Geometric,
    "discrete_gaussian": DiscreteGaussian,
    "staircase": Staircase,
    "exponential": Exponential,
    "gumbel": Gumbel,
    "bernoulli": Bernoulli,
    "normal": Normal,
    "binomial": Binomial,
    "poisson": Poisson,
    "point": Point,
    "conditioned": Conditioned,
    "convolve": Convolved,
    "tree": Tree,
    "randomized_response": Flip,
    "l2_laplace": L2Laplace,
}

__all__ = ["FAMILIES", "Either", "Flip", "Table", "Tree", "Uniform", "UniformBall", "VectorLaw"]
