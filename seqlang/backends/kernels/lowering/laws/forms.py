"""Laws while a kernel is written."""

from __future__ import annotations

from typing import TypeAlias

from seqlang.backends.kernels.lowering.values import List, Scalar, Value, scalar
from seqlang.record import record
from seqlang.source import Span

SHORT = 8
"""A table of at most this many values is written out as comparisons."""


@record
class Family:
    """A law of one number (or of independent coordinates, if an argument is a vector) by name."""

    name: str
    arguments: tuple[Value, ...]
    span: Span


@record
class Table:
    """Values with weights, which need not sum to 1."""

    values: List
    weights: List
    constant: bool
    items: int | None
    """How many, where this is known while the kernel is written."""

    def rows(self) -> list[tuple[Scalar, Scalar]] | None:
        """Values and weights, where they are few and known."""
        if self.items is None or self.items > SHORT:
            return None
        places = [str(i) for i in range(self.items)]
        return [(scalar(self.values.at(i), "a value"), scalar(self.weights.at(i), "a weight")) for i in places]


@record
class Either:
    """`first` where the name `test` holds, else `second`."""

    test: str
    first: LawForm
    second: LawForm


@record
class Conditioned:
    """`law` given that the value lies between the bounds."""

    law: LawForm
    low: Scalar
    high: Scalar
    span: Span


@record
class Convolved:
    """The sum of independent values of two laws."""

    first: LawForm
    second: LawForm


@record
class OfVectors:
    """l2_laplace (`dimension` None: as long as the value it is added to) or uniform on a ball."""

    name: str
    scale: Scalar
    dimension: str | None
    span: Span


@record
class PointAt:
    """The law that has one value only."""

    value: Value


@record
class Flip:
    """randomized_response: by how many of `size` places the truth is moved, 0 with probability `truth`."""

    truth: Scalar
    size: int


LawForm: TypeAlias = Family | Table | Either | Conditioned | Convolved | OfVectors | PointAt | Flip


def lengths_of(law: LawForm) -> tuple[str, ...]:
    """The lengths of a draw; () where the law is that of a number, or of as many coordinates as are wanted."""
    match law:
        case Family(arguments=arguments):
            lengths = [a.length for a in arguments if isinstance(a, List)]
            return (lengths[0],) if lengths else ()
        case OfVectors(dimension=d):
            return () if d is None else (d,)
        case PointAt(value):
            return (value.length,) if isinstance(value, List) else ()
        case Either(_, first, second) | Convolved(first, second):
            return lengths_of(first) or lengths_of(second)
        case Conditioned(inner):
            return lengths_of(inner)
        case _:
            return ()


def coordinate(law: LawForm, i: str) -> LawForm:
    """The law of the coordinate `i` (from 0) of a draw."""
    match law:
        case Family(name, arguments, span):
            return Family(name, tuple(a.at(i) if isinstance(a, List) else a for a in arguments), span)
        case Either(test, first, second):
            return Either(test, coordinate(first, i), coordinate(second, i))
        case Convolved(first, second):
            return Convolved(coordinate(first, i), coordinate(second, i))
        case Conditioned(inner, low, high, span):
            return Conditioned(coordinate(inner, i), low, high, span)
        case _:
            return law
