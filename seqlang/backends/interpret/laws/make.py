"""From a law's family and the values of its arguments to the law."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from seqlang.backends.interpret.laws.continuous import (
    Exponential,
    Gaussian,
    Gumbel,
    Laplace,
    Normal,
    Staircase,
    Uniform,
)
from seqlang.backends.interpret.laws.derived import Conditioned, Convolved, Tree
from seqlang.backends.interpret.laws.discrete import (
    Bernoulli,
    Binomial,
    DiscreteGaussian,
    Flip,
    Geometric,
    Point,
    Poisson,
    Table,
)
from seqlang.backends.interpret.laws.law import LawValue
from seqlang.backends.interpret.laws.multivariate import Independent, L2Laplace, Subsample, UniformBall
from seqlang.backends.interpret.values import BallSet, EvaluationError, Value, as_index, is_vector
from seqlang.source import Span

COORDINATEWISE: dict[str, Callable[..., LawValue]] = {
    "laplace": Laplace,
    "gaussian": Gaussian,
    "geometric": Geometric,
    "discrete_gaussian": DiscreteGaussian,
    "staircase": Staircase,
    "exponential": Exponential,
    "gumbel": Gumbel,
    "bernoulli": Bernoulli,
    "normal": Normal,
    "binomial": Binomial,
    "poisson": Poisson,
}
"""Laws of one number. A vector among the arguments makes a vector of independent coordinates."""

OTHER: dict[str, Callable[..., Any]] = {
    "point": Point,
    "conditioned": Conditioned,
    "convolve": Convolved,
    "sample": Subsample,
    "tree": Tree,
    "randomized_response": Flip,
}


def make_law(family: str, arguments: tuple[Value, ...], span: Span) -> LawValue:
    """The law `family(arguments)`. Raises EvaluationError for arguments that are no parameters of it."""
    try:
        if family == "uniform":
            return _uniform(arguments)
        if family == "l2_laplace":
            return L2Laplace(arguments[0], as_index(arguments[1]) if len(arguments) > 1 else None)
        if family in COORDINATEWISE:
            return _coordinatewise(COORDINATEWISE[family], arguments)
        law: LawValue = OTHER[family](*arguments)
        return law
    except EvaluationError as error:
        if error.diagnostics[0].primary is not None:
            raise
        raise EvaluationError(error.diagnostics[0].message, span) from None


def _coordinatewise(law: Callable[..., LawValue], arguments: tuple[Value, ...]) -> LawValue:
    lengths = {len(a) for a in arguments if is_vector(a)}
    if not lengths:
        return law(*arguments)
    if len(lengths) > 1:
        raise EvaluationError("the vectors among a law's arguments have different lengths")
    size = lengths.pop()
    columns = [a if is_vector(a) else (a,) * size for a in arguments]
    return Independent(tuple(_coordinatewise(law, tuple(c[i] for c in columns)) for i in range(size)))


def _uniform(arguments: tuple[Value, ...]) -> LawValue:
    if len(arguments) == 2:
        return _coordinatewise(Uniform, arguments)
    domain = arguments[0]
    if isinstance(domain, BallSet):
        if domain.radius is None:
            raise EvaluationError("there is no uniform law on an unbounded set")
        return UniformBall(domain.dimension, domain.radius)
    if not is_vector(domain) or not len(domain):
        raise EvaluationError("uniform needs a set with at least one value")
    return Table(tuple((v, 1) for v in dict.fromkeys(domain)), "uniform")
