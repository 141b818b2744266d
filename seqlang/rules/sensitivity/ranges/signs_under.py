"""The sign of an expression, as its range or the conditions that hold where it stands say it."""

from __future__ import annotations

from seqlang.model.expression import Apply, Choice, Expression, MemoryValue, Quantified
from seqlang.model.program import Update
from seqlang.operators.groups import AT_LEAST, NEGATED, TURNED
from seqlang.rules.sensitivity.facts.evaluate import evaluate, evaluate_number
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.facts.numbers import NOUGHT
from seqlang.rules.sensitivity.ranges.ranges import range_in

Assumed = tuple[tuple[Expression, bool], ...]
"""Conditions, and whether they hold."""

INDUCTION = "positive so far"
"""A condition on a memory: it was positive up to now."""


def positive(facts: Facts, assumed: Assumed, e: Expression) -> bool:
    """Certainly above 0."""
    low = range_in(facts, e).low
    if low is not None and facts.sign(low) == 1:
        return True
    for operator, other in _about(assumed, e):
        bound = range_in(facts, other).low
        enough = bound is not None and facts.sign(bound) in ((0, 1) if operator == ">" else (1,))
        if enough and operator in AT_LEAST:
            return True
    match e:
        case Apply("exp"):
            return True
        case Apply("+", (a, b)):
            pairs = ((a, b), (b, a))
            return any(positive(facts, assumed, x) and not_negative(facts, assumed, y) for x, y in pairs)
        case Apply("*" | "/" | "^", (a, b)):
            return positive(facts, assumed, a) and (e.operator == "^" or positive(facts, assumed, b))
        case Apply("max", (_, _, *_)):
            return any(positive(facts, assumed, a) for a in e.arguments)
        case Apply("min", (_, _, *_)):
            return all(positive(facts, assumed, a) for a in e.arguments)
        case Apply("clip", (_, low_end, high_end)):
            return positive(facts, assumed, low_end) and positive(facts, assumed, high_end)
        case Choice(test, yes, no):
            below, above = (*assumed, (test, True)), (*assumed, (test, False))
            return positive(facts, below, yes) and positive(facts, above, no)
        case MemoryValue(name):
            return _stays_positive(facts, assumed, name)
        case Quantified("sum" | "mean" | "max" | "min", body, _, domain, None):
            elements = evaluate(facts, domain)
            return isinstance(elements, tuple) and len(elements) > 0 and positive(facts, _of_induction(assumed), body)
    return False


def _of_induction(assumed: Assumed) -> Assumed:
    """The assumptions that hold everywhere in a step: those of the induction. What an `if` tests holds in its branch
    alone, and its bound variables have other values elsewhere."""
    return tuple((test, holds) for test, holds in assumed if isinstance(test, Apply) and test.operator == INDUCTION)


def _stays_positive(facts: Facts, assumed: Assumed, name: str) -> bool:
    """By induction over the updates: the first value is positive, and the next one is if this one is."""
    program = facts.program
    start = next(memory.initial for memory in program.memories if memory.name == name)
    constant = evaluate_number(facts, start)
    if constant is None or facts.sign(constant) != 1:
        return False
    now = tuple((Apply(INDUCTION, (MemoryValue(name, updated),)), True) for updated in (False, True))
    updates = (s.value for s in program.body if isinstance(s, Update) and s.memory == name)
    return all(positive(facts, (*_of_induction(assumed), *now), facts.inlined(value)) for value in updates)


def not_negative(facts: Facts, assumed: Assumed, e: Expression) -> bool:
    """Certainly at least 0."""
    low = range_in(facts, e).low
    if low is not None and facts.sign(low) in (0, 1):
        return True
    for operator, other in _about(assumed, e):
        bound = range_in(facts, other).low
        if operator in AT_LEAST and bound is not None and facts.sign(bound) in (0, 1):
            return True
    match e:
        case Apply("+" | "*", (a, b)):
            return (e.operator == "*" and a == b) or all(not_negative(facts, assumed, x) for x in (a, b))
        case Apply("max", (_, _, *_)):
            return any(not_negative(facts, assumed, a) for a in e.arguments)
        case Choice(test, yes, no):
            below, above = (*assumed, (test, True)), (*assumed, (test, False))
            return not_negative(facts, below, yes) and not_negative(facts, above, no)
    return positive(facts, assumed, e)


def not_zero(facts: Facts, assumed: Assumed, e: Expression) -> bool:
    """Certainly another number than 0."""
    r = range_in(facts, e)
    if r.high is not None and facts.sign(r.high) == -1:
        return True
    if r.values is not None and all(facts.sign(v) in (-1, 1) for v in r.values):
        return True
    if any(operator == "!=" and other == NOUGHT for operator, other in _about(assumed, e)):
        return True
    if isinstance(e, Apply) and e.operator == "*":
        return all(not_zero(facts, assumed, a) for a in e.arguments)
    return positive(facts, assumed, e)


def _about(assumed: Assumed, e: Expression) -> list[tuple[str, Expression]]:
    """What is assumed of `e`: (operator, other) for `e operator other`."""
    found: list[tuple[str, Expression]] = []
    for test, holds in assumed:
        match test:
            case Apply("not", (inner,)):
                found += _about(((inner, not holds),), e)
            case Apply(operator, (memory,)) if operator == INDUCTION and memory == e:
                found.append((">", NOUGHT))
            case Apply("and" | "or", parts) if holds == (test.operator == "and"):
                found += _about(tuple((part, holds) for part in parts), e)
            case Apply(operator, (a, b)) if operator in NEGATED:
                operator = operator if holds else NEGATED[operator]
                if a == e:
                    found.append((operator, b))
                if b == e:
                    found.append((TURNED[operator], a))
            case _:
                pass
    return found
