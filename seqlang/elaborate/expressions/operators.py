"""Operators, literals and `if`: from the tree to typed expressions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from seqlang.elaborate.expressions.binders import bind
from seqlang.elaborate.expressions.calls import call
from seqlang.elaborate.expressions.conditions import known_if, known_unless
from seqlang.elaborate.expressions.expect import expect, same_length, translated
from seqlang.elaborate.expressions.laws import density
from seqlang.elaborate.expressions.readings import read_name
from seqlang.elaborate.state import HANDLERS, Scope, State, translate
from seqlang.elaborate.typed import ERROR, Typed
from seqlang.model import expression as m
from seqlang.model.binding import settled
from seqlang.model.constants import LARGEST, LARGEST_DIMENSION, number
from seqlang.model.kinds import NUMBER, TRUTH, UNKNOWN, Kind, describe, elements, fits, join, law_of, same, vector
from seqlang.operators.groups import ADDITIVE, CONNECTIVES, EQUALITIES
from seqlang.record import replace
from seqlang.syntax import tree


def _number(state: State, scope: Scope, node: tree.Number) -> Typed:
    if node.value != 0 and not 1 / LARGEST <= abs(node.value) <= LARGEST:
        state.problems.add(
            "E0311",
            "this number is too large" if abs(node.value) > 1 else "this number is too small",
            node.span,
            "numbers lie between 1e-300 and 1e300",
        )
        return ERROR
    return Typed(m.Number(node.value), NUMBER)


def _step(state: State, scope: Scope, node: tree.Step) -> Typed:
    if scope.mode in ("constant", "plain", "entry"):
        state.problems.add(
            "E0213",
            "`step` is not a constant",
            node.span,
            "must be known before the first step",
            help="only numbers, params, and lets of these may stand here",
        )
        return ERROR
    return Typed(m.StepNumber(), NUMBER)


def _unary(state: State, scope: Scope, node: tree.Unary) -> Typed:
    operand = translate(state, _inner(scope), node.operand)
    if node.operator == "not":
        expect(state, operand, "truth", node.operand.span, "`not` takes a truth value")
        return Typed(m.Apply("not", (operand.expression,), node.span), TRUTH)
    if not (fits(operand.kind, "number") or operand.kind.name == "vector"):
        expect(state, operand, "number", node.operand.span, "`-` takes a number or a vector")
        return ERROR
    return Typed(m.Apply("negate", (operand.expression,), node.span), operand.kind)


def _binary(state: State, scope: Scope, node: tree.Binary) -> Typed:
    inner = _inner(scope)
    left = translate(state, inner, node.left)
    if node.operator == "and":  # the right side is looked at where the left one holds
        inner = _knowing(state, inner, left, known_if)
    elif node.operator == "or":
        inner = _knowing(state, inner, left, known_unless)
    right = translate(state, inner, node.right)
    kind = _operation_kind(state, node, left, right)
    if kind is None:
        return ERROR
    return Typed(m.Apply(node.operator, (left.expression, right.expression), node.span), kind)


def _operation_kind(state: State, node: tree.Binary, left: Typed, right: Typed) -> Kind | None:
    if node.operator in CONNECTIVES:
        expect(state, left, "truth", node.left.span, f"`{node.operator}` joins truth values")
        expect(state, right, "truth", node.right.span, f"`{node.operator}` joins truth values")
        return TRUTH
    if node.operator in m.COMPARISONS:
        return _comparison_kind(state, node, left, right)
    return _arithmetic_kind(state, node, left, right)


def _comparison_kind(state: State, node: tree.Binary, left: Typed, right: Typed) -> Kind | None:
    for side, typed in ((node.left, left), (node.right, right)):
        chained = isinstance(side, tree.Binary) and side.operator in m.COMPARISONS - EQUALITIES
        if chained and node.operator not in EQUALITIES and typed.kind == TRUTH:
            state.problems.add(
                "E0305",
                "comparisons are not chained",
                node.span,
                "compares a truth value with something",
                [(side.span, "this is true or false already")],
                help="write `a <= b and b <= c`",
            )
            return None
    if node.operator in EQUALITIES and same(left.kind, TRUTH) and same(right.kind, TRUTH):
        return TRUTH
    expect(state, left, "number", node.left.span, f"`{node.operator}` compares numbers")
    expect(state, right, "number", node.right.span, f"`{node.operator}` compares numbers")
    return TRUTH


def _arithmetic_kind(state: State, node: tree.Binary, left: Typed, right: Typed) -> Kind | None:
    a, b = left.kind, right.kind
    for typed, side in ((left, node.left), (right, node.right)):
        if typed.kind.name not in ("number", "vector", "unknown"):
            expect(state, typed, "number", side.span, f"`{node.operator}` takes numbers")
            return None
    vectors = "vector" in (a.name, b.name)
    if not vectors:
        return UNKNOWN if node.operator in "+-*/" and "unknown" in (a.name, b.name) else NUMBER
    if node.operator in ADDITIVE and same(a, b):
        same_length(state, node.span, (left, node.left.span), (right, node.right.span))
        return join(a, b)
    if (node.operator == "*" and a.name != b.name) or (node.operator == "/" and b.name != "vector"):
        return a if a.name == "vector" else b
    remedy = {"*": "for the inner product write `dot(u, v)`"}.get(node.operator)
    state.problems.add(
        "E0302",
        f"`{node.operator}` cannot join {describe(a)} and {describe(b)}",
        node.span,
        "",
        [(node.left.span, describe(a)), (node.right.span, describe(b))],
        help=remedy or "vectors are added to vectors, and scaled by numbers",
    )
    return None


def _range(state: State, scope: Scope, node: tree.Range) -> Typed:
    low = translated(state, _inner(scope), node.low, "number", "a range goes from a number")
    high = translated(state, _inner(scope), node.high, "number", "a range goes to a number")
    ends = number(low.expression, state.declared.values), number(high.expression, state.declared.values)
    if ends[0] is not None and ends[1] is not None and ends[1] - ends[0] >= LARGEST_DIMENSION:
        state.problems.add(
            "E0315", f"a range here has at most {LARGEST_DIMENSION:,} numbers", node.span, "each one is gone through"
        )
    return Typed(m.Apply("..", (low.expression, high.expression), node.span), Kind("set", NUMBER))


def _if(state: State, scope: Scope, node: tree.If) -> Typed:
    test = translated(state, _inner(scope), node.test, "truth", "`if` takes a truth value")
    yes = translate(state, _knowing(state, scope, test, known_if), node.yes)
    no = translate(state, _knowing(state, scope, test, known_unless), node.no)
    if not same(yes.kind, no.kind):
        state.problems.add(
            "E0308",
            f"one branch is {describe(yes.kind)}, the other {describe(no.kind)}",
            node.no.span,
            describe(no.kind),
            [(node.yes.span, describe(yes.kind))],
            help="both branches of `if` must be of one kind",
        )
        return ERROR
    return Typed(m.Choice(test.expression, yes.expression, no.expression), join(yes.kind, no.kind))


def _index(state: State, scope: Scope, node: tree.Index) -> Typed:
    base = translate(state, _inner(scope), node.base)
    at = translate(state, _inner(scope), node.at)
    if base.kind.name not in ("vector", "list", "unknown"):
        expect(state, base, "vector", node.base.span, "only vectors, lists and dataset fields have elements")
        return ERROR
    expect(state, at, "number", node.at.span, "elements are counted 1, 2, ..")
    position = number(at.expression, state.declared.values)
    if position is not None and (position < 1 or position.denominator != 1):
        state.problems.add("E0318", "elements are counted 1, 2, ..", node.at.span, "there is no such element")
    return Typed(m.Index(base.expression, at.expression, node.span), elements(base.kind))


def _list(state: State, scope: Scope, node: tree.ListOf) -> Typed:
    items, kind = _items(state, scope, node.items)
    expression = m.Sequence("list", items)
    if kind.name == "number":
        return Typed(expression, vector(m.Number(Fraction(len(items)))))
    return Typed(expression, Kind("list", kind))


def _set(state: State, scope: Scope, node: tree.SetOf) -> Typed:
    items, kind = _items(state, scope, node.items)
    return Typed(m.Sequence("set", items), Kind("set", kind))


def _items(state: State, scope: Scope, nodes: tuple[tree.Expression, ...]) -> tuple[tuple[m.Expression, ...], Kind]:
    typed = [translate(state, _inner(scope), node) for node in nodes]
    kind = UNKNOWN
    for item, node in zip(typed, nodes, strict=True):
        if not same(kind, item.kind):
            state.problems.add(
                "E0308",
                f"the elements differ: {describe(kind)} and {describe(item.kind)}",
                node.span,
                describe(item.kind),
                [(nodes[0].span, describe(kind))],
            )
            break
        kind = join(kind, item.kind)
    return tuple(item.expression for item in typed), kind


def _list_for(state: State, scope: Scope, node: tree.ListFor) -> Typed:
    bound = bind(state, scope, node.binder)
    value = translate(state, bound.scope, node.value)
    kind = vector(bound.length) if value.kind.name == "number" else Kind("list", value.kind)
    listed = m.Quantified("list", value.expression, bound.variable, bound.domain, bound.where, node.span)
    return Typed(settled(listed, state.bound.by_form), UNKNOWN if value.kind.name == "unknown" else kind)


def _weights(state: State, scope: Scope, node: tree.WeightsOf) -> Typed:
    values, kind = _items(state, scope, tuple(w.value for w in node.weights))
    pairs: list[tuple[m.Expression, m.Expression]] = []
    for value, weight in zip(values, node.weights, strict=True):
        typed = translated(state, _inner(scope), weight.weight, "number", "a weight is a number")
        pairs.append((value, typed.expression))
    return Typed(m.Weights(tuple(pairs)), law_of(kind))


def _weights_for(state: State, scope: Scope, node: tree.WeightsFor) -> Typed:
    bound = bind(state, scope, node.binder)
    value = translate(state, bound.scope, node.weight.value)
    weight = translated(state, bound.scope, node.weight.weight, "number", "a weight is a number")
    law = m.WeightsOf(value.expression, weight.expression, bound.variable, bound.domain, bound.where)
    return Typed(settled(law, state.bound.by_form), law_of(value.kind))


def _inner(scope: Scope) -> Scope:
    """Labels stand alone, or in the branches of an `if`; not inside other expressions."""
    return replace(scope, labels=False) if scope.labels else scope


def _knowing(
    state: State, scope: Scope, test: Typed, facts: Callable[[m.Expression], frozenset[m.Expression]]
) -> Scope:
    """The scope where the test came out one way; only files with conditional reports look at it."""
    return replace(scope, known=scope.known | facts(test.expression)) if state.given.facts_matter else scope


HANDLERS.update(
    {
        tree.Number: _number,
        tree.Truth: lambda state, scope, node: Typed(m.Truth(node.value), TRUTH),
        tree.Name: read_name,
        tree.Step: _step,
        tree.Unary: _unary,
        tree.Binary: _binary,
        tree.Range: _range,
        tree.If: _if,
        tree.Index: _index,
        tree.Member: lambda state, scope, node: density(state, scope, node, None),
        tree.ListOf: _list,
        tree.ListFor: _list_for,
        tree.SetOf: _set,
        tree.WeightsOf: _weights,
        tree.WeightsFor: _weights_for,
        tree.Call: call,
    }
)
