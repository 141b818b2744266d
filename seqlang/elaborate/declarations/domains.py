"""Domains of params and fields: `(0, 1)`, `1..k`, `{0, 1}`, `real`, `ball(r, d)`, `D ^ d`."""

from __future__ import annotations

from seqlang.diagnostics.suggest import hint
from seqlang.elaborate.expressions.arguments import positional
from seqlang.elaborate.expressions.expect import translated
from seqlang.elaborate.names.builtins import Signature
from seqlang.elaborate.state import Scope, State
from seqlang.model import domain as d
from seqlang.model import expression as m
from seqlang.model.constants import LARGEST_DIMENSION, Undefined, evaluate, number
from seqlang.model.kinds import NUMBER, Kind, vector
from seqlang.syntax import tree


def domain(state: State, scope: Scope, node: tree.Domain) -> d.Domain:
    """The domain of a tree; an unusable one is reported, and `real` stands for it."""
    match node:
        case tree.IntervalDomain():
            return _interval(state, scope, node)
        case tree.FiniteDomain(values=values):
            return d.Finite(tuple(_constant(state, scope, v) for v in values))
        case tree.IntegerDomain(low=low, high=high):
            return _integers(state, scope, node, low, high)
        case tree.NamedDomain(name=name):
            if name.name != "real":
                state.problems.add(
                    "E0317",
                    f"`{name.name}` is not a domain",
                    name.span,
                    "unknown domain",
                    help=hint(name.name, ["real", "ball"])
                    or "domains are `real`, `[a, b)`, `{a, b}`, `1..k`, `ball(r, d)`, `D ^ d`",
                )
            return d.REAL
        case tree.BallDomain():
            return _ball(state, scope, node)
        case tree.PowerDomain(of=of, dimension=dimension):
            return _power(state, scope, of, dimension)


def kind_of(domain: d.Domain) -> Kind:
    """The kind of one value of the domain."""
    return vector(domain.dimension) if isinstance(domain, d.Ball | d.Power) else NUMBER


def _constant(state: State, scope: Scope, node: tree.Expression) -> m.Expression:
    typed = translated(state, scope, node, "number", "domains are made of numbers")
    value = evaluate(typed.expression, state.declared.values)
    if isinstance(value, Undefined):
        state.problems.add("E0312", f"this number has no value: {value.reason}", node.span, value.reason)
    return typed.expression


def _interval(state: State, scope: Scope, node: tree.IntervalDomain) -> d.Domain:
    low, high = _constant(state, scope, node.low), _constant(state, scope, node.high)
    a, b = number(low, state.declared.values), number(high, state.declared.values)
    if a is not None and b is not None and (a > b or (a == b and (node.low_open or node.high_open))):
        _empty(state, node)
    return d.Interval(low, high, node.low_open, node.high_open)


def _integers(
    state: State, scope: Scope, node: tree.IntegerDomain, low: tree.Expression, high: tree.Expression | None
) -> d.Domain:
    first = _constant(state, scope, low)
    last = None if high is None else _constant(state, scope, high)
    a = number(first, state.declared.values)
    b = None if last is None else number(last, state.declared.values)
    for value, place in ((a, low), (b, high)):
        if value is not None and place is not None and value.denominator != 1:
            state.problems.add("E0315", "a range of whole numbers has whole ends", place.span, "not whole")
    if a is not None and b is not None and a > b:
        _empty(state, node)
    return d.Integers(first, last)


def _empty(state: State, node: tree.IntervalDomain | tree.IntegerDomain) -> None:
    state.problems.add(
        "E0315", "this domain is empty", node.span, "its lower end lies above its upper end",
        help="exchange the ends, or check the params that they read",
    )  # fmt: skip


def _ball(state: State, scope: Scope, node: tree.BallDomain) -> d.Domain:
    name = node.name.name
    if name != "ball":
        state.problems.add(
            "E0317", f"`{name}` is not a domain", node.name.span, "unknown domain", help=hint(name, ["ball"])
        )
        return d.REAL
    call = tree.Call(node.name, node.arguments, node.span)
    slots = positional(state, call, "ball", Signature(("radius", "dimension"), ()))
    if slots is None or slots[0] is None or slots[1] is None:
        return d.REAL
    radius, dimension = _constant(state, scope, slots[0]), _constant(state, scope, slots[1])
    value = number(radius, state.declared.values)
    if value is not None and value <= 0:
        state.problems.add("E0315", "a ball has a radius above 0", slots[0].span, "not above 0")
    _check_dimension(state, dimension, slots[1])
    return d.Ball(radius, dimension)


def _power(state: State, scope: Scope, of: tree.Domain, dimension: tree.Expression) -> d.Domain:
    inner = domain(state, scope, of)
    size = _constant(state, scope, dimension)
    _check_dimension(state, size, dimension)
    if isinstance(inner, d.Ball | d.Power):
        state.problems.add("E0317", "a power of vectors is not a domain", of.span, "already vectors")
        return inner
    return d.Power(inner, size)


def _check_dimension(state: State, expression: m.Expression, node: tree.Expression) -> None:
    value = number(expression, state.declared.values)
    if value is not None and (value.denominator != 1 or value < 1):
        state.problems.add("E0315", "a dimension is a whole number from 1", node.span, "not a dimension")
    elif value is not None and value > LARGEST_DIMENSION:
        state.problems.add("E0315", f"a dimension is at most {LARGEST_DIMENSION:,}", node.span, "larger here")
