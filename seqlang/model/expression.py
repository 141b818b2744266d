"""Expressions of the typed model. Names are resolved, lets and functions inlined, accumulators hoisted into cells.

Every expression is a frozen value; spans do not take part in equality, so two readings of the same thing are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, Literal, TypeGuard, get_args

from seqlang.operators.catalogue import OPERATORS as CATALOGUE
from seqlang.operators.catalogue import in_group
from seqlang.operators.operator import Fold
from seqlang.record import field, field_names, record
from seqlang.source import NOWHERE, Span


@record
class Number:
    """An exact constant: decimals in the text are exact rationals (0.1 is 1/10)."""

    value: Fraction


@record
class Truth:
    value: bool


@record
class Label:
    """A bare name that stands for itself: `return reject`."""

    name: str


@record
class ParameterValue:
    """A public constant, kept by name so that bounds come out as formulas."""

    name: str


@record
class StepNumber:
    """The current step: 1, 2, ..."""


@record
class Field:
    """An input: this step's entry of a stream or public field, or all records of a dataset field (a vector)."""

    name: str


@record
class Records:
    """The index set 1..N of the dataset."""


@record
class Local:
    """The plain value, in this step, of a `Define` (a statistic, or a let that changes from step to step)."""

    name: str


@record
class CellValue:
    """The value of a cell; for a cell with `binders` the element at the values `at`, one for each binder."""

    name: str
    at: tuple[Expression, ...] = ()


@record
class MemoryValue:
    """Public memory, read above its update in the step (the value that the step began with) or below it (`updated`)."""

    name: str
    updated: bool = False


@record
class Reported:
    """What a report put into the transcript in this step: True/False for an event, the (noisy) value for a value."""

    name: str


@record
class Drawn:
    """The current value of a draw: of a `Noise` (constant law) or of a `Draw` statement (law that depends on state)."""

    name: str


@record
class ReleasedValue:
    """In what is done to a released value before it is seen (`ReleaseGate.post`): the noisy value itself."""


@record
class Term:
    """`factor` times the noise of that name; the factor is public."""

    noise: str
    factor: Expression


@record
class Noised:
    """A reading of a noised name: `base` (its plain value) plus the terms.

    A term whose noise has a flipping law (`randomized_response`) replaces the value instead of adding to it; a `tree`
    law adds the noises of the nodes that cover steps 1..step. For a vector base the noise has independent coordinates.
    """

    name: str
    base: Expression
    terms: tuple[Term, ...]


@record
class Variable:
    """What a `Quantified`, a `WeightsOf` or a binder of a cell binds.

    `number` is its identity: two binders of a program have different numbers, unless they stand for the same
    expression up to the choice of letters. `letter` is what the user wrote, for printing only; every value of the
    variable lies in `domain` (None: no set, a placeholder of a rule).
    """

    number: int
    letter: str = field(compare=False)
    domain: Expression | None = field(default=None, compare=False)


@record
class Bound:
    """The value of a variable, inside of its binder."""

    variable: Variable


@record
class Apply:
    """A function or operator on values. `operator` is one of OPERATORS; comparison and logic give truth values."""

    operator: str
    arguments: tuple[Expression, ...]
    span: Span = field(default=NOWHERE, compare=False)


@record
class Choice:
    """if test then yes else no."""

    test: Expression
    yes: Expression
    no: Expression


@record
class Index:
    """base[at], counted from 1."""

    base: Expression
    at: Expression
    span: Span = field(default=NOWHERE, compare=False)


@record
class Sequence:
    """[a, b, ..] (a vector or list) or {a, b, ..} (a set)."""

    kind: Literal["list", "set"]
    items: tuple[Expression, ...]


@record
class Quantified:
    """OP(body for variable in domain where condition); OP `list` and `set` collect, the others fold.

    `domain` is a set, list, range (`Apply("..", (a, b))`), `Records`, or the continuous `RealVectors`. argmax and
    argmin give the element of the domain, not its position.
    """

    operator: Literal["list", "set"] | Fold
    body: Expression
    variable: Variable
    domain: Expression
    where: Expression | None = None
    span: Span = field(default=NOWHERE, compare=False)


@record
class RealVectors:
    """real ^ d, or ball(r, d) when `radius` is given: a domain for `argmin(.. for v in ..)` and for `uniform`."""

    dimension: Expression
    radius: Expression | None = None


# ---- laws are expressions too: they may be chosen by `if`, depend on fields, be passed to functions


@record
class Law:
    """A law by family and arguments: `seqlang/laws/families/FAMILY.py` says which, and what they mean. `uniform` has
    two ends, or one set or ball; `tree`, `conditioned`, `convolve` and `sum_of` take laws; `staircase` always has its
    third argument."""

    family: str
    arguments: tuple[Expression, ...]
    span: Span = field(default=NOWHERE, compare=False)


@record
class Weights:
    """{v: w, ..}: the law with these weights, normalised."""

    pairs: tuple[tuple[Expression, Expression], ...]


@record
class WeightsOf:
    """{value: weight for variable in domain}."""

    value: Expression
    weight: Expression
    variable: Variable
    domain: Expression
    where: Expression | None = None


@record
class Density:
    """law.pmf(at), law.pdf(at), law.cdf(at); `model` is the name of the model used as a formula, if it was one."""

    method: Literal["pmf", "pdf", "cdf"]
    law: Expression
    at: Expression
    model: str | None = None


Expression = (
    Number
    | Truth
    | Label
    | ParameterValue
    | StepNumber
    | Field
    | Records
    | Local
    | CellValue
    | MemoryValue
    | Reported
    | Drawn
    | Noised
    | ReleasedValue
    | Bound
    | Apply
    | Choice
    | Index
    | Sequence
    | Quantified
    | RealVectors
    | Law
    | Weights
    | WeightsOf
    | Density
)

COMPARISONS = in_group("comparison")
LOGIC = in_group("logic")
OPERATORS = frozenset(name for name, entry in CATALOGUE.items() if entry.written is None)
"""With one vector argument max, min, sum, mean, count, argmax, argmin run over its elements (argmax: position from 1);
max and min take two or more numbers as well. `project(v, ball)` has the radius as its second argument here."""


_NODES = frozenset(get_args(Expression))
_FIELDS = {node: field_names(node) for node in (*_NODES, Term)}  # looked up once: walks are hot


def is_expression(value: object) -> TypeGuard[Expression]:
    """Whether a part of a record is an expression."""
    return type(value) in _NODES


def children(expression: Expression) -> Iterator[Expression]:
    """The direct sub-expressions, in order."""
    for name in _FIELDS[type(expression)]:
        value = getattr(expression, name)
        if type(value) in _NODES:
            yield value
        elif type(value) is tuple:
            yield from _expressions_in(value)


def _expressions_in(items: tuple[Any, ...]) -> Iterator[Expression]:
    for item in items:
        if type(item) in _NODES:
            yield item
        elif type(item) is tuple:
            yield from _expressions_in(item)
        elif isinstance(item, Term):
            yield item.factor


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and everything in it, outermost first."""
    waiting = [expression]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(tuple(children(node))))


def rebuild(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """A copy in which `change(child)` replaces every direct child."""

    def mapped(value: Any) -> object:
        if type(value) in _NODES:
            return change(value)
        if type(value) is tuple:
            return tuple(mapped(item) for item in value)
        if isinstance(value, Term):
            return Term(value.noise, change(value.factor))
        return value

    parts: Any = (mapped(getattr(expression, name)) for name in _FIELDS[type(expression)])
    return type(expression)(*parts)
