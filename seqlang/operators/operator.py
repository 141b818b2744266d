"""What one entry of the catalogue says of an operator or a function.

An entry has two parts that never meet: `numeric`, the numbers that runs compute, which proofs do not read, and
`analytic`, the facts that proofs use, which no engine reads. `tests/operators` compares both with mpmath.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Literal

from seqlang.record import record

Group = Literal["arithmetic", "comparison", "logic", "function", "fold", "range"]
"""How it is written: `a + b`, `a < b`, `a and b`, `f(a)`, `f(v)` or `f(.. over steps)`, `a..b`."""
Comparison = Literal[">=", "<=", "==", "!=", ">", "<"]
Connective = Literal["and", "or"]
Infix = Literal["+", "-", "*", "/", "%", "^"] | Comparison | Connective
"""What stands between its two arguments."""
Prefix = Literal["-", "not"]
"""What stands before its argument."""
Fold = Literal["sum", "mean", "count", "max", "min", "argmax", "argmin"]
ArgumentKind = Literal["number", "vector", "truth", "collection", "ball"]
Arguments = tuple[tuple[str, ArgumentKind], ...]
Result = Literal["pointwise", "number", "truth", "vector", "fold", "set"]
"""`pointwise`: of numbers a number, of vectors a vector, coordinate by coordinate. `fold`: of one vector the sum, mean
or extreme of its elements, which may be vectors; of several numbers a number."""
Engine = Literal["constants", "proofs", "interpreter", "numpy", "compiled", "transcript"]
Build = Callable[..., Any]
"""`build(name, x, ..)` makes the formula of that function of formulas; + - * / work on formulas directly."""


class NoValue(Exception):
    """A constant has no value: `reason` completes "it has no value: ..."."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


class Rounded(Fraction):
    """A float as a fraction, in place of a number that is not known to be rational."""

    __slots__ = ()


@record
class Numeric:
    """How a number is computed, in four forms. None: the engines have code of their own (vectors, folds)."""

    exact: Callable[..., Any]
    """Of Fractions: the exact value where that is known to be rational, else a float as `Rounded`. Raises NoValue."""
    scalar: Callable[..., Any]
    """Of Python numbers, with the arithmetic of IEEE: infinite or not a number where there is no value."""
    array: Callable[[Any], Callable[..., Any]]
    """Given the module numpy, the same function of arrays."""
    kernel: str
    """The same as an expression of the compiled engine, with `{}` for each argument."""
    stays_finite: bool = False
    """Finite arguments have a finite value, unless that is too large for a float."""
    costly: bool = False
    """Takes longer than looking its value up in a table."""
    slopes: Callable[..., list[Any]] | None = None
    """slopes(g, value, x, ..): g times the partial derivative by each argument, of arrays; None where it is not known.
    At a kink, that of one side."""
    spreads_rounding: bool = False
    """The rounding of the argument alone may be large beside the value: log(1 + 1e-16) is 0."""


@record
class Real:
    """A function of one real number, as proofs know it. Every field is a claim that holds on the whole domain."""

    formula: Callable[[Build, Any], Any]
    """formula(build, x): the value at the formula x."""
    monotone: Literal[1, 0, -1] = 0
    """1: it never falls, -1: it never rises, 0: neither is known."""
    above: Fraction | None = None
    """It is defined for x > above; None: for all x."""
    closed: bool = False
    """It is defined at `above`, too."""
    least: Fraction | None = None
    """No value is below this."""
    most: Fraction | None = None
    """No value is above this."""
    whole: bool = False
    """All values are whole numbers."""
    slope: Real | None = None
    """The derivative, defined wherever the function is except perhaps at `above` or at a kink; None: it jumps."""
    unbounded: str = ""
    """What a reader is told where no bound of the value is known."""


Multiples = Literal["whole", "chosen", "common", "product", "by a constant", "power", "mean", "unknown"]
"""What the value is, if the arguments are multiples of 1/D1, 1/D2, ..: `whole`: a whole number, whatever they are.
`chosen`: one of them, or the negative of one. `common`: a multiple of 1/lcm(D1, D2, ..). `product`: of 1/(D1 D2). `by a
constant`: of 1/(D1 |n|), n the numerator of a constant second argument. `power`: of 1/D1^k, k a constant second
argument, whole and >= 0. `mean`: of 1/(D1 n), n the number of elements. `unknown`: nothing is known."""


@record
class Operator:
    """An entry. All that is asked of an operator anywhere is a field of it."""

    name: str
    group: Group
    result: Result
    about: str
    """One sentence for the reader of the manual: what it is of its arguments."""
    arguments: Arguments | None
    """Names and kinds; None: any number of arguments (the folds)."""
    rational: bool
    """Of rational numbers a rational number."""
    jumps: bool
    """It is not continuous: rounding of an argument may change the value by much."""
    partial: tuple[int, ...]
    """The places of the arguments that decide whether it has a value; none: it has one for all arguments of these
    kinds. Of a fold: a fold of nothing has no value."""
    multiples: Multiples
    directions: tuple[Literal[1, -1], ...]
    """For each argument 1 if the value never falls in it, -1 if it never rises, True being above False. With any number
    of arguments, one for all. None given: it is known of `analytic`, or not at all."""
    numeric: Numeric | None = None
    analytic: Real | None = None
    written: Callable[[Build, Any], Any] | None = None
    """written(apply, x): the same in other operators; elaboration writes that instead, and nothing else knows it."""
    holes: Mapping[Engine, str] = {}
    """Engines that refuse it, each with the reason."""
