"""The law of what a gate shows, where one entry with finitely many values decides it: outcome by outcome."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from seqlang.arithmetic.enclosure import exact_value
from seqlang.arithmetic.formula import ONE, ZERO, Formula, number
from seqlang.model.expression import (
    Bound,
    Drawn,
    Expression,
    Field,
    Index,
    Law,
    Noised,
    Quantified,
    Sequence,
    Weights,
    WeightsOf,
    rebuild,
    walk,
)
from seqlang.record import record
from seqlang.rules.sensitivity.facts.definitions import RECORD
from seqlang.rules.sensitivity.facts.evaluate import Assignment, evaluate, evaluate_number
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.facts.finite import combinations, values_of, variables
from seqlang.rules.sensitivity.facts.value import Value
from seqlang.rules.sensitivity.functions.piecewise_constant import representatives
from seqlang.rules.sensitivity.motion.entry import Entry

MOST_ENTRIES = 64
MOST_OUTCOMES = 256

Table = Mapping[object, Formula]
"""Outcome -> probability; every probability is positive."""


@record
class Entries:
    """`own`: the values that the changed entry may have, `others`: those of everything else that is finite; `every`:
    any two values of `own` may be neighbours."""

    own: tuple[Assignment, ...]
    others: tuple[Assignment, ...]
    every: bool


def one_record(facts: Facts, expression: Expression) -> Expression | None:
    """The expression with `x[3]` read as the changed record's value; None if it looks at several records."""
    found = {n.at for n in walk(expression) if isinstance(n, Index) and _is_record(facts, n)}
    if len(found) > 1 or (found and evaluate_number(facts, next(iter(found))) is None):
        return None
    return _read(facts, expression)


def _is_record(facts: Facts, node: Index) -> bool:
    return isinstance(node.base, Field) and node.base.name + RECORD in facts.inputs


def _read(facts: Facts, node: Expression) -> Expression:
    if isinstance(node, Index) and isinstance(node.base, Field) and _is_record(facts, node):
        return Field(node.base.name + RECORD)
    return rebuild(node, lambda child: _read(facts, child))


def parts_of(law: Expression) -> tuple[Expression, ...]:
    """The expressions that decide a law with finitely many outcomes; empty if it is none."""
    match law:
        case WeightsOf(value, weight, variable, domain, where):
            return tuple(Quantified("list", part, variable, domain, where) for part in (value, weight))
        case Weights(pairs):
            return tuple(part for pair in pairs for part in pair)
        case Law("bernoulli" | "uniform" | "point", arguments):
            return arguments
    return ()


def entries_of(entry: Entry, parts: tuple[Expression, ...], coins: frozenset[Expression]) -> Entries | None:
    """All values of what the parts read, but for `coins`; None if they are not known to be finitely many."""
    facts = entry.facts
    leaves: dict[Expression, None] = {}
    for part in parts:
        found = variables(facts, part)
        if found is None or not entry.is_local(part):
            return None
        if any(isinstance(leaf, Noised) for leaf in found):
            return None  # a flipped value has a law of its own
        leaves.update(dict.fromkeys(leaf for leaf in found if leaf not in coins))
    own: list[dict[Expression, Value]] = [{}]
    listed = True
    for leaf in (leaf for leaf in leaves if entry.moves(leaf)):
        values = values_of(facts, leaf)
        if values is None and isinstance(leaf, Field):
            values, listed = representatives(facts, leaf, [(part, {}) for part in parts]), False
        if not values or len(own) * len(values) > MOST_ENTRIES:
            return None
        own = [{**given, leaf: value} for given in own for value in values]
    others = combinations(facts, tuple(leaf for leaf in leaves if not entry.moves(leaf)))
    if others is None:
        return None
    return Entries(tuple(own), tuple(others), not listed or entry.near.of is None)


def table_of(facts: Facts, law: Expression, given: Assignment) -> Table | None:
    """The law when its leaves are assigned; outcomes that cannot happen are left out."""
    match law:
        case WeightsOf(value, weight, variable, domain, where):
            elements = evaluate(facts, domain, given)
            if not isinstance(elements, tuple) or len(elements) > MOST_OUTCOMES:
                return None
            pairs = [(value, weight, {**given, Bound(variable): e}, where) for e in elements]
        case Weights(listed):
            pairs = [(value, weight, dict(given), None) for value, weight in listed]
        case Law("bernoulli", (chance,)):
            p = evaluate_number(facts, chance, given)
            return None if p is None else _kept(facts, {number(1): p, number(0): ONE - p})
        case Law("point", (value,)):
            only = outcome_of(facts, evaluate(facts, value, given))
            return None if only is None else {only: ONE}
        case Law("uniform", (values,)):
            elements = evaluate(facts, values, given)
            if not isinstance(elements, tuple) or not 0 < len(elements) <= MOST_OUTCOMES:
                return None
            return _summed(facts, ((element, ONE / len(elements)) for element in elements))
        case _:
            return None
    return _weighted(facts, pairs)


def _weighted(
    facts: Facts, pairs: list[tuple[Expression, Expression, dict[Expression, Value], Expression | None]]
) -> Table | None:
    found: list[tuple[Value | None, Formula | None]] = []
    for value, weight, given, where in pairs:
        kept = True if where is None else evaluate(facts, where, given)
        if not isinstance(kept, bool):
            return None
        if kept:
            found.append((evaluate(facts, value, given), evaluate_number(facts, weight, given)))
    weights = [w for _, w in found if w is not None]
    total = sum(weights, start=ZERO)
    if len(weights) < len(found) or facts.sign(total) != 1 or any(facts.sign(w) not in (0, 1) for w in weights):
        return None
    return _summed(facts, ((value, weight / total) for (value, _), weight in zip(found, weights, strict=True)))


def mixed(facts: Facts, shown: Expression, coins: Mapping[Expression, Table], given: Assignment) -> Table | None:
    """The law of an expression of independent coins."""
    cases: list[tuple[dict[Expression, Any], Formula]] = [(dict(given), ONE)]
    for coin, law in coins.items():
        if len(cases) * len(law) > MOST_OUTCOMES:
            return None
        cases = [({**seen, coin: value}, p * q) for seen, p in cases for value, q in law.items()]
    return _summed(facts, ((evaluate(facts, shown, seen), p) for seen, p in cases))


def _summed(facts: Facts, pairs: Iterator[tuple[Value | None, Formula]]) -> Table | None:
    table: dict[object, Formula] = {}
    for value, p in pairs:
        outcome = outcome_of(facts, value)
        if outcome is None:
            return None
        table[outcome] = table[outcome] + p if outcome in table else p
    return _kept(facts, table)


def _kept(facts: Facts, table: dict[object, Formula]) -> Table | None:
    signs = {outcome: facts.sign(p) for outcome, p in table.items()}
    if any(sign not in (0, 1) for sign in signs.values()):
        return None
    return {outcome: p for outcome, p in table.items() if signs[outcome] == 1}


def outcome_of(facts: Facts, value: Value | None) -> object | None:
    """The value, such that two are equal if and only if they are the same; None where that is not certain."""
    match value:
        case Formula():
            exact = exact_value(value, facts.values)
            return None if exact is None else number(exact)
        case tuple():
            parts = tuple(outcome_of(facts, part) for part in value)
            return None if any(part is None for part in parts) else parts
        case _:
            return value


def coins_of(expression: Expression) -> frozenset[Expression]:
    return frozenset(node for node in walk(expression) if isinstance(node, Drawn))


def vector_of(expression: Expression) -> bool:
    """A list of chances: independent coins."""
    return isinstance(expression, Sequence) or (isinstance(expression, Quantified) and expression.operator == "list")
