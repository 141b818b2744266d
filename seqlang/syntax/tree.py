"""The tree: what stands in the text, before any name is looked up. Every node has its span."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from seqlang.operators.operator import Comparison, Infix, Prefix
from seqlang.record import record
from seqlang.source import Span

# ---- expressions


@record
class Number:
    """`text` is as written; `value` is the exact rational of the decimal."""

    value: Fraction
    text: str
    span: Span


@record
class Truth:
    value: bool
    span: Span


@record
class Name:
    name: str
    span: Span


@record
class Step:
    span: Span


@record
class Unary:
    operator: Prefix
    operand: Expression
    span: Span


@record
class Binary:
    """Arithmetic, comparison, `and`, `or` (both flat chains are nested to the left)."""

    operator: Infix
    left: Expression
    right: Expression
    span: Span


@record
class Range:
    """low..high"""

    low: Expression
    high: Expression
    span: Span


@record
class If:
    test: Expression
    yes: Expression
    no: Expression
    span: Span


@record
class OverSteps:
    span: Span


@record
class OverLast:
    count: Expression
    span: Span


@record
class Since:
    report: Name
    span: Span


TimeRange = OverSteps | OverLast | Since


@record
class ForIn:
    """for variable in domain [where condition]; the domain may be `real ^ d` or `ball(r, d)`."""

    variable: Name
    domain: Expression
    where: Expression | None
    span: Span


@record
class Positional:
    value: Expression
    span: Span


@record
class Keyword:
    """name = value"""

    name: Name
    value: Expression
    span: Span


@record
class OverSet:
    """value for v in S [where C]"""

    value: Expression
    binder: ForIn
    span: Span


@record
class OverTime:
    """value [where C] over steps | over last m | since R"""

    value: Expression
    where: Expression | None
    time: TimeRange
    span: Span


Argument = Positional | Keyword | OverSet | OverTime


@record
class Call:
    function: Expression
    arguments: tuple[Argument, ...]
    span: Span


@record
class Index:
    base: Expression
    at: Expression
    span: Span


@record
class Member:
    """base.name, as in null.pmf"""

    base: Expression
    name: Name
    span: Span


@record
class ListOf:
    """[a, b, ..]"""

    items: tuple[Expression, ...]
    span: Span


@record
class ListFor:
    """[value for v in S]"""

    value: Expression
    binder: ForIn
    span: Span


@record
class SetOf:
    """{a, b, ..}"""

    items: tuple[Expression, ...]
    span: Span


@record
class Weight:
    """value: weight"""

    value: Expression
    weight: Expression
    span: Span


@record
class WeightsOf:
    """{v: w, ..}"""

    weights: tuple[Weight, ...]
    span: Span


@record
class WeightsFor:
    """{v: w for k in S}"""

    weight: Weight
    binder: ForIn
    span: Span


Expression = (
    Number | Truth | Name | Step | Unary | Binary | Range | If | Call | Index | Member | ListOf | ListFor | SetOf
    | WeightsOf | WeightsFor
)  # fmt: skip

# ---- domains


@record
class IntervalDomain:
    low: Expression
    high: Expression
    low_open: bool
    high_open: bool
    span: Span


@record
class FiniteDomain:
    values: tuple[Expression, ...]
    span: Span


@record
class IntegerDomain:
    """low..high; high None = unbounded."""

    low: Expression
    high: Expression | None
    span: Span


@record
class NamedDomain:
    """`real`, or a name that is no domain (an error that elaboration reports)."""

    name: Name
    span: Span


@record
class BallDomain:
    """ball(radius, dimension)"""

    name: Name
    arguments: tuple[Argument, ...]
    span: Span


@record
class PowerDomain:
    """of ^ dimension"""

    of: Domain
    dimension: Expression
    span: Span


Domain = IntervalDomain | FiniteDomain | IntegerDomain | NamedDomain | BallDomain | PowerDomain

# ---- statements


@record
class Text:
    value: str
    span: Span


@record
class Algorithm:
    name: Name
    title: Text | None
    documentation: Text | None
    span: Span


@record
class BoundLimit:
    """param x > E"""

    operator: Comparison
    bound: Expression
    span: Span


@record
class DomainLimit:
    """param x in D"""

    domain: Domain
    span: Span


@record
class Param:
    name: Name
    limit: BoundLimit | DomainLimit | None
    default: Expression
    span: Span


@record
class Let:
    """`parameters` None: a name; a tuple: a function."""

    name: Name
    parameters: tuple[Name, ...] | None
    value: Expression
    span: Span


@record
class FieldDeclaration:
    name: Name
    domain: Domain
    span: Span


@record
class Inputs:
    """stream, dataset or public; `size` for a dataset only."""

    kind: Literal["stream", "dataset", "public"]
    fields: tuple[FieldDeclaration, ...]
    size: Expression | None
    span: Span


@record
class AdjacentReplace:
    count: Expression | None
    span: Span


@record
class AdjacentAddRemove:
    count: Expression | None
    span: Span


@record
class AdjacentWithin:
    extent: Literal["one", "every"]
    of: Expression
    radius: Expression
    norm: Literal["l1", "l2", "linf"] | None
    same_direction: bool
    span: Span


@record
class FieldLaw:
    name: Name
    law: Expression
    span: Span


@record
class ModelDeclaration:
    name: Name
    laws: tuple[FieldLaw, ...]
    span: Span


@record
class MemoryDeclaration:
    name: Name
    initial: Expression
    span: Span


@record
class Update:
    name: Name
    value: Expression
    when: Expression | None
    span: Span


@record
class Statistic:
    name: Name
    value: Expression
    span: Span


@record
class LifeOnce:
    span: Span


@record
class LifeStep:
    span: Span


@record
class LifeReport:
    report: Name
    span: Span


Life = LifeOnce | LifeStep | LifeReport


@record
class Draw:
    name: Name
    law: Expression
    life: Life | None
    span: Span


@record
class Target:
    """A name, or `return` (name None)."""

    name: Name | None
    span: Span


@record
class Attach:
    noise: Expression
    targets: tuple[Target, ...]
    life: Life | None
    span: Span


@record
class Report:
    name: Name
    value: Expression | None
    when: Expression | None
    span: Span


@record
class Stop:
    when: Expression | None
    result: Expression | None
    span: Span


@record
class Claim:
    """strong: `within` steps; weak: `model`, `per_step`; operating: an optional model."""

    kind: Literal["strong", "weak", "operating"]
    body: Expression
    within: Expression | None
    model: Name | None
    per_step: bool
    label: Text | None
    expect: Name | None
    span: Span


Statement = (
    Algorithm | Param | Let | Inputs | AdjacentReplace | AdjacentAddRemove | AdjacentWithin | ModelDeclaration
    | MemoryDeclaration | Update | Statistic | Draw | Attach | Report | Stop | Claim
)  # fmt: skip


@record
class File:
    """One file: its statements in order, the first an `Algorithm` if the text is well formed."""

    statements: tuple[Statement, ...]
    span: Span
