"""A choice by explicit weights that counts decide: the largest log ratio of the laws under all neighbouring counts.

Counts are the private whole numbers that the weights read, with known ends: sums, counts, and the like. Neighbours move
each of them by a whole number, at most as far as its sensitivity. All such moves from all counts are tried, also those
that no data make.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product as combinations
from math import inf, log, prod

from seqlang.arithmetic.formula import Formula, enclose, logarithm, number
from seqlang.model.expression import (
    Apply,
    Bound,
    Choice,
    Expression,
    Index,
    Number,
    Quantified,
    Sequence,
    Variable,
    Weights,
    WeightsOf,
    rebuild,
)
from seqlang.model.program import ChooseGate, Gate, PrivateLaw, Program
from seqlang.operators.groups import OF_ELEMENTS
from seqlang.record import record
from seqlang.rules.gates.exposure import showings
from seqlang.rules.gates.gate_rule import pure_rule
from seqlang.rules.gates.outcomes import Table, table_of
from seqlang.rules.gates.radius import radius_of
from seqlang.rules.gates.showings import NOT_MINE, Showings
from seqlang.rules.reading.signs import Signs
from seqlang.rules.reading.single_entry import single_entry
from seqlang.rules.sensitivity.facts.ends import greatest
from seqlang.rules.sensitivity.facts.evaluate import evaluate
from seqlang.rules.sensitivity.facts.facts import Facts, facts_of
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.rules.sensitivity.facts.remembered import remembered
from seqlang.rules.sensitivity.facts.value import Value, whole
from seqlang.rules.sensitivity.ranges.ranges import range_in

MOST_STATES = 300
MOST_PAIRS = 6000
MOST_CANDIDATES = 64
CLOSE = 1e-9
"""In nats: log ratios this close are compared exactly."""
FIRST = -1_000_000
"""Numbers of the variables that stand for counts: no binder of a program has such a number."""


@record
class Count:
    """A private whole number between `low` and `high`, and how far neighbours move it at most."""

    low: int
    high: int
    moves: int


class _NoCounts(Exception):
    """The weights read something private that is no count."""


def showings_of(program: Program, gate: Gate) -> Showings | str:
    """One choice costs the largest log ratio of the laws of neighbouring counts."""
    if not isinstance(gate, ChooseGate) or not isinstance(gate.law, PrivateLaw):
        return NOT_MINE
    signs = Signs(parameter_values(program))
    entries, single = single_entry(program)
    worst = _worst(facts_of(single), gate.law.law)
    return worst if isinstance(worst, str) else Showings(entries, showings(single, gate, signs), worst)


@remembered
def _worst(facts: Facts, law: Expression) -> Formula | str:
    reader = _Reader(facts)
    try:
        read = reader.law(facts.expand(law))
    except _NoCounts:
        return NOT_MINE
    counts = tuple(reader.counts)
    together = radius_of(facts.program, Sequence("list", tuple(reader.known)), "l1")
    most = inf if isinstance(together, str) else enclose(together[0], facts.values).high
    if not counts or prod(count.high - count.low + 1 for count in counts) > MOST_STATES:
        return NOT_MINE
    return _largest(facts, read, counts, most)


def _largest(facts: Facts, law: Expression, counts: tuple[Count, ...], most: float) -> Formula | str:
    """The largest log ratio, for moves of at most `most` together. Those that are certainly smaller are put aside in
    floating point."""
    tables: dict[tuple[int, ...], Table] = {}
    for state in combinations(*(range(count.low, count.high + 1) for count in counts)):
        given: dict[Expression, Value] = {_variable(i): number(value) for i, value in enumerate(state)}
        table = table_of(facts, law, given)
        if table is None:
            return NOT_MINE
        tables[state] = table
    ranges = [range(-count.moves, count.moves + 1) for count in counts]
    if len(tables) * prod(map(len, ranges)) > MOST_PAIRS:
        return NOT_MINE
    moves = [move for move in combinations(*ranges) if sum(map(abs, move)) <= most]
    near = [
        (here, there)
        for here in tables
        for move in moves
        if (there := tuple(a + b for a, b in zip(here, move, strict=True))) in tables
    ]
    if any(tables[here].keys() != tables[there].keys() for here, there in near):
        return "a value that is possible with some counts is not with neighbouring ones"
    ends = {here: {v: enclose(p, facts.values) for v, p in table.items()} for here, table in tables.items()}
    if any(not 0 < p.low <= p.high < inf for table in ends.values() for p in table.values()):
        return NOT_MINE
    if any(not p.low / q.high > 0 for table in ends.values() for p in table.values() for q in table.values()):
        return NOT_MINE  # a ratio that no float holds
    top = max(log(ends[a][v].low / ends[b][v].high) for a, b in near for v in ends[a])
    kept = [
        (tables[a][v], tables[b][v]) for a, b in near for v in ends[a]
        if log(ends[a][v].high / ends[b][v].low) >= top - CLOSE
    ]  # fmt: skip
    logs = dict.fromkeys(logarithm(p / q) for p, q in kept)
    return (greatest(facts, tuple(logs)) or NOT_MINE) if len(logs) <= MOST_CANDIDATES else NOT_MINE


def _variable(place: int) -> Bound:
    """What stands for a count."""
    return Bound(Variable(FIRST - place, "count"))


class _Reader:
    """Puts variables in the place of counts, and writes out what runs over constant ranges."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.counts: list[Count] = []
        self.known: dict[Expression, Bound] = {}

    def law(self, law: Expression) -> Expression:
        match law:
            case Weights(pairs):
                return Weights(tuple((self._public(value), self.read(weight)) for value, weight in pairs))
            case WeightsOf(value, weight, variable, domain, None):
                pairs = tuple(
                    (self._public(_put(value, variable, at)), self.read(_put(weight, variable, at)))
                    for at in self._elements(domain)
                )
                return Weights(pairs)
            case _:
                raise _NoCounts

    def read(self, e: Expression) -> Expression:
        """The expression over counts."""
        if not self.facts.is_private(e):
            return e
        match e:
            case Apply() | Choice() | Index() | Sequence():
                before, known = list(self.counts), dict(self.known)
                try:
                    return rebuild(e, self.read)
                except _NoCounts:
                    self.counts, self.known = before, known
                    return self._count(e)  # such as the sum of a field
            case Quantified(operator, body, variable, domain, None) if operator in OF_ELEMENTS | {
                "list"
            } and not self.facts.is_private(domain):
                items = tuple(self.read(_put(body, variable, at)) for at in self._elements(domain))
                listed = Sequence("list", items)
                return listed if operator == "list" else Apply(operator, (listed,))
            case _:
                return self._count(e)

    def _count(self, e: Expression) -> Bound:
        if e not in self.known:
            ends, moved = range_in(self.facts, e), radius_of(self.facts.program, e, "abs")
            if (
                self.facts.noises_inside(e)
                or not ends.integer
                or ends.low is None
                or ends.high is None
                or isinstance(moved, str)
            ):
                raise _NoCounts
            low, high = (whole(self.facts, end) for end in (ends.low, ends.high))
            most = enclose(moved[0], self.facts.values).high
            if low is None or high is None or not most < MOST_STATES or high - low > MOST_STATES:
                raise _NoCounts
            self.known[e] = _variable(len(self.counts))
            self.counts.append(Count(low, high, int(most)))
        return self.known[e]

    def _public(self, e: Expression) -> Expression:
        if self.facts.is_private(e):
            raise _NoCounts
        return e

    def _elements(self, domain: Expression) -> Iterator[Expression]:
        elements = evaluate(self.facts, domain)
        if not isinstance(elements, tuple):
            raise _NoCounts
        for element in elements:
            exact = whole(self.facts, element) if isinstance(element, Formula) else None
            if exact is None:
                raise _NoCounts
            yield Number(Fraction(exact))


def _put(e: Expression, variable: Variable, value: Expression) -> Expression:
    return value if e == Bound(variable) else rebuild(e, lambda child: _put(child, variable, value))


STATEMENT = """
    v is chosen with probability w(v, n) / sum w(., n);   n: private whole numbers between known ends
    neighbours move each n_i by a whole number, at most by m_i, and all together at most by m
    ----------------------------------------------------------------------------------------------------------
    the choice is (T max log(P(v | n) / P(v | n')))-DP over all v, n and n' that far apart,  T showings

The weights read nothing else that is private or random. Which of the ratios is the largest is decided at the parameter
values. In k changed entries: k times. Epsilon in nats.
"""

RULE, SEARCH = pure_rule(
    "mechanism/law_of_counts",
    "Law that counts decide",
    STATEMENT,
    "the definition, all cases gone through",
    "the laws of the choice under all neighbouring counts were compared, outcome by outcome",
    showings_of,
)
