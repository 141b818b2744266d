"""What elaboration knows while it walks through the file, and the scope of one expression."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Literal, NamedTuple

from seqlang.elaborate.constants import Values
from seqlang.elaborate.kinds import ERROR, Kind, Typed
from seqlang.elaborate.names.symbols import Symbol
from seqlang.elaborate.problems import Problems
from seqlang.model.expression import Expression, Term, Variable
from seqlang.model.program import Cell, Input, Level, Memory, Model, Noise, Parameter
from seqlang.record import field, mutable_record, record
from seqlang.source import Span
from seqlang.syntax import tree

Mode = Literal["constant", "plain", "model", "entry", "body", "claim"]
"""Where an expression stands: `constant` (params, lets, initial values), `plain` (the arguments of noise laws, domains:
constants too, but noised names are read plain), `model` (laws of the inputs), `entry` (adjacency: the fields of one
entry), `body` (a step), `claim`."""

LARGEST_STATEMENT = 5_000
DEEPEST_EXPRESSION = 120


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


@mutable_record
class State:
    """Grows while the passes run; nothing outlives one call of `elaborate`."""

    symbols: dict[str, Symbol]
    changing: frozenset[str]
    problems: Problems
    overrides: Mapping[str, Fraction]
    records_are_private: bool = False
    values: Values = field(default_factory=Values)
    defaults: Values = field(default_factory=Values)
    parameters: dict[str, Parameter] = field(default_factory=dict)
    fields: dict[str, Input] = field(default_factory=dict)
    size_of_dataset: Expression | None = None
    memories: dict[str, Memory] = field(default_factory=dict)
    models: dict[str, Model] = field(default_factory=dict)
    inlined: dict[str, Typed] = field(default_factory=dict)
    targets: dict[str, Span] = field(default_factory=dict)
    terms: dict[str, tuple[Term, ...]] = field(default_factory=dict)
    noises: dict[str, Noise] = field(default_factory=dict)
    kinds: dict[str, Kind] = field(default_factory=dict)
    levels: dict[str, Level] = field(default_factory=dict)
    conditions: dict[str, frozenset[Expression]] = field(default_factory=dict)
    cells: dict[object, str] = field(default_factory=dict)
    cell_levels: dict[str, Level] = field(default_factory=dict)
    cell_kinds: dict[str, Kind] = field(default_factory=dict)
    cell_counts: dict[str, int] = field(default_factory=dict)
    settled: dict[Expression, Variable] = field(default_factory=dict)
    variables: int = 0
    bases: dict[str, Expression] = field(default_factory=dict)
    results: list[tuple[Kind, Span]] = field(default_factory=list)
    queue: list[Cell] = field(default_factory=list)
    defining: str | None = None
    updated: set[str] = field(default_factory=set)
    defined: set[str] = field(default_factory=set)
    facts_matter: bool = False
    readings: list[Reading] = field(default_factory=list)
    label_spans: dict[str, list[Span]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    called: set[str] = field(default_factory=set)
    checked_laws: set[Span] = field(default_factory=set)
    size: int = 0
    depth: int = 0


def fresh_variable(state: State, letter: str, domain: Expression | None) -> Variable:
    """A variable that no other binder of the program has."""
    state.variables += 1
    return Variable(state.variables, letter, domain)


Handler = Callable[[State, Scope, Any], Typed]
HANDLERS: dict[type, Handler] = {}
"""How each kind of tree node is translated; the modules beside this one enter theirs on import."""


def translate(state: State, scope: Scope, node: tree.Expression) -> Typed:
    """The typed expression of a tree; problems are recorded, and `ERROR` stands where there was one."""
    state.size += 1
    if state.size > LARGEST_STATEMENT or state.depth > DEEPEST_EXPRESSION:
        state.problems.add(
            "E0309",
            "this expression is too large"
            if state.size > LARGEST_STATEMENT
            else "this expression is nested too deeply",
            node.span,
            help="name its parts with `statistic`",
        )
        return ERROR
    before = state.size
    state.depth += 1
    expression, kind, _ = HANDLERS[type(node)](state, scope, node)
    state.depth -= 1
    return Typed(expression, kind, state.size - before + 1)
