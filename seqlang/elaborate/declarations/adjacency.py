"""`adjacent`: who is a neighbour. Without it: `replace one`."""

from __future__ import annotations

from fractions import Fraction

from seqlang.elaborate.expressions.expect import expect, translated
from seqlang.elaborate.state import Current, Scope, State, translate
from seqlang.elaborate.typed import Typed
from seqlang.model import expression as m
from seqlang.model.constants import Undefined, evaluate
from seqlang.model.domain import Ball
from seqlang.model.kinds import NUMBER
from seqlang.model.noise_factors import ONE
from seqlang.model.program import AddRemove, Adjacency, Norm, Replace, Within
from seqlang.syntax import tree

Node = tree.AdjacentReplace | tree.AdjacentAddRemove | tree.AdjacentWithin


def adjacency(state: State, file: tree.File) -> Adjacency:
    """The adjacency of the file; at most one statement may say it."""
    found: list[tuple[int, Node]] = [
        (at, s)
        for at, s in enumerate(file.statements)
        if isinstance(s, tree.AdjacentReplace | tree.AdjacentAddRemove | tree.AdjacentWithin)
    ]
    for _, other in found[1:]:
        state.problems.add(
            "E0412",
            "a file has one adjacency",
            other.span,
            "the second one",
            [(found[0][1].span, "the first one")],
            help="two adjacencies are two files",
        )
    if not found:
        return Replace(ONE)
    state.current = Current()
    position, node = found[0]
    match node:
        case tree.AdjacentReplace(count=count):
            return Replace(_count(state, position, count))
        case tree.AdjacentAddRemove(count=count):
            return AddRemove(_count(state, position, count))
        case tree.AdjacentWithin():
            return _within(state, position, node)


def _count(state: State, position: int, node: tree.Expression | None) -> m.Expression:
    if node is None:
        return ONE
    typed = translated(state, Scope("plain", position), node, "number", "a number of entries")
    value = evaluate(typed.expression, state.declared.values)
    if isinstance(value, Undefined) or (isinstance(value, Fraction) and (value < 1 or value.denominator != 1)):
        state.problems.add(
            "E0416", "neighbours differ in a whole number of entries, from 1", node.span, "not such a number"
        )
    return typed.expression


def _within(state: State, position: int, node: tree.AdjacentWithin) -> Within:
    of = translate(state, Scope("entry", position), node.of)
    if of.kind.name not in ("number", "vector", "unknown"):
        expect(state, of, "number", node.of.span, "what moves is a number or a vector")
    fields = {n.name for n in m.walk(of.expression) if isinstance(n, m.Field)}
    private = {f for f in fields if state.given.symbols[f].kind != "public"}
    if not private and of.kind.name != "unknown":
        state.problems.add(
            "E0417",
            "neighbours must differ in a private field",
            node.of.span,
            "reads no field of a stream or dataset",
        )
    radius = translated(state, Scope("plain", position), node.radius, NUMBER.name, "a radius is a number")
    value = evaluate(radius.expression, state.declared.values)
    if isinstance(value, Undefined):
        state.problems.add("E0312", f"the radius has no value: {value.reason}", node.radius.span, value.reason)
    elif isinstance(value, Fraction) and value <= 0:
        state.problems.add("E0416", "a radius lies above 0", node.radius.span, "not above 0")
    norm = _norm(state, of) if node.norm is None else node.norm
    number = of.kind.name == "number"
    return Within(of.expression, radius.expression, node.extent, node.same_direction, "linf" if number else norm)


def _norm(state: State, of: Typed) -> Norm:
    """What a radius without a norm means: the Euclidean distance for a field in a ball, else one coordinate's move."""
    match of.expression:
        case m.Field(name) if isinstance(state.declared.fields[name].domain, Ball):
            return "l2"
    return "linf"
