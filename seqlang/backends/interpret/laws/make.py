"""From a law's family and the values of its arguments to the law."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from seqlang.backends.interpret.laws.derived import Conditioned, Convolved, SumOf, Tree
from seqlang.backends.interpret.laws.law import LawValue
from seqlang.backends.interpret.laws.listed import Flip, Point, Table
from seqlang.backends.interpret.laws.multivariate import Independent, L2Laplace, Subsample, UniformBall
from seqlang.backends.interpret.laws.of_family import OfFamily
from seqlang.backends.interpret.values import BallSet, EvaluationError, Value, as_index, is_vector
from seqlang.laws.law import Law, law
from seqlang.source import Span

OTHER: dict[str, Callable[..., Any]] = {
    "point": Point,
    "conditioned": Conditioned,
    "convolve": Convolved,
    "sample": Subsample,
    "sum_of": SumOf,
    "tree": Tree,
    "randomized_response": Flip,
}
"""Laws that are made from laws, sets or values of any kind."""


def make_law(family: str, arguments: tuple[Value, ...], span: Span) -> LawValue:
    """The law `family(arguments)`. Raises EvaluationError for arguments that are no parameters of it."""
    try:
        if family == "uniform":
            return _uniform(arguments)
        if family == "l2_laplace":
            return L2Laplace(arguments[0], as_index(arguments[1]) if len(arguments) > 1 else None)
        if family in OTHER:
            made: LawValue = OTHER[family](*arguments)
            return made
        return _coordinatewise(law(family), arguments)
    except EvaluationError as error:
        if error.diagnostics[0].primary is not None:
            raise
        raise EvaluationError(error.diagnostics[0].message, span) from None


def _coordinatewise(law: Law, arguments: tuple[Value, ...]) -> LawValue:
    """A vector among the arguments makes a vector of independent coordinates."""
    lengths = {len(a) for a in arguments if is_vector(a)}
    if not lengths:
        return OfFamily(law, arguments)
    if len(lengths) > 1:
        raise EvaluationError("the vectors among a law's arguments have different lengths")
    size = lengths.pop()
    columns = [a if is_vector(a) else (a,) * size for a in arguments]
    return Independent(tuple(_coordinatewise(law, tuple(c[i] for c in columns)) for i in range(size)))


def _uniform(arguments: tuple[Value, ...]) -> LawValue:
    if len(arguments) == 2:
        return _coordinatewise(law("uniform"), arguments)
    domain = arguments[0]
    if isinstance(domain, BallSet):
        if domain.radius is None:
            raise EvaluationError("there is no uniform law on an unbounded set")
        return UniformBall(domain.dimension, domain.radius)
    if not is_vector(domain) or not len(domain):
        raise EvaluationError("uniform needs a set with at least one value")
    return Table(tuple((v, 1) for v in dict.fromkeys(domain)), "uniform")
