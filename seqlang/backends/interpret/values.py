"""What expressions evaluate to in one run.

A value is a float, int or bool; a str (a label); a tuple (a vector or list; of tuples: a list of vectors); a `range`;
a `Members` (a set, in the order written, so that ties are broken the same way in every run); or a law
(`seqlang.backends.interpret.laws`). Elaboration has checked the types, so `Value` is `Any` here.

Arithmetic is that of IEEE numbers (1/0 is infinite, log 0 is minus infinity), except that a result that is not a number
is an error: it would make every later comparison false without a word.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from numbers import Rational
from typing import Any, TypeAlias

from seqlang.diagnostics import Diagnostic, Label, SpecError
from seqlang.laws.weights import TOO_RARE, TOO_SMALL
from seqlang.source import NOWHERE, Span

Value: TypeAlias = Any


class EvaluationError(SpecError):
    """An expression has no value (0/0, an index outside the list, a sample outside its domain)."""

    def __init__(self, message: str, span: Span = NOWHERE, notes: tuple[str, ...] = (), code: str = "E0620") -> None:
        label = None if span == NOWHERE else Label(span)
        super().__init__((Diagnostic(code, message, label, notes=notes),))

    def noting(self, note: str) -> EvaluationError:
        """The same error with one more note (which step, which run)."""
        found = self.diagnostics[0]
        span = NOWHERE if found.primary is None else found.primary.span
        return type(self)(found.message, span, (*found.notes, note), found.code)


class OutOfReach(EvaluationError):
    """An expression has a value, which is beyond the numbers of the machine, or which these do not tell."""


UNDECIDED = (
    "this is not decided: two numbers that are computed may be equal; round them, or move the threshold a little"
)

FOR_OTHERS = "numbers that are so near to each other that exact arithmetic has to tell them apart"
"""The interpreter has it."""
UNKNOWN = "a number that floats do not know well decides a chance or a result"
OUT_OF_STEPS = "beyond this step the numbers of the program are too large to be told exactly: use whole numbers"


OUT_OF_REACH = (UNDECIDED, FOR_OTHERS, UNKNOWN, OUT_OF_STEPS, TOO_SMALL, TOO_RARE)
"""What an error says of a number whose value is not known (`OutOfReach`), and not that it has none."""


def not_a_number(what: str, span: Span, step: int, run: int) -> EvaluationError:
    """The error for a value of a run that is none, or that exact arithmetic does not tell."""
    place = (f"in step {step} of run {run}",)
    if what in OUT_OF_REACH:
        return OutOfReach(what, span, place)
    message = f"{what} is not a number (0/0, or the logarithm or root of a negative?)"
    return EvaluationError(message, span, place)


class Members(tuple[Any, ...]):
    """A finite set: every value once, in the order written."""

    __slots__ = ()

    def __new__(cls, values: Iterable[Value]) -> Members:
        return super().__new__(cls, dict.fromkeys(values))


class BallSet:
    """The vectors of `dimension` coordinates with l2 norm at most `radius` (None: all of them)."""

    __slots__ = ("dimension", "radius")

    def __init__(self, dimension: int, radius: float | None) -> None:
        self.dimension = dimension
        self.radius = radius


def is_vector(value: Value) -> bool:
    return isinstance(value, (tuple, range))


def is_flat(vector: Sequence[Value]) -> bool:
    """Whether the coordinates are numbers: all of them are, or none."""
    return not vector or not isinstance(vector[0], (tuple, range))


def shape_of(value: Value) -> tuple[int, ...]:
    """() for a scalar, (d,) for a vector, (k, d) for k vectors of d coordinates each."""
    if not isinstance(value, (tuple, range)):
        return ()
    return (len(value), *(shape_of(value[0]) if len(value) else ()))


def filled(shape: tuple[int, ...], make: Callable[[], Value]) -> Value:
    """A value of that shape whose entries are `make()`, called in order."""
    if not shape:
        return make()
    return tuple(filled(shape[1:], make) for _ in range(shape[0]))


def pairwise(f: Callable[[Value, Value], Value], a: Value, b: Value, span: Span = NOWHERE) -> Value:
    """f on scalars; coordinate by coordinate on vectors; a scalar meets every coordinate of a vector."""
    if isinstance(a, (tuple, range)):
        if isinstance(b, (tuple, range)):
            if len(a) != len(b):
                raise EvaluationError(f"vectors of {len(a)} and of {len(b)} coordinates do not fit", span)
            if is_flat(a) and is_flat(b):
                try:
                    return tuple(map(f, a, b))
                except TypeError:  # bounds of errors hold 0 beside vectors
                    pass
            return tuple(pairwise(f, x, y, span) for x, y in zip(a, b, strict=True))
        return tuple(pairwise(f, x, b, span) for x in a)
    if isinstance(b, (tuple, range)):
        return tuple(pairwise(f, a, y, span) for y in b)
    return f(a, b)


def each(f: Callable[[Value], Value], a: Value) -> Value:
    """f on a scalar, or on every coordinate of a vector."""
    if isinstance(a, (tuple, range)):
        return tuple(each(f, x) for x in a)
    return f(a)


def numbers_in(value: Value) -> Iterator[float]:
    """All coordinates, in order; a scalar is its own only one."""
    if isinstance(value, (tuple, range)):
        for item in value:
            yield from numbers_in(item)
    else:
        yield value


def as_index(value: Value, span: Span = NOWHERE) -> int:
    """A whole number as int (2.0 is 2, and whole numbers of other libraries count); an error for anything else."""
    if isinstance(value, float) and math.isfinite(value) and value == int(value):
        return int(value)
    if not isinstance(value, bool) and isinstance(value, Rational) and value.denominator == 1:
        return int(value.numerator)
    raise EvaluationError(f"a whole number is needed here, this is {describe(value)}", span)


def describe(value: Value) -> str:
    """A short text for messages: `0.25`, `true`, `[1, 2, 3]`, `reject`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return f"{value:.10g}"
    if isinstance(value, Members):
        return "{" + ", ".join(describe(v) for v in value) + "}"
    if isinstance(value, (tuple, range)):
        shown = [describe(v) for v in value[:6]]
        return "[" + ", ".join([*shown, ".."] if len(value) > 6 else shown) + "]"
    return str(value)
