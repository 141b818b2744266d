"""How long a list certainly is, and whether a position lies in it, for all data."""

from __future__ import annotations

from seqlang.arithmetic.formula import Formula, number
from seqlang.model.expression import (
    Apply,
    Bound,
    Choice,
    Drawn,
    Expression,
    Field,
    Law,
    Noised,
    Quantified,
    Records,
    Sequence,
)
from seqlang.rules.sensitivity.facts.definitions import RECORD
from seqlang.rules.sensitivity.facts.evaluate import evaluate
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.facts.numbers import ONE, UNIT
from seqlang.rules.sensitivity.facts.shapes import dimension, fewest_records, is_number
from seqlang.rules.sensitivity.facts.value import whole
from seqlang.rules.sensitivity.ranges.ranges import range_in


def length_is_private(facts: Facts, e: Expression) -> bool:
    """Whether a list's length may differ between neighbours."""
    match e:
        case Field(name):
            return facts.resized and name + RECORD in facts.inputs
        case Records():
            return facts.resized
        case Quantified("list" | "set", _, _, domain, where):
            private = facts.is_private(where) if where is not None else False
            return private or length_is_private(facts, domain) or facts.is_sample(domain)
        case Choice(test, yes, no):
            if facts.is_private(test) and not (is_number(facts, yes) and is_number(facts, no)):
                sizes = dimension(facts, yes), dimension(facts, no)
                if None in sizes or sizes[0] != sizes[1]:
                    return True
            return length_is_private(facts, yes) or length_is_private(facts, no)
        case Noised(_, base, _):
            return length_is_private(facts, base)
        case Apply("..", ends):
            return any(facts.is_private(end) for end in ends)
        case Apply("zeros", (size,)):
            return facts.is_private(size)
        case Apply("sum" | "mean" | "count" | "length" | "norm" | "dot" | "argmax" | "argmin"):
            return False
        case Apply("max" | "min", (_,)):
            return False
        case Apply(_, arguments):
            return any(length_is_private(facts, a) for a in arguments)
    return False


def is_position(facts: Facts, base: Expression, at: Expression) -> bool:
    """Whether `at` is certainly a position of the list, or an element of the set 1..n."""
    if isinstance(at, Bound) and at.variable.domain is not None:
        domain = facts.expand(at.variable.domain)
        if domain in (base, Apply("..", (UNIT, Apply("length", (base,))))) or (
            isinstance(base, Field) and base.name + RECORD in facts.inputs and _of_records(facts, domain)
        ):
            return True
    if isinstance(at, Apply) and at.operator in ("argmax", "argmin") and at.arguments == (base,):
        return True
    r, least = range_in(facts, at), least_length(facts, base)
    if least is None or not r.integer or r.low is None or r.high is None:
        return False
    return facts.at_most(ONE, r.low) and facts.at_most(r.high, least)


def _of_records(facts: Facts, domain: Expression) -> bool:
    """The elements are numbers of records."""
    match domain:
        case Records():
            return True
        case Quantified("list" | "set", Bound(variable), own, inner):
            return variable == own and _of_records(facts, inner)
        case Drawn(name):
            law = facts.noises[name].law if name in facts.noises else None
            return isinstance(law, Law) and law.family == "sample" and _of_records(facts, law.arguments[0])
    return False


def least_length(facts: Facts, e: Expression) -> Formula | None:
    match e:
        case Field(name) if name + RECORD in facts.inputs:
            return fewest_records(facts)
        case Sequence("list", items):
            return number(len(items))
        case Choice(_, yes, no):
            sizes = [least_length(facts, branch) for branch in (yes, no)]
            if None in sizes:
                return None
            a, b = (s for s in sizes if s is not None)
            return a if facts.at_most(a, b) else b if facts.at_most(b, a) else None
        case Noised(_, base, _):
            return least_length(facts, base)
    if length_is_private(facts, e):
        return None
    listed = evaluate(facts, e)
    if isinstance(listed, tuple) and [whole(facts, v) for v in listed] == list(range(1, len(listed) + 1)):
        return number(len(listed))  # a set 1..n
    return dimension(facts, e)
