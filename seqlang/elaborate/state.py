"""What elaboration knows while it walks through the file, and the scope of one expression."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Literal, NamedTuple

from seqlang.elaborate.names.symbols import Symbol
from seqlang.elaborate.problems import Problems
from seqlang.elaborate.typed import ERROR, Typed
from seqlang.model.constants import Values
from seqlang.model.expression import Expression, Term, Variable
from seqlang.model.kinds import Kind
from seqlang.model.program import Cell, Input, Level, Memory, Model, Noise, Parameter
from seqlang.record import field, mutable_record, record
from seqlang.source import Span
from seqlang.syntax import tree

Mode = Literal["constant", "plain", "model", "entry", "body", "claim"]
"""Where an expression stands: `constant` (params, lets, initial values), `plain` (the arguments of noise laws, domains:
constants too, but noised names are read plain), `model` (laws of the inputs), `entry` (adjacency: the fields of one
entry), `body` (a step), `claim`."""

LARGEST_STATEMENT = 5_000
"""Nodes of one statement with its functions inlined: functions that call functions could fill the memory."""
DEEPEST_EXPRESSION = 120
"""Levels of nesting: passes walk expressions by recursion, several calls a level, and Python allows a thousand."""


class Binder(NamedTuple):
    """A variable bound by `for`; `fixed`: its domain is a constant set."""

    variable: Variable
    domain: Expression
    fixed: bool


class Reading(NamedTuple):
    """A name above public that the current statement reads, for the message when it must not."""

    name: str
    span: Span
    level: Level
    noised: bool


@record
class Scope:
    """What an expression may read, and what its names mean."""

    mode: Mode
    position: int
    bindings: Mapping[str, Typed] = field(default_factory=dict)
    binders: tuple[Binder, ...] = ()
    known: frozenset[Expression] = frozenset()
    labels: bool = False
    lookback: bool = False
    own: str | None = None
    calls: tuple[str, ...] = ()


@record
class Given:
    """What is known of the file before the first pass: the names that it declares, which of them change from step to
    step, and the values that the user gives to parameters. `facts_matter`: some report has a value and a condition, so
    what the condition says of the value is kept."""

    symbols: Mapping[str, Symbol]
    changing: frozenset[str]
    overrides: Mapping[str, Fraction]
    records_are_private: bool = False
    facts_matter: bool = False


@mutable_record
class Declared:
    """What the declarations say: parameters and constants with their values, also those that hold without the user's
    overrides (`defaults`); the fields of an input, how many entries a dataset has, and the models."""

    values: Values = field(default_factory=Values)
    defaults: Values = field(default_factory=Values)
    parameters: dict[str, Parameter] = field(default_factory=dict)
    fields: dict[str, Input] = field(default_factory=dict)
    size: Expression | None = None
    models: dict[str, Model] = field(default_factory=dict)


@mutable_record
class Names:
    """What is known of a name once its declaration is translated: its kind and level, under which condition a report
    has a value, what it stands for if it is inlined, and the value of a report before noise is added."""

    kinds: dict[str, Kind] = field(default_factory=dict)
    levels: dict[str, Level] = field(default_factory=dict)
    conditions: dict[str, frozenset[Expression]] = field(default_factory=dict)
    inlined: dict[str, Typed] = field(default_factory=dict)
    bases: dict[str, Expression] = field(default_factory=dict)


@mutable_record
class Attached:
    """Which names carry noise, the sum of noises that each of them carries, and the draws with constant laws."""

    targets: dict[str, Span] = field(default_factory=dict)
    terms: dict[str, tuple[Term, ...]] = field(default_factory=dict)
    draws: dict[str, Noise] = field(default_factory=dict)


@mutable_record
class Cells:
    """The cells made so far. `names` finds the cell of an equal accumulator, `counts` numbers the names of each
    operator, and `queue` holds the cells that have no place in the step yet."""

    names: dict[object, str] = field(default_factory=dict)
    levels: dict[str, Level] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    queue: list[Cell] = field(default_factory=list)


@mutable_record
class BoundVariables:
    """How many variables binders have taken, and the variable of each bound expression by its canonical form."""

    count: int = 0
    by_form: dict[Expression, Variable] = field(default_factory=dict)


@mutable_record
class Step:
    """What the statements translated so far declare, update and define, and what the run returns."""

    memories: dict[str, Memory] = field(default_factory=dict)
    updated: set[str] = field(default_factory=set)
    defined: set[str] = field(default_factory=set)
    results: list[tuple[Kind, Span]] = field(default_factory=list)


@mutable_record
class Usage:
    """Names that are read, functions that are called, and where each label is returned."""

    used: set[str] = field(default_factory=set)
    called: set[str] = field(default_factory=set)
    labels: dict[str, list[Span]] = field(default_factory=dict)


@mutable_record
class Current:
    """The statement that is being translated: its size, how deep the expression at hand lies in it, what it reads above
    public, and the name that it defines."""

    size: int = 0
    depth: int = 0
    readings: list[Reading] = field(default_factory=list)
    defining: str | None = None


@mutable_record
class State:
    """What the passes of one call of `elaborate` have found out, in one record for each subject. Only `given` is fixed;
    `current` is made anew for each statement."""

    given: Given
    problems: Problems
    declared: Declared = field(default_factory=Declared)
    names: Names = field(default_factory=Names)
    noise: Attached = field(default_factory=Attached)
    cells: Cells = field(default_factory=Cells)
    bound: BoundVariables = field(default_factory=BoundVariables)
    step: Step = field(default_factory=Step)
    usage: Usage = field(default_factory=Usage)
    current: Current = field(default_factory=Current)


def fresh_variable(state: State, letter: str, domain: Expression | None) -> Variable:
    """A variable that no other binder of the program has."""
    state.bound.count += 1
    return Variable(state.bound.count, letter, domain)


Handler = Callable[[State, Scope, Any], Typed]
HANDLERS: dict[type, Handler] = {}
"""How each kind of tree node is translated; the modules beside this one enter theirs on import."""


def translate(state: State, scope: Scope, node: tree.Expression) -> Typed:
    """The typed expression of a tree; problems are recorded, and `ERROR` stands where there was one."""
    current = state.current
    current.size += 1
    if current.size > LARGEST_STATEMENT or current.depth > DEEPEST_EXPRESSION:
        state.problems.add(
            "E0309",
            "this expression is too large"
            if current.size > LARGEST_STATEMENT
            else "this expression is nested too deeply",
            node.span,
            help="name its parts with `statistic`",
        )
        return ERROR
    before = current.size
    current.depth += 1
    expression, kind, _ = HANDLERS[type(node)](state, scope, node)
    current.depth -= 1
    return Typed(expression, kind, current.size - before + 1)
