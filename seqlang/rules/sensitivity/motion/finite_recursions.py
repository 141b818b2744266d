"""Recursions with few states: all pairs of states that neighbouring streams reach, gone through.

A state is what the cells hold that look one step back, `previous(v, c)`; the next one is a function of the state, the
step's entry and the step. Let `same` be the states of any stream, and `apart` the pairs of states of two neighbouring
streams after the changed entry. In each step a state in `same` goes to its successors, and to the pairs of successors
under two neighbouring entries; a pair in `apart` goes to the pairs of successors under one entry (where every entry may
move: under two neighbouring ones). So, by induction over the steps, every pair of neighbours is met, and the largest
difference of a value on pairs that are met is how far it moves. All numbers are exact, and no test may depend on one
that runs round (`facts/exact_doubles`); where the states are not closed under the step, those of the steps up to the
last one are gone through.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import ceil

from seqlang.arithmetic.enclosure import exact_value
from seqlang.arithmetic.formula import Formula, number, root
from seqlang.model.binding import replaced
from seqlang.model.expression import (
    Apply,
    Bound,
    CellValue,
    Expression,
    Field,
    Label,
    Number,
    ParameterValue,
    StepNumber,
    Truth,
    Variable,
)
from seqlang.model.gate_source import OfStop
from seqlang.model.junctions import disjuncts
from seqlang.model.program import Previous, PublicGate
from seqlang.rules.sensitivity.facts.evaluate import Assignment, evaluate, evaluate_number
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.facts.finite import domain_values
from seqlang.rules.sensitivity.facts.remembered import remembered
from seqlang.rules.sensitivity.facts.shapes import is_vector
from seqlang.rules.sensitivity.facts.value import Value
from seqlang.rules.sensitivity.motion.entry import Entry, Norms
from seqlang.rules.sensitivity.motion.motion import Motion
from seqlang.rules.sensitivity.motion.neighbours import Neighbours
from seqlang.rules.sensitivity.motion.spreads import too_far

MOST_ENTRIES = 16
MOST_EVALUATIONS = 6000
MOST_PAIRS = 40_000

SLACK = Fraction(1, 1 << 20)
"""What doubles may lose on the way to a constant, relatively."""

State = tuple[Value, ...]
Row = tuple[Fraction, ...]
FIRST = -2_000_000
"""Numbers of the variables that stand for states: no binder of a program has such a number."""


Place = tuple[State, int, int]
"""A state, the number of the entry that comes next, and the step."""


class _NotFinite(Exception):
    """It has too many states, or a value that is not known exactly."""


def finite_motion(entry: Entry, expression: Expression) -> Motion | None:
    """The motion of an expression of recursions with few states, this step's entry and the step; None if it reads
    anything else, or has more states than are gone through."""
    if entry.fixed or entry.near.resized or not (entry.near.every or entry.near.single):
        return None
    return _finite_motion(entry.facts.from_start, entry.near, expression)


@remembered
def _finite_motion(facts: Facts, near: Neighbours, expression: Expression) -> Motion | None:
    cells = _cells_read(facts, expression)
    walk = _walk(facts, near, cells) if cells else None
    if walk is None:
        return None
    try:
        moves = walk.moves(expression)
    except _NotFinite:
        return None
    norms = _norms(moves)
    assert norms.linf is not None
    return Motion("arbitrary", norms.linf, norms if is_vector(facts, expression) else None)


@remembered
def _walk(facts: Facts, near: Neighbours, cells: tuple[str, ...]) -> _Walk | None:
    try:
        return _Walk(Entry(facts, near), cells)
    except _NotFinite:
        return None


def _cells_read(facts: Facts, expression: Expression) -> tuple[str, ...]:
    """The cells that look one step back, if nothing else is read but entries, the step and constants; else none."""
    names: dict[str, None] = {}
    for leaf in facts.leaves(expression):
        match leaf:
            case CellValue(name, ()) if name in facts.cells:
                cell = facts.cells[name]
                if not isinstance(cell.keep, Previous) or cell.binders or cell.where is not None:
                    return ()
                names[name] = None
            case Field(name) if name in facts.inputs and facts.inputs[name].kind != "dataset":
                pass
            case Number() | Truth() | Label() | ParameterValue() | StepNumber() | Bound():
                pass
            case _:
                return ()
    return tuple(sorted(names))


def _norms(moves: set[Row]) -> Norms:
    """Of the differences, each the largest; 0 if there are none, as no entry has a neighbour."""
    zero = Fraction(0)
    return Norms(
        number(max((sum(map(abs, d), start=zero) for d in moves), default=zero)),
        root(number(max((sum((x * x for x in d), start=zero) for d in moves), default=zero))),
        number(max((max(map(abs, d)) for d in moves), default=zero)),
        number(max((max(d) - min(d) for d in moves), default=zero)),
    )


def _difference(one: Row, other: Row) -> Row:
    if len(one) != len(other):
        raise _NotFinite
    return tuple(u - v for u, v in zip(one, other, strict=True))


def last_step(facts: Facts) -> int | None:
    """The step in which a public `stop when step >= n` ends every run at the latest; None if there is none."""
    ends: list[int] = []
    for gate in facts.program.gates:
        if not isinstance(gate, PublicGate) or not isinstance(gate.source, OfStop):
            continue
        for part in (Truth(True),) if gate.expression is None else disjuncts(gate.expression):
            match part:
                case Truth(True):
                    ends.append(1)
                case Apply(">=", (StepNumber(), limit)) if (found := evaluate_number(facts, limit)) is not None:
                    exact = exact_value(found, facts.values)
                    ends += [] if exact is None else [max(1, ceil(exact))]
    return min(ends, default=None)


def _initial(facts: Facts, name: str) -> Expression:
    keep = facts.cells[name].keep
    assert isinstance(keep, Previous)
    return keep.initial


class _Walk:
    """All pairs of states that neighbours reach. A step leads from a state (with an entry and the step's number) to a
    state; `reached` holds pairs of such places, each with the state that it leads to."""

    def __init__(self, entry: Entry, cells: tuple[str, ...]) -> None:
        self.entry, self.facts, self.cells = entry, entry.facts, cells
        self.bodies = [self.facts.expand(self.facts.cells[name].body) for name in cells]
        self.last = last_step(self.facts)
        self.by_step = any(StepNumber() in self.facts.leaves(body) for body in self.bodies)
        self.entries = self._entries()
        self.near = [
            (i, j) for i, x in enumerate(self.entries) for j, y in enumerate(self.entries)
            if i != j and self._same_public(x, y) and not too_far(entry, x, y)
        ]  # fmt: skip
        self.after: dict[Place, State] = {}
        self.reached: dict[tuple[Place, Place], None] = {}
        self._go()

    def _go(self) -> None:
        """Raises `_NotFinite`."""
        together = [(i, i) for i in range(len(self.entries))]
        apart_by = [*together, *self.near] if self.entry.near.every else together
        same: set[State] = {self._start()}
        apart: set[tuple[State, State]] = set()
        met_same, met_apart = set(same), set(apart)
        step = 1
        while (same or apart) and (self.last is None or step <= self.last):
            later = {self._next((s, i, step)) for s in same for i, _ in together}
            pairs: set[tuple[State, State]] = set()
            for (a, b), entries in [*(((s, s), self.near) for s in same), *((pair, apart_by) for pair in apart)]:
                for i, j in entries:
                    one, other = (a, i, step), (b, j, step)
                    self.reached[one, other] = None
                    pairs.add((self._next(one), self._next(other)))
            pairs = {(a, b) for a, b in pairs if a != b}
            if not self.by_step:
                later, pairs = later - met_same, pairs - met_apart
            same, apart = later, pairs
            met_same |= same
            met_apart |= apart
            if len(self.reached) > MOST_PAIRS or (self.by_step and self.last is None):
                raise _NotFinite
            step += 1

    def _next(self, place: Place) -> State:
        """The state that follows."""
        if not self.by_step:
            place = (*place[:2], 1)
        if place not in self.after:
            if len(self.after) >= MOST_EVALUATIONS:
                raise _NotFinite
            given = self._given(place)
            self.after[place] = tuple(self._exact(evaluate(self.facts, body, given)) for body in self.bodies)
        return self.after[place]

    def _given(self, place: Place) -> dict[Expression, Value]:
        state, at, step = place
        held: dict[Expression, Value] = {CellValue(name): v for name, v in zip(self.cells, state, strict=True)}
        return {**self.entries[at], **held, StepNumber(): number(step)}

    def moves(self, expression: Expression) -> set[Row]:
        """The differences of the value on all pairs of places. Raises `_NotFinite`."""
        ends: list[Expression] = [Bound(Variable(FIRST - k, "state")) for k in range(len(self.bodies))]
        for body, end in zip(self.bodies, ends, strict=True):
            expression = replaced(expression, body, end)
        leaves = self.facts.leaves(expression)
        if StepNumber() in leaves and not self.by_step:
            raise _NotFinite
        whole = any(isinstance(leaf, CellValue | Field | StepNumber) for leaf in leaves)
        rows: dict[object, Row] = {}

        def row(place: Place) -> Row:
            after = self._next(place)
            key: object = place if whole else after
            if key not in rows:
                given = {**(self._given(place) if whole else {}), **dict(zip(ends, after, strict=True))}
                rows[key] = self._row(self._exact(evaluate(self.facts, expression, given)))
            return rows[key]

        return {_difference(row(one), row(other)) for one, other in self.reached}

    def _start(self) -> State:
        starts = (self.facts.expand(_initial(self.facts, name)) for name in self.cells)
        return tuple(self._exact(evaluate(self.facts, start)) for start in starts)

    def _exact(self, value: Value | None) -> Value:
        """With every number as a rational, so that equal states are equal."""
        if isinstance(value, tuple):
            return tuple(self._exact(part) for part in value)
        if isinstance(value, bool | str):
            return value
        exact = None if value is None or value.is_infinite else exact_value(value, self.facts.values)
        if exact is None:
            raise _NotFinite
        return number(exact)

    def _row(self, value: Value) -> Row:
        row: list[Fraction] = []
        for part in value if isinstance(value, tuple) else (value,):
            exact = (
                exact_value(part, {})
                if isinstance(part, Formula)
                else Fraction(part)
                if isinstance(part, bool)
                else None
            )
            if exact is None:
                raise _NotFinite
            row.append(exact)
        if not row:
            raise _NotFinite
        return tuple(row)

    def _entries(self) -> list[Assignment]:
        """All entries of one step, public fields too."""
        found: list[dict[Expression, Value]] = [{}]
        for source in self.facts.program.inputs:
            values = None if source.kind == "dataset" else domain_values(self.facts, source.domain)
            if values is None or len(found) * len(values) > MOST_ENTRIES:
                raise _NotFinite
            found = [{**one, Field(source.name): v} for one, v in product(found, values)]
        return [dict(one) for one in found]

    def _same_public(self, x: Assignment, y: Assignment) -> bool:
        public = (Field(source.name) for source in self.facts.program.inputs if source.kind == "public")
        return all(x[field] == y[field] for field in public)
